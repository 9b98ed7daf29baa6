"""Goes through the files of a project: which there are, and what each holds, within bounds.

Nothing is run and no link is followed. What is ignored by the project's Git is left out; where
there is no Git, hidden folders and those that programs fill are. Everything that is left out is
counted by why.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from memfs.policy.role_survey import (
    DOCUMENTS,
    LANGUAGES,
    MANIFESTS,
    MOST_BYTES,
    MOST_DEPTH,
    MOST_FILE_BYTES,
    MOST_FILES,
    MOST_SECONDS,
    SKIPPED_FOLDERS,
    is_tellable,
)
from memfs.services.project_bytes import TooLargeError, read_inner
from memfs.store.discovery import find_git_project
from memfs.store.project_listing import ProjectListing

_REPLACED: Final = "\ufffd"


@dataclass(slots=True, kw_only=True)
class Files:
    """What was read of a project.

    Attributes:
        contents: Bytes of each file that was looked at, by its name, in the order of the names.
        left_out: How many files were left out, by why.
        unread: Names of files that are there and were not looked at.
    """

    contents: dict[str, bytes] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    unread: set[str] = field(default_factory=set)

    def leave(self, name: str, why: str) -> None:
        """Leaves out a file that is there."""
        self.left_out[why] += 1
        self.unread.add(name)


def read_files(project: Path, hidden: Sequence[Path], seconds: Callable[[], float]) -> Files:
    """Reads the files of a project that a survey has a use for.

    Args:
        project: Its working tree.
        hidden: Folders in it that are never looked at: the store.
        seconds: A clock that only goes forward.

    Raises:
        NoProjectHistoryError: The project has a Git repository that Git cannot read.
    """
    found = Files()
    end = seconds() + MOST_SECONDS
    read, size = 0, 0
    for name in _names(project, hidden, found):
        why = _why_not(name)
        if not why and read >= MOST_FILES:
            why = "files"
        elif not why and size >= MOST_BYTES:
            why = "bytes"
        elif not why and seconds() >= end:
            why = "time"
        if why:
            found.leave(name, why)
            continue
        try:
            content = read_inner(project, name, limit_bytes=MOST_FILE_BYTES)
        except TooLargeError:
            found.leave(name, "large")
            continue
        if content is None:
            # Gone, a link, a folder that is a repository of its own, or not to be opened.
            found.left_out["no plain file"] += 1
            continue
        read += 1
        size += len(content)
        found.contents[name] = content
    return found


def deadlines(
    seconds: Callable[[], float], start: float
) -> tuple[Callable[[], bool], Callable[[], bool]]:
    """Returns whether no further file is to be parsed, and whether none is compared any further.

    Args:
        seconds: A clock that only goes forward.
        start: When the first file was read.
    """
    return (
        lambda: seconds() - start >= MOST_SECONDS,
        lambda: seconds() - start >= 2 * MOST_SECONDS,
    )


def _why_not(name: str) -> str:
    """Returns why a file is not looked at; empty where it is."""
    if _REPLACED in name or not is_tellable(name):
        return "name"
    return "deep" if name.count("/") > MOST_DEPTH else ""


def is_looked_at(name: str) -> bool:
    """Tells whether a survey has a use for a file of that name."""
    base = name.rpartition("/")[2].lower()
    suffix = PurePosixPath(base).suffix
    return suffix == ".py" or base in MANIFESTS or suffix in DOCUMENTS or suffix in LANGUAGES


def _names(project: Path, hidden: Sequence[Path], found: Files) -> Iterator[str]:
    if find_git_project(project.resolve()) is None:
        listed = tuple(sorted(_walked(project, hidden, found)))
    else:
        # Where Git cannot say what is ignored nothing is looked at: that would be guessing.
        listed = ProjectListing.of(project, hidden).files_below(project)
    return (name for name in listed if is_looked_at(name))


def _walked(project: Path, hidden: Sequence[Path], found: Files) -> Iterator[str]:
    """Yields the names of files where no Git lists them; through no link."""
    left = [""]
    kept = {place.resolve() for place in hidden}
    count = 0
    while left:
        folder = left.pop()
        try:
            entries = sorted(os.scandir(project / folder), key=lambda entry: entry.name)
        except OSError:
            found.left_out["unreadable folder"] += 1
            continue
        for entry in entries:
            count += 1
            if count > 20 * MOST_FILES:
                found.left_out["files"] += 1
                return
            name = f"{folder}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                is_own = not entry.name.startswith(".") and entry.name not in SKIPPED_FOLDERS
                is_other = Path(entry.path) in kept or os.path.lexists(f"{entry.path}/.git")
                if is_own and not is_other and folder.count("/") <= MOST_DEPTH:
                    left.append(f"{name}/")
            elif entry.is_file(follow_symlinks=False):
                yield os.fsencode(name).decode("utf-8", "replace")
