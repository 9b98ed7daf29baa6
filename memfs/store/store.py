"""The store: the one object through which services read and write a ledger.

Reads are answered from the ledger's objects and never wait for a writer. The only way to
change the ledger is :meth:`Store.commit`. Untracked files (inbox, projections) are written by
their own methods, which refuse every tracked path. Opening finishes what an interrupted write
left behind; where the file system may not be written, reads work all the same.
"""

from __future__ import annotations

import dataclasses
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.model.ids import CommitId
from memfs.model.operation import Commit, Plan
from memfs.model.problem import Problem
from memfs.model.settings import StoreSettings
from memfs.store import files
from memfs.store.catfile import CatFile, ObjectMissingError
from memfs.store.context import WriteContext, make_context
from memfs.store.effects import REAL_EFFECTS, Effects, WriteFailedError
from memfs.store.layout import is_untracked
from memfs.store.message import normal_key
from memfs.store.opening import (
    check_repository,
    check_unchanged,
    check_untracked,
    finish_interrupted,
    recover_at_open,
)
from memfs.store.refs import read_branch
from memfs.store.snapshot import Snapshot, TreeChange
from memfs.store.tree import TreeCache

if TYPE_CHECKING:
    from memfs.store.histories import HistoryRewrite
    from memfs.store.history import BlameLine, FileVersion
    from memfs.store.maintenance import Maintenance
    from memfs.store.purge import Purged
    from memfs.store.recovery import Recovery
    from memfs.store.worktree import WorkingState


