"""Locks: the store's own kernel lock, and Git's lock files taken so that their owner is provable.

The *write lock* is a blocking ``flock`` on a file that is never deleted. The kernel queues the
waiters fairly and frees it when a process dies. Whoever holds it may take Git's lock files
(``index.lock``, ``<ref>.lock``); those are hard links to a file in ``.git/memfs/tmp`` that
stays until the lock is released. A lock file with such a twin was made by memfs, and when the
write lock is ours its maker cannot be inside a transaction any more, so it is stale. Every
other lock file belongs to somebody else and is never touched, however old it is.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Final

from memfs.errors import StoreError
from memfs.store.effects import Effects
from memfs.store.staging import Staging

_POLL_FIRST_S: Final = 0.001
_POLL_LAST_S: Final = 0.02


class LockTimeoutError(StoreError):
    """Somebody else kept a lock for longer than this writer may wait."""

    code = "store.locked"
    exit_status = 11


class LocksUnsupportedError(StoreError):
    """The file system cannot make hard links, so that a lock's owner could not be proved."""

    code = "store.no-hard-links"


class LockUnavailableError(StoreError):
    """The lock file cannot be opened: the store may not be written by this account."""

    code = "store.not-writable"


class WriteLock:
    """The store's write lock, held by one thread of one process at a time."""

    def __init__(self, path: str, timeout_s: float) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._descriptor = -1

    def __enter__(self) -> WriteLock:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def acquire(self) -> None:
        """Waits for the lock.

        Raises:
            LockTimeoutError: The deadline passed.
            LockUnavailableError: This account may not write to the store.
        """
        if self.try_acquire():
            return
        # A blocking flock has no deadline of its own and an alarm belongs to the main thread;
        # a waiting thread keeps our place in the kernel's fair queue.
        waiter = _Waiter(self._open())
        waiter.start()
        if not waiter.wait(self._timeout_s):
            raise LockTimeoutError(
                f"expected the write lock within {self._timeout_s:g} s, another process holds it",
                hint="wait for the other memfs process, or look for it with: memfs doctor",
                path=".git/memfs/write.lock",
            )
        self._descriptor = waiter.descriptor

    def try_acquire(self) -> bool:
        """Takes the lock if it is free."""
        descriptor = self._open()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Frees the lock; harmless when it is not held."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            # Unlocking, not only closing: a child forked meanwhile may share the description.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            try:
                return os.open(self._path, flags, 0o600)
            except FileNotFoundError:
                Path(self._path).parent.mkdir(0o700, exist_ok=True)
                return os.open(self._path, flags, 0o600)
        except OSError as error:
            raise LockUnavailableError(
                f"the write lock cannot be opened: {error.strerror}", path=self._path
            ) from error


class _Waiter(threading.Thread):
    """Waits for a flock in the kernel's queue and gives it back when nobody wants it any more."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(daemon=True, name="memfs-lock")
        self.descriptor = descriptor
        self._guard = threading.Lock()
        self._done = threading.Event()
        self._is_abandoned = False
        self._is_taken = False

    def run(self) -> None:
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX)
        except OSError:
            os.close(self.descriptor)
            return
        with self._guard:
            self._is_taken = True
            if self._is_abandoned:
                os.close(self.descriptor)
        self._done.set()

    def wait(self, timeout_s: float) -> bool:
        try:
            self._done.wait(timeout_s)
        finally:
            with self._guard:
                if not self._is_taken:
                    self._is_abandoned = True
        return self._is_taken


class FileLock:
    """One of Git's lock files, made as a hard link to the staged file ``twin``."""

    def __init__(self, target: str, twin: str, staging: Staging, effects: Effects) -> None:
        self.target = target
        self.twin = twin
        self._staging = staging
        self._effects = effects
        self._is_held = False

    def acquire(self, deadline: float) -> None:
        """Takes the lock file, waiting for its present owner until ``deadline`` (monotonic).

        Raises:
            LockTimeoutError: It was there all the time.
            LocksUnsupportedError: The file system has no hard links.
        """
        pause_s = _POLL_FIRST_S
        while not self.try_acquire():
            if time.monotonic() >= deadline:
                name = Path(self.target).name
                raise LockTimeoutError(
                    f"expected {name} to be free, another Git process holds it",
                    hint=f"if no Git command is running, delete {self.target}",
                    path=self.target,
                )
            time.sleep(pause_s)
            pause_s = min(pause_s * 2, _POLL_LAST_S)

    def try_acquire(self) -> bool:
        """Takes the lock file if it is not there; ``twin`` must exist."""
        try:
            self._effects.link(self.twin, self.target)
        except FileExistsError:
            return False
        except FileNotFoundError:
            self._effects.mkdir(str(Path(self.target).parent))
            return self.try_acquire()
        except OSError as error:
            if error.errno in (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.EXDEV):
                raise LocksUnsupportedError(
                    "expected a file system with hard links", path=self.target
                ) from error
            raise
        self._is_held = True
        return True

    def publish(self, target: str) -> None:
        """Renames the lock file onto what it protects, which also releases it."""
        self._effects.rename(self.target, target)
        self._is_held = False

    def release(self) -> None:
        """Removes the lock file if it is still ours; a failure leaves it to recovery."""
        if self._is_held:
            self._is_held = False
            try:
                self._effects.unlink(self.target)
            except OSError:
                # The twin stays with it, so that the next writer can tell whose it is.
                self._staging.forget(self.twin)


def is_stale_lock(target: str, staging: str) -> bool:
    """Tells whether a lock file has a twin among the temporaries.

    Only the holder of the write lock may conclude that it is stale.
    """
    try:
        found = os.lstat(target)
    except FileNotFoundError:
        return False
    if found.st_nlink < 2:
        return False
    try:
        with os.scandir(staging) as scan:
            return any(_is_same_file(entry.path, found) for entry in scan)
    except FileNotFoundError:
        return False


def _is_same_file(path: str, other: os.stat_result) -> bool:
    try:
        mine = os.lstat(path)
    except FileNotFoundError:
        return False
    return (mine.st_dev, mine.st_ino) == (other.st_dev, other.st_ino)
