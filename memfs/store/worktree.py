"""Compares the working tree with a snapshot: what a person changed and has not handed in.

Git says which paths are worth a look; the digest of the file's own bytes decides (never a
time). Ignored files do not appear. Nothing is written, not even Git's index is refreshed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from memfs.errors import DataError
from memfs.store.files import FileKind, FileRefusedError, digest_file, file_state
from memfs.store.git import run_git
from memfs.store.layout import is_untracked
from memfs.store.paths import check_path
from memfs.store.snapshot import Snapshot

_STATUS: Final = (
    "status",
    "--porcelain=v1",
    "-z",
    "--untracked-files=all",
    "--ignored=no",
    "--no-renames",
    "--ignore-submodules=none",
)
_STATUS_SETTINGS: Final = {
    "core.trustctime": "true",
    "core.checkStat": "default",
    "core.preloadIndex": "true",
    "status.showUntrackedFiles": "all",
}


class WorkingKind(StrEnum):
    """How a working file differs from the branch."""

    MODIFIED = "modified"
    ADDED = "added"
    DELETED = "deleted"
    RENAMED = "renamed"
    IRREGULAR = "irregular"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingChange:
    """One path whose working file differs.

    Attributes:
        path: Store-relative path; for a rename the new one.
        digest: Git blob id of the working file; ``None`` when there is none to read.
        base: Blob id on the branch; ``None`` when the path is not there.
        state: How they differ.
        renamed_from: For a rename, the path that the same content had.
        reason: For something irregular, why it is not read.
    """

    path: str
    digest: str | None
    base: str | None
    state: WorkingKind
    renamed_from: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingState:
    """All differences, sorted by path."""

    changes: tuple[WorkingChange, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether the working tree says what the branch says."""
        return not self.changes


def working_state(git_dir: Path, root: Path, root_fd: int, tip: Snapshot) -> WorkingState:
    """Returns how the working tree differs from ``tip``, the branch that is checked out.

    Args:
        git_dir: The store's Git directory.
        root: The store's root.
        root_fd: Descriptor of the root.
        tip: Snapshot of the commit that the working tree should show.
    """
    changes = []
    for path in suspect_paths(git_dir, root):
        change = _compare(root_fd, path, tip)
        if change is not None:
            changes.append(change)
    paired = _pair_renames(changes)
    return WorkingState(changes=tuple(sorted(paired, key=lambda change: change.path)))


def suspect_paths(git_dir: Path, root: Path) -> Iterator[str]:
    """Yields each path that may differ from the checked-out commit, or from the index, once.

    Names that are no UTF-8 come with surrogate escapes.

    Raises:
        GitFailedError: The index cannot be read.
    """
    output = run_git(git_dir, root, *_STATUS, settings=_STATUS_SETTINGS)
    for line in output.split(b"\0"):
        path = line[3:].decode("utf-8", "surrogateescape")
        if path and not is_untracked(path):
            yield path.rstrip("/")


def staged_changes(git_dir: Path, index_file: Path | None = None) -> Iterator[tuple[str, str]]:
    """Yields path and blob id of what the next ``git commit`` would add or change.

    Args:
        git_dir: The store's Git directory.
        index_file: The index of the commit under way, as a hook is told; the usual one otherwise.

    Raises:
        GitFailedError: The index cannot be read.
    """
    listing = ("diff-index", "--cached", "-z", "--no-renames", "--diff-filter=AMT", "--raw")
    tip = _head_or_empty(git_dir)
    output = run_git(git_dir, None, *listing, "--no-abbrev", tip, index_file=index_file)
    fields = output.split(b"\0")
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        yield path.decode("utf-8", "surrogateescape"), head.split(b" ")[3].decode("ascii")


def _head_or_empty(git_dir: Path) -> str:
    output = run_git(git_dir, None, "rev-parse", "--verify", "--quiet", "HEAD^{tree}")
    return output.decode("ascii").strip()


def _compare(root_fd: int, path: str, tip: Snapshot) -> WorkingChange | None:
    try:
        check_path(path)
        base = _exact_blob(tip, path)
        digest = digest_file(root_fd, path)
    except FileRefusedError as error:
        base = _exact_blob(tip, path)
        kind = file_state(root_fd, path).kind
        if kind in (FileKind.FOLDER, FileKind.ABSENT) and base is not None:
            # A folder, or a link further up, stands where the file was: the file is gone.
            return _change(path, None, base, WorkingKind.DELETED)
        return _irregular(path, base, kind.value if kind is not FileKind.ABSENT else error.code)
    except DataError as error:
        return _irregular(path, None, error.code)
    if digest == base:
        return None
    if digest is None:
        return _change(path, None, base, WorkingKind.DELETED)
    state = WorkingKind.ADDED if base is None else WorkingKind.MODIFIED
    return _change(path, digest, base, state)


def _exact_blob(tip: Snapshot, path: str) -> str | None:
    entry = tip.raw_entry(path)
    return entry.blob if entry is not None and entry.path == path else None


def _change(path: str, digest: str | None, base: str | None, state: WorkingKind) -> WorkingChange:
    return WorkingChange(path=path, digest=digest, base=base, state=state)


def _irregular(path: str, base: str | None, reason: str) -> WorkingChange:
    shown = path.encode("utf-8", "backslashreplace").decode("utf-8")
    return WorkingChange(
        path=shown, digest=None, base=base, state=WorkingKind.IRREGULAR, reason=reason
    )


def _pair_renames(changes: list[WorkingChange]) -> list[WorkingChange]:
    """Joins a deleted and an added path of the same content, where the pair is unmistakable."""
    gone: dict[str, list[WorkingChange]] = {}
    come: dict[str, list[WorkingChange]] = {}
    for change in changes:
        if change.state is WorkingKind.DELETED and change.base is not None:
            gone.setdefault(change.base, []).append(change)
        elif change.state is WorkingKind.ADDED and change.digest is not None:
            come.setdefault(change.digest, []).append(change)
    dropped: set[str] = set()
    renamed: dict[str, WorkingChange] = {}
    for blob, old in gone.items():
        new = come.get(blob, [])
        if len(old) == len(new) == 1:
            dropped.add(old[0].path)
            renamed[new[0].path] = WorkingChange(
                path=new[0].path,
                digest=blob,
                base=blob,
                state=WorkingKind.RENAMED,
                renamed_from=old[0].path,
            )
    kept = (change for change in changes if change.path not in dropped)
    return [renamed.get(change.path, change) for change in kept]
