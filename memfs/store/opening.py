"""What opening a store checks and puts right, and which paths may be written past the door."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from memfs.errors import ConflictError, DataError, GitError, StoreError
from memfs.model.ids import CommitId
from memfs.store.context import WriteContext
from memfs.store.files import digest_file
from memfs.store.layout import SETTINGS_PATH, is_untracked
from memfs.store.lock import LockTimeoutError, LockUnavailableError
from memfs.store.settled import is_settled

_UNKNOWN_FORMS: Final = ("refstorage", "objectformat", "partialclone", "worktreeconfig")


class NotAStoreError(StoreError):
    """The folder holds no repository that memfs can write to."""

    code = "store.not-a-store"


class WorkingFileChangedError(ConflictError):
    """A working file changed between reading and writing it."""

    code = "conflict.working-file-changed"


def check_unchanged(root_fd: int, path: str, expected: str) -> None:
    """Checks that a working file still is what a person began to edit.

    Raises:
        WorkingFileChangedError: It is not.
        FileRefusedError: It is no regular file with a single link.
    """
    found = digest_file(root_fd, path)
    if found != expected:
        raise WorkingFileChangedError(
            f"expected {expected}, got {found or 'nothing'}",
            path=path,
            hint="the file changed while the editor was open; edit it again",
        )


class TrackedPathError(StoreError):
    """A path of the ledger was to be written past the door."""

    code = "store.tracked-path"
    exit_status = 3


def check_repository(git_dir: Path) -> None:
    """Checks that there is a repository in the one form that memfs writes.

    Raises:
        NotAStoreError: There is none, or its refs or objects are kept in another way.
    """
    if git_dir.is_symlink() or not (git_dir / "objects").is_dir():
        raise NotAStoreError(
            f"expected a Git repository in {git_dir.parent}, found none", hint="run: memfs init"
        )
    try:
        config = (git_dir / "config").read_text("utf-8", "replace").lower()
    except FileNotFoundError:
        # Git does without one; doctor says so and writes it again.
        config = ""
    for word in _UNKNOWN_FORMS:
        if word in config:
            raise NotAStoreError(
                f"expected a repository with loose refs and SHA-1 objects, got one with {word}",
                path=".git/config",
            )


def recover_at_open(context: WriteContext) -> None:
    """Finishes what a dead writer left behind; a live one finishes its own work.

    Raises:
        NewerFormatError: The store was made by a newer memfs, whose writes only it can finish.
    """
    if is_settled(context):
        return
    _refuse_newer_format(context)
    lock = context.write_lock()
    try:
        if lock.try_acquire():
            finish_interrupted(context)
    except LockUnavailableError:
        return
    finally:
        lock.release()


def _refuse_newer_format(context: WriteContext) -> None:
    """Leaves a store alone that a newer memfs made (A80); what else is wrong shows later."""
    # Loaded only where something was left behind.
    from memfs.formats.settings import NewerFormatError, decode_settings
    from memfs.store.snapshot import Snapshot

    try:
        content = Snapshot(context.objects, CommitId(context.read_ledger())).read(SETTINGS_PATH)
        if content is not None:
            decode_settings(content, path=SETTINGS_PATH)
    except NewerFormatError:
        raise
    except (DataError, StoreError, GitError):
        return


def finish_interrupted(context: WriteContext) -> None:
    """Finishes what a dead writer left behind, when that can be done at once.

    The caller holds the write lock.
    """
    if is_settled(context):
        return
    # Mostly there is nothing to do, and no need to load how it would be done.
    from memfs.store.recovery import recover

    try:
        recover(context)
    except (OSError, GitError, LockTimeoutError):
        # Reading needs none of it. The next write tries again and says what is wrong.
        return


def check_untracked(path: str) -> None:
    """Checks that a path is of the inbox or of a projection.

    Raises:
        TrackedPathError: It belongs to the ledger.
    """
    if not is_untracked(path):
        raise TrackedPathError("expected a path that Git ignores, got one of the ledger", path=path)
