"""Compares the working tree with a snapshot: what a person changed and has not handed in.

The digest of a file's own bytes decides; a file is read again whenever its stamp is not the one
that it had when it was read last (:mod:`memfs.store.stamps`). Git's index plays no part, so
neither its form nor what is staged matters. Ignored files do not appear, nor do hidden ones
that the branch does not have. Nothing is written but the table of stamps.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

from memfs.errors import DataError
from memfs.model.frozen import frozen
from memfs.store.catfile import ObjectMissingError
from memfs.store.files import FileKind, file_kind
from memfs.store.git import GitFailedError, run_git
from memfs.store.layout import PROJECTIONS, UNTRACKED_FOLDERS
from memfs.store.paths import PathRefusedError, check_path
from memfs.store.snapshot import Snapshot
from memfs.store.stamps import (
    Scan,
    StampTable,
    digest_files,
    is_settled_at,
    load_table,
    pack_stamps,
    save_table,
    scan_files,
)

_SKIPPED: Final = frozenset({".git", *UNTRACKED_FOLDERS, *PROJECTIONS})
_UNREADABLE: Final = "unreadable"
_IRREGULAR: Final = "irregular"
"""Stands for the content of something that is no regular file with a single name."""


class WorkingKind(StrEnum):
    """How a working file differs from the branch."""

    MODIFIED = "modified"
    ADDED = "added"
    DELETED = "deleted"
    RENAMED = "renamed"
    IRREGULAR = "irregular"


@frozen
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


@frozen
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
    started_ns = time.time_ns()
    scan = scan_files(root_fd, _SKIPPED)
    stamps = pack_stamps(scan)
    table = load_table(git_dir)
    if table.tree == tip.tree and table.says(scan.paths, stamps):
        suspects: Iterable[str] = table.suspects
        contents = table.contents_of(table.suspects)
        changes = list(_compare_all(root_fd, suspects, contents, scan.closed, tip))
    else:
        contents, fresh = _contents(root_fd, scan, table)
        suspects = _suspects(tip, table, contents, fresh)
        changes = list(_compare_all(root_fd, suspects, contents, scan.closed, tip))
        _save(git_dir, tip, scan, stamps, contents, changes, started_ns)
    shown = _pair_renames(_without_ignored(git_dir, root, changes))
    return WorkingState(changes=tuple(sorted(shown, key=lambda change: change.path)))


def staged_changes(git_dir: Path, index_file: Path | None = None) -> Iterator[tuple[str, str]]:
    """Yields path and blob id of the regular files that the next ``git commit`` adds or changes.

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
        _, mode, _, blob, _ = head.split(b" ")
        if mode.startswith(b"100"):
            yield path.decode("utf-8", "surrogateescape"), blob.decode("ascii")


def _head_or_empty(git_dir: Path) -> str:
    output = run_git(git_dir, None, "rev-parse", "--verify", "--quiet", "HEAD^{tree}")
    return output.decode("ascii").strip()


def _contents(root_fd: int, scan: Scan, table: StampTable) -> tuple[dict[str, str], frozenset[str]]:
    """Returns blob id, or :data:`_IRREGULAR`, by path, and the paths that are not as they were."""
    known = table.known()
    contents: dict[str, str] = {}
    unread: list[str] = []
    fresh = set(table.paths) - set(scan.paths)
    for at, path in enumerate(scan.paths):
        before = known.get(path)
        if before is not None and before[0] == scan.stamp(at):
            contents[path] = before[1]
            continue
        fresh.add(path)
        contents[path] = _IRREGULAR
        if scan.is_regular(at):
            unread.append(path)
    for path, digest in digest_files(root_fd, unread):
        contents[path] = digest if digest is not None else _vanished(root_fd, path)
    return contents, frozenset(fresh)


def _vanished(root_fd: int, path: str) -> str:
    """Tells a file that was removed meanwhile from one that is refused."""
    try:
        is_absent = file_kind(root_fd, path) is FileKind.ABSENT
    except DataError:
        return _IRREGULAR
    return "" if is_absent else _IRREGULAR


