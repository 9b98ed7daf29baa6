"""Commits of the project in the order in which they were made, for those who go through all.

Read like every question to the project's repository: bounded, and with nothing run. A walk goes
on from marks: commits that, with everything before them, were seen. A mark that a rewritten
history has no more of is passed over.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memfs.errors import MemfsError
from memfs.store.project_history import ProjectHistory

_OID: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_IDS_BYTES: Final = 16 * 1024 * 1024
_TOLD_BYTES: Final = 16 * 1024 * 1024
_PATHS_BYTES: Final = 64 * 1024 * 1024
_BODY_CHARS: Final = 4_000
_FIELDS: Final = 6
_MARK: Final = "\x01"
_CHANGED_FILES: Final = 2_000


@dataclass(frozen=True, slots=True)
class WalkedCommit:
    """A commit on a walk: its name, and those that it follows."""

    id: str
    parents: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldCommit:
    """What a commit says, without a name or an address of anybody.

    Attributes:
        id: Its full name.
        parents: Those that it follows.
        written: When its author wrote it, in seconds since the epoch.
        committed: When it was made.
        subject: Its first line.
        body: The rest.
        files: Status letter, path, and the path before a rename, of each changed file; of a
            merge against its first parent.
    """

    id: str
    parents: tuple[str, ...]
    written: int
    committed: int
    subject: str
    body: str
    files: tuple[tuple[str, str, str], ...] = ()


class ProjectWalk(ProjectHistory):
    """The Git repository of a project, commit by commit."""

    def since(
        self, marks: Sequence[str], *, least_s: int = 0, newest: int = 0
    ) -> tuple[WalkedCommit, ...]:
        """Returns what is checked out and not reached from ``marks``, the oldest first.

        Args:
            marks: Commits that were seen with all that comes before them.
            least_s: Only commits that were made then or later, in seconds since the epoch.
            newest: Only so many of the newest; 0 for all.

        Raises:
            NoProjectHistoryError: Git cannot read the repository.
        """
        if not self._has_commits():
            return ()
        options = [f"--max-age={least_s}"] if least_s > 0 else []
        options += [f"--max-count={newest}"] if newest > 0 else []
        seen = [f"^{mark}" for mark in marks if _OID.match(mark)]
        words = ("rev-list", "--ignore-missing", "--topo-order", "--reverse", "--parents")
        output, is_cut = self._ask(*words, *options, "HEAD", *seen, "--", limit_bytes=_IDS_BYTES)
        lines = output.split("\n")
        found = [line.split() for line in (lines[:-1] if is_cut else lines) if line]
        return tuple(WalkedCommit(ids[0], tuple(ids[1:])) for ids in found)

    def told(self, ids: Sequence[str]) -> tuple[ToldCommit, ...]:
        """Returns what commits say and changed, in the order given; none that is gone.

        Raises:
            NoProjectHistoryError: Git cannot read the repository.
        """
        wanted = [name for name in ids if _OID.match(name)]
        if not wanted:
            return ()
        chosen = ("--ignore-missing", "--no-walk=unsorted", "-z", *wanted, "--")
        words = ("log", "--encoding=UTF-8", "--format=%H%n%P%n%at%n%ct%n%s%n%b")
        said, is_cut = self._ask(*words, *chosen, limit_bytes=_TOLD_BYTES)
        if is_cut and len(wanted) > 1:
            # One that says very much takes the room of the others: each for itself, then.
            return tuple(commit for name in wanted for commit in self.told([name]))
        listing = ("--root", "--diff-merges=first-parent", "--name-status", "-M")
        listed, _ = self._ask("log", "--format=%x01%H", *listing, *chosen, limit_bytes=_TOLD_BYTES)
        files = dict(_listed(listed))
        for name in self._cut():
            # What stands before it is not here: everything would look as if it were new in it.
            files.pop(name, None)
        return tuple(
            commit for text in said.split("\0") if (commit := self._told(text, files)) is not None
        )

    def busy_paths(self, least: int) -> frozenset[str]:
        """Returns the paths that at least so many commits touch; merges do not count.

        Raises:
            NoProjectHistoryError: Git cannot read the repository.
        """
        if not self._has_commits():
            return frozenset()
        output, is_cut = self._ask(
            "log", "-z", "--format=", "--name-only", "--no-merges", "--no-renames", "HEAD", "--",
            limit_bytes=_PATHS_BYTES,
        )  # fmt: skip
        paths = output.split("\0")
        counts = Counter(paths[:-1] if is_cut else paths)
        return frozenset(path for path, count in counts.items() if path and count >= least)

    def written_at(self, name: str) -> tuple[int, str] | None:
        """Returns when a commit was written and its first line; ``None`` where it is not there."""
        try:
            commit = self._resolved(name)
            words = ("log", "--encoding=UTF-8", "--max-count=1", "--format=%at%n%s")
            said, _ = self._ask(*words, commit, "--")
        except MemfsError:
            return None
        seconds, _, subject = said.rstrip("\n").partition("\n")
        return (_number(seconds), subject) if subject else None

    def _cut(self) -> tuple[str, ...]:
        """Returns the commits at which a shallow clone was cut off."""
        try:
            text = (self._project.common_dir / "shallow").read_text(encoding="ascii")
        except (OSError, ValueError):
            return ()
        return tuple(text.split())

    def _told(self, text: str, files: dict[str, list[tuple[str, str, str]]]) -> ToldCommit | None:
        parts = text.lstrip("\n").split("\n", _FIELDS - 1)
        if len(parts) < _FIELDS - 1 or not _OID.match(parts[0]):
            return None
        changed = [item for item in files.get(parts[0], ()) if item[1] not in self._hidden]
        return ToldCommit(
            id=parts[0],
            parents=tuple(parts[1].split()),
            written=_number(parts[2]),
            committed=_number(parts[3]),
            subject=parts[4],
            body="\n".join(parts[5:]).strip("\n")[:_BODY_CHARS],
            files=tuple(changed[:_CHANGED_FILES]),
        )


def _number(text: str) -> int:
    return int(text) if text.lstrip("-").isdigit() else 0


def _listed(output: str) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Yields each commit with its files; what a status stands for is read by its place alone."""
    fields = iter(output.split("\0"))
    commit, files = "", list[tuple[str, str, str]]()
    for item in fields:
        word = item.lstrip("\n")
        if word.startswith(_MARK):
            if commit:
                yield commit, files
            commit, files = word[1:], []
        elif word:
            path = next(fields, "")
            if word[0] in "RC":
                files.append((word[0], next(fields, path), path))
            else:
                files.append((word[0], path, ""))
    if commit:
        yield commit, files
