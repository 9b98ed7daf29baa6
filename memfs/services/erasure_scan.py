"""Looks for what was erased in every place that memfs manages, byte by byte (A61).

Nothing is believed: files are read, Git's objects are unpacked, names count like content. The
answer says for each place how much was looked at and how often something was found; it never
quotes what was looked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memfs.errors import GitError
from memfs.services.backups import FOLDER as BACKUPS
from memfs.services.ports import Workspace
from memfs.services.session_places import looked_through
from memfs.store.git import run_git
from memfs.store.object_scan import each_object
from memfs.store.scrubbing import working_files

HISTORY_PLACES: Final = ("objects", "messages", "refs", "reflogs")
"""Places that only a rewrite of the history clears."""
_GIT_FOLDERS: Final[Mapping[str, str]] = {
    "refs": "refs",
    "packed-refs": "refs",
    "logs": "reflogs",
    "memfs": "journal",
    "objects": "object files",
    "index": "index",
}
_PIECE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Place:
    """One managed place: what was looked at, and in how many items something was found."""

    name: str
    looked_at: int
    found: int


class Needles:
    """What is looked for, in all its forms."""

    def __init__(self, forms: Iterable[bytes]) -> None:
        longest_first = sorted(set(forms), key=len, reverse=True)
        self._longest = len(longest_first[0]) if longest_first else 0
        joined = b"|".join(re.escape(form) for form in longest_first)
        self._pattern = re.compile(joined) if joined else None

    def is_in(self, data: bytes) -> bool:
        """Whether any form stands in ``data``."""
        return self._pattern is not None and self._pattern.search(data) is not None

    def is_in_file(self, path: Path) -> bool:
        """Whether any form stands in a file of any size; follows no link, and never waits."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        try:
            descriptor = os.open(path, flags)
        except OSError:
            # A link's own text is its name's business; a file that is gone holds nothing.
            return path.is_symlink() and self.is_in(os.fsencode(path.readlink()))
        before = b""
        try:
            while piece := os.read(descriptor, _PIECE):
                window = before + piece
                if self.is_in(window):
                    return True
                before = window[-self._longest :]
        except OSError:
            return False
        finally:
            os.close(descriptor)
        return False


def scan(workspace: Workspace, needles: Needles) -> tuple[Place, ...]:
    """Returns every managed place with what was found in it, in a fixed order."""
    root, git_dir = workspace.store.root, workspace.store.git_dir
    tally = _Tally(needles)
    for path in working_files(root):
        top = path.partition("/")[0]
        place = top if top in ("inbox", "views") else "working tree"
        tally.look(place, root / path, path)
    for path in _files_of(git_dir):
        top = path.partition("/")[0]
        tally.look(_GIT_FOLDERS.get(top, "Git's own files"), git_dir / path, path)
    for name, folder in _private_places(workspace):
        for path in _files_of(folder):
            tally.look(name, folder / path, path)
    for name, is_found in looked_through(workspace, needles):
        tally.count(name, is_found)
    try:
        for item in each_object(git_dir):
            name = "objects" if item.kind in ("blob", "tree") else "messages"
            tally.count(name, needles.is_in(item.data))
    except GitError:
        # What cannot be read cannot be vouched for.
        tally.count("objects", True)
    names = run_git(git_dir, None, "for-each-ref", "--format=%(refname)").splitlines()
    for name_of_ref in names:
        tally.count("refs", needles.is_in(name_of_ref))
    return tally.places()


class _Tally:
    def __init__(self, needles: Needles) -> None:
        self._needles = needles
        order = (
            "working tree",
            "inbox",
            "views",
            "cache",
            "journal",
            "index",
            "reports",
            "user data",
        )
        self._counts = {name: [0, 0] for name in (*order, *HISTORY_PLACES)}

    def look(self, place: str, file: Path, name: str) -> None:
        """Looks at the name and the content of one file."""
        is_found = self._needles.is_in(os.fsencode(name)) or self._needles.is_in_file(file)
        self.count(place, is_found)

    def count(self, place: str, is_found: bool) -> None:
        """Counts one item."""
        counts = self._counts.setdefault(place, [0, 0])
        counts[0] += 1
        counts[1] += is_found

    def places(self) -> tuple[Place, ...]:
        """Returns what was counted."""
        return tuple(Place(name, *counts) for name, counts in self._counts.items())


def _private_places(workspace: Workspace) -> Iterator[tuple[str, Path]]:
    from platformdirs import user_state_path

    yield "cache", workspace.cache_dir
    yield "reports", user_state_path("memfs")
    if workspace.home_dir.is_absolute():
        # Other stores may lie in the same folder; they are not this one's to search.
        own = (f"{name}/{workspace.store_id}" for name in ("queue", "usage", BACKUPS))
        for name in ("guard", "keys", *own):
            yield "user data", workspace.home_dir / name


def _files_of(folder: Path) -> Iterator[str]:
    for place, _, names in os.walk(folder, followlinks=False):
        base = Path(place).relative_to(folder)
        yield from ((base / name).as_posix() for name in names)


def beyond_reach(workspace: Workspace, identifiers: Iterable[str]) -> dict[str, list[str]]:
    """Names where copies may be that nothing here can reach; no credential is ever named.

    Returns:
        ``remotes`` by name, ``borrowed_objects`` and ``packets``: how many answers of which
        the retrieval log says that they handed an erased record out.
    """
    git_dir = workspace.store.git_dir
    remotes = run_git(git_dir, None, "remote").decode("utf-8", "replace").split()
    handed_out = _packets(workspace.cache_dir, tuple(identifiers))
    alternates = git_dir / "objects" / "info" / "alternates"
    found: dict[str, list[str]] = {"remotes": sorted(remotes)}
    found["packets"] = [str(handed_out)] if handed_out else []
    found["borrowed_objects"] = ["alternates"] if alternates.exists() else []
    return found


def _packets(cache_dir: Path, identifiers: tuple[str, ...]) -> int:
    marks = [name.encode("ascii") for name in identifiers]
    count = 0
    for log in (cache_dir / "log").glob("recall*.jsonl*"):
        try:
            lines = log.read_bytes().splitlines()
        except OSError:
            continue
        count += sum(any(mark in line for mark in marks) for line in lines)
    return count
