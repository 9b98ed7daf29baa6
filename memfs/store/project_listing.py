"""Which files belong to the project, as its Git says: tracked ones, and new ones not ignored.

Names alone are listed; nothing is opened. What is ignored, another repository inside of it and
memfs's own store are not among them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from memfs.store.project_history import ProjectHistory

_NAMES_BYTES: Final = 16 * 1024 * 1024


class ProjectListing(ProjectHistory):
    """The Git repository of a project, for whoever goes through its files."""

    def files_below(self, folder: Path) -> tuple[str, ...]:
        """Returns the names of the files below a folder of the working tree, sorted, with ``/``.

        A tracked file that is gone from the tree may be among them, and so may a folder that is a
        repository of its own. A name that is not UTF-8 has a replacement character in it.

        Raises:
            NoProjectHistoryError: Git cannot read the repository.
        """
        words = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        output, is_cut = self._ask(*words, limit_bytes=_NAMES_BYTES)
        names = output.split("\0")
        whole = names[:-1] if is_cut else names
        place = folder.resolve()
        inside = place.relative_to(self._project.top) if place != self._project.top else None
        start = f"{inside.as_posix()}/" if inside is not None else ""
        kept = {name for name in whole if name.startswith(start) and name not in self._hidden}
        return tuple(sorted(name.removeprefix(start) for name in kept if name != start))
