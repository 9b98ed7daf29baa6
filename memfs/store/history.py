"""History of the ledger: commits, the history of one file, blame, and what was at a time.

Git lists commit ids; the commits themselves are read and parsed here. A commit counts as an
*operation* when it carries the marks of one and, where the ledger's own log goes back to its
beginning, that log has it: a commit made by hand can copy the marks but not the log. Nothing
is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.ids import CommitId
from memfs.model.operation import Commit
from memfs.store.catfile import CatFile
from memfs.store.git import GitFailedError, run_git
from memfs.store.message import parse_commit
from memfs.store.paths import check_path
from memfs.store.refs import LEDGER_REF
from memfs.store.repository import blamed_commits
from memfs.store.snapshot import Snapshot

_MAX_RENAMES: Final = 20


@frozen
class BlameLine:
    """One line of a file with the commit that wrote it; ``number`` is 1-based."""

    number: int
    text: str
    commit: Commit


@frozen(kw_only=False)
class FileVersion:
    """One commit that changed a file, and the name that the file had in it."""

    commit: Commit
    path: str


class LedgerLog:
    """The commits that the ledger has stood at, as far as its log goes back."""

    def __init__(self, git_dir: Path) -> None:
        try:
            self._log = (git_dir / "logs" / LEDGER_REF).read_bytes()
        except OSError:
            self._log = b""
        # A clone, or a store whose history was rewritten, has only the later part.
        self._is_complete = self._log.startswith(b"0" * 40)

    def has(self, commit: str) -> bool:
        """Whether the log has it that memfs moved the ledger to ``commit``."""
        return b" %s memfs <" % commit.encode("ascii") in self._log

    def confirm(self, commit: Commit) -> Commit:
        """Returns the commit, without its claim to be an operation when the log refutes it."""
        if not commit.is_operation or not self._is_complete:
            return commit
        if self.has(commit.id):
            return commit
        return replace(commit, is_operation=False)


def commits(
    git_dir: Path,
    objects: CatFile,
    head: CommitId,
    *,
    limit: int = 0,
    since: datetime | None = None,
    until: datetime | None = None,
) -> tuple[Commit, ...]:
    """Returns the commits that ``head`` contains, newest first.

    Args:
        git_dir: The store's Git directory.
        objects: Reader of its objects.
        head: A ledger head, or any commit.
        limit: At most this many; 0 for all.
        since: Committed at or after this instant.
        until: … and before it.
    """
    options = _period(since, until)
    if limit:
        options.append(f"--max-count={limit}")
    output = run_git(git_dir, None, "rev-list", *options, head, "--")
    return tuple(_read(objects, output.decode("ascii").split()))


def history(
    git_dir: Path, objects: CatFile, head: CommitId, path: str, *, limit: int = 0
) -> tuple[Commit, ...]:
    """Returns the commits of :func:`file_versions` alone."""
    return tuple(item.commit for item in file_versions(git_dir, objects, head, path, limit=limit))


def file_versions(
    git_dir: Path, objects: CatFile, head: CommitId, path: str, *, limit: int = 0
) -> tuple[FileVersion, ...]:
    """Returns the commits that changed a file, newest first, also under its earlier names.

    Raises:
        PathRefusedError: No file can have this path.
    """
    check_path(path)
    versions: list[FileVersion] = []
    current, start = path, str(head)
    for _ in range(_MAX_RENAMES):
        options = [f"--max-count={limit - len(versions)}"] if limit else []
        # Behind a merge that settled a reset, the plain list leaves out one side's commits.
        listing = ("rev-list", "--full-history", *options, start, "--", current)
        output = run_git(git_dir, None, *listing)
        ids = output.decode("ascii").split()
        versions += (FileVersion(commit, current) for commit in _read(objects, ids))
        if not ids or (limit and len(versions) >= limit):
            break
        origin = _renamed_from(git_dir, versions[-1].commit, current)
        if origin is None:
            break
        current, start = origin, versions[-1].commit.parents[0]
    return tuple(versions)


def blame(git_dir: Path, objects: CatFile, head: CommitId, path: str) -> tuple[BlameLine, ...]:
    """Returns the lines of a file in ``head`` with the commits that wrote them.

    Raises:
        PathRefusedError: No file can have this path.
        GitFailedError: The file is not in ``head``.
    """
    check_path(path)
    writers = blamed_commits(git_dir, head, path)
    log = LedgerLog(git_dir)
    known = {oid: log.confirm(_parse(objects, oid)) for oid in dict.fromkeys(writers.values())}
    entry = Snapshot(objects, head).raw_entry(path)
    text = objects.read_blob(entry.blob) if entry is not None else b""
    lines = text.removesuffix(b"\n").split(b"\n")
    return tuple(
        BlameLine(
            number=number, text=line.decode("utf-8", "replace"), commit=known[writers[number]]
        )
        for number, line in enumerate(lines, start=1)
        if number in writers
    )


def commit_info(objects: CatFile, commit: CommitId) -> Commit:
    """Returns one commit.

    Raises:
        ObjectMissingError: There is none of that id.
        ObjectCorruptError: The object is no commit.
    """
    return LedgerLog(objects.git_dir).confirm(_parse(objects, commit))


def commit_at(
    git_dir: Path, objects: CatFile, ledger: CommitId, instant: datetime
) -> CommitId | None:
    """Returns the last operation of the ledger that was made at or before ``instant``.

    Commits of other origin that the ledger contains are skipped: at their time the ledger
    stood on the operation before them.
    """
    latest = int(instant.astimezone(UTC).timestamp())
    # As a rule the first one is an operation; all of them are listed only if it is not.
    for bound in ("--max-count=8", "--max-count=-1"):
        arguments = ("rev-list", "--first-parent", bound, f"--min-age={latest}", ledger, "--")
        output = run_git(git_dir, None, *arguments)
        for commit in _read(objects, output.decode("ascii").split()):
            if commit.is_operation:
                return CommitId(commit.id)
    return None


def is_ancestor(git_dir: Path, commit: CommitId, head: CommitId) -> bool:
    """Whether ``head`` contains ``commit``.

    Raises:
        GitFailedError: One of them does not exist.
    """
    try:
        run_git(git_dir, None, "merge-base", "--is-ancestor", commit, head)
    except GitFailedError as error:
        if error.status == 1:
            return False
        raise
    return True


def _period(since: datetime | None, until: datetime | None) -> list[str]:
    options = []
    if since is not None:
        options.append(f"--max-age={int(since.astimezone(UTC).timestamp())}")
    if until is not None:
        options.append(f"--min-age={int(until.astimezone(UTC).timestamp()) - 1}")
    return options


def _read(objects: CatFile, ids: Sequence[str]) -> Iterator[Commit]:
    log = LedgerLog(objects.git_dir)
    for oid in ids:
        yield log.confirm(_parse(objects, oid))


def _parse(objects: CatFile, oid: str) -> Commit:
    return parse_commit(oid, objects.read_kind(oid, "commit"))


def _renamed_from(git_dir: Path, commit: Commit, path: str) -> str | None:
    """Returns the name that ``path`` had before ``commit``, when that commit renamed it."""
    if not commit.parents:
        return None
    arguments = ("diff-tree", "-r", "-z", "-M", "--diff-filter=R", "--name-status")
    output = run_git(git_dir, None, *arguments, commit.parents[0], commit.id, "--")
    fields = output.split(b"\0")
    for status, old, new in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        if status.startswith(b"R") and new.decode("utf-8", "surrogateescape") == path:
            return old.decode("utf-8", "surrogateescape")
    return None