def _suspects(
    tip: Snapshot, table: StampTable, contents: Mapping[str, str], fresh: frozenset[str]
) -> Iterable[str]:
    """Returns every path that can differ from ``tip``; all paths when no comparison is known."""
    if table.tree:
        try:
            moved = [change.path for change in tip.raw_changes_since_tree(table.tree)]
        except ObjectMissingError:
            moved = None
        if moved is not None:
            return {*table.suspects, *fresh, *moved}
    return {*contents, *(entry.path for entry in tip.raw_entries())}


def _compare_all(
    root_fd: int,
    paths: Iterable[str],
    contents: Mapping[str, str],
    closed: Sequence[str],
    tip: Snapshot,
) -> Iterator[WorkingChange]:
    for path in paths:
        change = _compare(root_fd, path, contents, tip)
        if change is None:
            continue
        if change.state is WorkingKind.DELETED and path.startswith(tuple(closed)):
            # It could not be looked at, which is not the same as being gone.
            change = _irregular(path, change.base, _UNREADABLE)
        yield change


def _compare(
    root_fd: int, path: str, contents: Mapping[str, str], tip: Snapshot
) -> WorkingChange | None:
    try:
        check_path(path)
    except PathRefusedError as error:
        return _irregular(path, None, error.code) if path in contents else None
    base = _exact_blob(tip, path)
    digest = contents.get(path, "")
    if digest == _IRREGULAR:
        kind = file_kind(root_fd, path)
        return _irregular(path, base, _UNREADABLE if kind is FileKind.REGULAR else kind.value)
    if not digest:
        return _change(path, None, base, WorkingKind.DELETED) if base is not None else None
    if digest == base:
        return None
    state = WorkingKind.ADDED if base is None else WorkingKind.MODIFIED
    return _change(path, digest, base, state)


def _save(
    git_dir: Path,
    tip: Snapshot,
    scan: Scan,
    stamps: bytes,
    contents: Mapping[str, str],
    changes: Iterable[WorkingChange],
    started_ns: int,
) -> None:
    blobs = bytearray()
    for at, path in enumerate(scan.paths):
        digest = contents[path]
        is_known = len(digest) == 40 and is_settled_at(scan.stamp(at), started_ns)
        blobs += bytes.fromhex(digest) if is_known else bytes(20)
    table = StampTable(
        tree=tip.tree,
        paths=scan.paths,
        stamps=stamps,
        blobs=bytes(blobs),
        suspects=tuple(sorted(change.path for change in changes)),
    )
    save_table(git_dir, table)


def _without_ignored(
    git_dir: Path, root: Path, changes: list[WorkingChange]
) -> list[WorkingChange]:
    """Leaves out what the branch does not have and that is hidden or ignored by Git."""
    new = [change.path for change in changes if change.base is None]
    hidden = {path for path in new if path.startswith(".") or "/." in path}
    asked = [path for path in new if path not in hidden]
    ignored = hidden | set(_ignored(git_dir, root, asked)) if asked else hidden
    return [change for change in changes if change.base is not None or change.path not in ignored]


def _ignored(git_dir: Path, root: Path, paths: list[str]) -> Iterator[str]:
    # This command refuses literal pathspecs; a leading "./" takes their meaning from all others.
    command = ("--no-literal-pathspecs", "check-ignore", "-z", "--stdin")
    question = b"".join(b"./%s\0" % path.encode("utf-8", "surrogateescape") for path in paths)
    try:
        answer = run_git(git_dir, root, *command, input=question)
    except GitFailedError as error:
        # 1 says that none is; 128 that Git refuses one of the paths, as below a link.
        if error.status in (1, 128):
            return
        raise
    for name in answer.split(b"\0"):
        yield name.removeprefix(b"./").decode("utf-8", "surrogateescape")


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