class Store:
    """One opened store; a context manager. May be shared by threads."""

    def __init__(self, context: WriteContext) -> None:
        self._context = context
        self._guard = threading.RLock()
        self._trees = TreeCache(context.objects.read_tree)
        self._root_fd = files.open_root(context.root)
        self.root = context.root
        self.git_dir = Path(context.git_dir)

    @classmethod
    def open(
        cls,
        root: Path,
        *,
        settings: StoreSettings | None = None,
        effects: Effects = REAL_EFFECTS,
    ) -> Store:
        """Opens the store at ``root`` and finishes what an interrupted write left behind.

        Costs about a millisecond and starts no process when there is nothing to do. Does not
        wait for a writer: one that is alive finishes its own work.

        Raises:
            NotAStoreError: There is no repository, or one in a form that memfs cannot write.
        """
        git_dir = root / ".git"
        check_repository(git_dir)
        chosen = StoreSettings() if settings is None else settings
        store = cls(make_context(root, git_dir, chosen, CatFile(git_dir), effects))
        try:
            recover_at_open(store._context)
        except BaseException:
            store.close()
            raise
        return store

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends child processes and closes descriptors; closing twice is harmless."""
        self._context.objects.close()
        descriptor, self._root_fd = self._root_fd, -1
        if descriptor >= 0:
            os.close(descriptor)

    def configure(self, settings: StoreSettings) -> None:
        """Uses ``settings`` from now on; they are known only after the store was opened."""
        with self._guard:
            self._context = dataclasses.replace(self._context, settings=settings)

    # -- heads ------------------------------------------------------------------------------

    def ledger_head(self) -> CommitId | None:
        """Returns the last commit that policy made; ``None`` in an empty store."""
        return _commit_id(self._context.read_ledger())

    def main_head(self) -> CommitId | None:
        """Returns the tip of the branch; ahead of the ledger when somebody else committed."""
        return _commit_id(self._context.read_main())

    def head_branch(self) -> str:
        """Returns the branch that HEAD points at, an empty string when it is detached."""
        return read_branch(self._context.git_dir)

    # -- writing ----------------------------------------------------------------------------

    def commit(self, plan: Plan) -> Commit:
        """Makes ``plan`` one commit, whole or not at all, and returns it once it is visible.

        A plan whose key is on the ledger already commits nothing and gives the earlier commit
        with ``is_replay``. Working files that a person has edited are left alone and listed in
        ``kept_working``.

        Raises:
            UndecidedChangeError: A change is not admitted.
            InvalidPlanError: The plan is empty or names a path twice.
            PathRefusedError: A path may not exist in a store.
            LedgerMovedError: The plan was decided on another ledger head.
            ForeignCommitsError: The branch is ahead and the plan does not settle that.
            PreconditionError: A touched path has another blob than expected.
            PathTakenError: A folder would have to stand where a file is, or the reverse.
            WrongBranchError: Another branch is checked out.
            LockTimeoutError: A lock was not free in time.
            WriteFailedError: The file system refused.
        """
        from memfs.store.transaction import commit_plan

        with self._guard:
            return commit_plan(self._context, plan)

    def committed(self, key: str) -> Commit | None:
        """Returns the operation that carries a key, as a replay; raises what writing raises."""
        try:
            with self._guard, self._context.writing():
                return self._context.keys.find(normal_key(key))
        except OSError as error:
            raise WriteFailedError(f"the keys could not be read: {error.strerror}") from error

    def purge(self, wish: HistoryRewrite) -> Purged:
        """Rewrites the whole history; see :func:`memfs.store.purge.purge`."""
        from memfs.store.purge import purge

        with self.exclusive():
            return purge(self._context, wish)

    def adopt_ledger(self, at: datetime) -> CommitId | None:
        """Takes a clone as a store; see :func:`memfs.store.adoption.adopt_ledger`."""
        from memfs.store.adoption import adopt_ledger

        with self._guard:
            return adopt_ledger(self._context, at)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Keeps every other writer out while several steps are taken, such as deciding and
        committing. Commits and restores made inside by this store reuse the lock.

        Raises:
            LockTimeoutError: The lock was not free in time.
        """
        with self._guard:
            if self._context.is_locked:
                yield
                return
            with self._context.write_lock():
                finish_interrupted(self._context)
                self._context = dataclasses.replace(self._context, is_locked=True)
                try:
                    yield
                finally:
                    self._context = dataclasses.replace(self._context, is_locked=False)

    def recover(self) -> Recovery:
        """Waits for the write lock and brings refs, files and index in step.

        Raises what :meth:`commit` raises for locks and for the file system.
        """
        from memfs.store.recovery import recover

        context = self._context
        try:
            with self._guard, context.writing():
                return recover(context, deadline=time.monotonic() + context.settings.lock_timeout_s)
        except OSError as error:
            raise WriteFailedError(f"recovery could not write: {error.strerror}") from error

    def restore_working(self, path: str) -> None:
        """Puts the branch tip's version of ``path`` back into the working tree.

        What stands there now is replaced, or removed when the branch has nothing.

        Raises:
            PathRefusedError: The path may not exist in a store.
            FileRefusedError: A folder or a link is in the way.
            WrongBranchError: Another branch is checked out.
            LockTimeoutError: A lock was not free in time.
            WriteFailedError: The file system refused.
        """
        from memfs.store.restore import restore_file

        try:
            with self._guard:
                restore_file(self._context, path)
        except OSError as error:
            raise WriteFailedError(
                f"the file could not be restored: {error.strerror}", path=path
            ) from error

    def replace_working(self, path: str, content: bytes, *, expected: str) -> None:
        """Writes a person's new text into a working file that still is what they edited.

        Nothing is committed: the file is then a hand edit like any other.

        Raises:
            WorkingFileChangedError: The file is not what ``expected`` says any more.
            FileRefusedError: It is no regular file with a single link.
            WriteFailedError: The file system refused.
        """
        check_unchanged(self._root_fd, path, expected)
        self._write(path, content)

    def mend(self) -> None:
        """Finishes interrupted writes and restores configuration, hooks and access rights.

        Touches no record; raises what :meth:`recover` raises.
        """
        from memfs.store.scaffold import mend_repository

        try:
            mend_repository(self.root)
        except OSError as error:
            raise WriteFailedError(f"the store could not be mended: {error.strerror}") from error
        self.recover()

    def maintain(self, *, is_forced: bool = False) -> Maintenance:
        """Packs objects and refreshes the commit graph when that is due; never part of a write."""
        from memfs.store import maintenance

        return maintenance.maintain(self.git_dir, is_forced=is_forced)

    def health(self) -> tuple[Problem, ...]:
        """Returns what is wrong with the repository: locks, marker, configuration, objects."""
        from memfs.store.health import find_problems

        return find_problems(self._context)

    # -- reading the ledger -----------------------------------------------------------------

    def snapshot(self, commit: CommitId | None = None) -> Snapshot:
        """Returns the store as of ``commit``, the ledger head when none is given."""
        chosen = commit if commit is not None else CommitId(self._context.read_ledger())
        return Snapshot(self._context.objects, chosen, trees=self._trees)

    def snapshot_or_none(self, commit: str) -> Snapshot | None:
        """Returns the store as of ``commit``, ``None`` when that commit is not there (any more)."""
        try:
            self._context.read_tree_of(commit)
        except ObjectMissingError:
            return None
        return self.snapshot(CommitId(commit)) if commit else None

    def read_blob(self, blob: str) -> bytes:
        """Returns the content of a blob.

        Raises ``ObjectMissingError`` where there is none of that id.
        """
        return self._context.objects.read_blob(blob)

    def history(self, path: str, *, limit: int = 0) -> tuple[Commit, ...]:
        """Returns the commits that changed ``path``, newest first; ``limit`` 0 means all."""
        return tuple(item.commit for item in self.file_versions(path, limit=limit))

    def file_versions(self, path: str, *, limit: int = 0) -> tuple[FileVersion, ...]:
        """Returns the commits that changed ``path`` with the name that it had in each."""
        from memfs.store import history

        head, objects = self.ledger_head(), self._context.objects
        if head is None:
            return ()
        return history.file_versions(self.git_dir, objects, head, path, limit=limit)

    def commits(
        self, *, limit: int = 0, since: datetime | None = None, until: datetime | None = None
    ) -> tuple[Commit, ...]:
        """Returns the ledger's commits, newest first."""
        from memfs.store import history

        head, objects = self.ledger_head(), self._context.objects
        if head is None:
            return ()
        return history.commits(self.git_dir, objects, head, limit=limit, since=since, until=until)

    def commit_info(self, commit: CommitId) -> Commit:
        """Returns one commit."""
        from memfs.store import history

        return history.commit_info(self._context.objects, commit)

    def blame(self, path: str) -> tuple[BlameLine, ...]:
        """Returns the lines of ``path`` at the ledger head with the commits that wrote them."""
        from memfs.store import history

        head, objects = self.ledger_head(), self._context.objects
        return history.blame(self.git_dir, objects, head, path) if head is not None else ()

    def commit_at(self, instant: datetime) -> CommitId | None:
        """Returns the ledger head as it was at ``instant``."""
        from memfs.store import history

        head, objects = self.ledger_head(), self._context.objects
        return history.commit_at(self.git_dir, objects, head, instant) if head is not None else None

    # -- the working tree -------------------------------------------------------------------

    def working_changes(self) -> WorkingState:
        """Returns how the working tree differs from the branch tip, by content."""
        from memfs.store import worktree

        tip = self.snapshot(self.main_head() or CommitId(""))
        return worktree.working_state(self.git_dir, self.root, self._root_fd, tip)

    def staged_changes(self, index_file: Path | None = None) -> tuple[tuple[str, str], ...]:
        """Returns path and blob id of what the next ``git commit`` would add or change."""
        from memfs.store import worktree

        return tuple(worktree.staged_changes(self.git_dir, index_file))

    def foreign_changes(self) -> tuple[TreeChange, ...]:
        """Returns what the branch tip has differently from the ledger head, held or not."""
        main, ledger = self.main_head(), self.ledger_head()
        if main == ledger:
            return ()
        tip = self.snapshot(main or CommitId(""))
        return tuple(tip.raw_changes_since(self.snapshot(ledger or CommitId(""))))

    def read_working(self, path: str) -> bytes | None:
        """Returns the bytes of a working file, ``None`` when there is none.

        Raises:
            FileRefusedError: It is no regular file with a single link.
        """
        return files.read_file(self._root_fd, path)

    def working_digest(self, path: str) -> str | None:
        """Returns the blob id that a working file would have, ``None`` when there is none.

        Raises:
            FileRefusedError: It is no regular file with a single link.
        """
        return files.digest_file(self._root_fd, path)

    def write_untracked(self, path: str, content: bytes) -> None:
        """Writes a file of the inbox or a projection, whole.

        Raises ``TrackedPathError`` for a path of the ledger, and ``WriteFailedError``.
        """
        check_untracked(path)
        self._write(path, content)

    def remove_untracked(self, path: str) -> None:
        """Removes a file of the inbox or a projection; one that is gone is fine.

        Raises ``TrackedPathError`` for a path of the ledger.
        """
        check_untracked(path)
        files.remove_file(self._root_fd, path)

    def list_untracked(self, folder: str) -> tuple[str, ...]:
        """Returns the regular files below an untracked folder, sorted by path."""
        found = files.list_files(self._root_fd, folder)
        regular = (path for path, kind in found if kind is files.FileKind.REGULAR)
        return tuple(filter(is_untracked, regular))

    def _write(self, path: str, content: bytes) -> None:
        try:
            files.atomic_write(self._root_fd, path, content)
        except OSError as error:
            raise WriteFailedError(
                f"the file could not be written: {error.strerror}", path=path
            ) from error


def _commit_id(text: str) -> CommitId | None:
    return CommitId(text) if text else None
