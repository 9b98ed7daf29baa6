"""Files of put-off work: one small file a job, outside of every store (A44).

A job is in the folder of its state, and what changes of it stands in its name: every step is
one rename, so that a process killed at any instant leaves each job in exactly one state. The
folders are the owner's alone, no link is followed, and a job is there whole or not at all.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from memfs.errors import DataError, StoreError
from memfs.model.ids import STORE_PREFIX, is_id
from memfs.store.files import (
    FILE_MODE,
    FOLDER_MODE,
    TEMPORARY_PREFIX,
    open_folder,
    open_regular,
    open_root,
    read_file,
    sync_folder,
)
from memfs.store.journal import read_boot_id
from memfs.store.staging import is_token_alive, own_token

QUEUE_FOLDER: Final = "queue"
MOST_BYTES: Final = 65_536
_TORN_S: Final = 3600
"""Age after which a temporary file belongs to nobody who still writes it."""
_BOOT_DIGITS: Final = 8
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class QueueFolderError(StoreError):
    """There is no private folder to put work off in."""

    code = "queue.no-folder"


class JobFiles:
    """The job files of one store, by the name of a state and the name of a file.

    Args:
        home: The user's data folder of memfs; absolute.
        store_id: Identity of the store.

    Raises:
        QueueFolderError: The folder is not absolute, or the store has no proper id.
    """

    def __init__(self, home: Path, store_id: str) -> None:
        if not home.is_absolute() or not is_id(store_id, STORE_PREFIX):
            raise QueueFolderError("expected an absolute data folder and the id of a store")
        self._home = home
        self._folder = f"{QUEUE_FOLDER}/{store_id}"

    @property
    def folder(self) -> Path:
        """Where the folders of the states are, whether they are there or not."""
        return self._home / self._folder

    def add(self, state: str, name: str, content: bytes) -> bool:
        """Puts a new job there, durably and whole; tells whether the name was free.

        Raises:
            QueueFolderError: It cannot be written: no room, no right, something in the way.
        """
        try:
            self._home.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            with self._opened(state, create=True) as folder:
                return _placed(folder, name, content)
        except (OSError, DataError) as error:
            raise QueueFolderError(
                f"work cannot be put off in {self.folder}: {_why(error)}",
                hint="check the room and the access rights there",
            ) from error

    def names(self, state: str) -> tuple[str, ...]:
        """Returns the names of the jobs in a state, sorted; empty where nothing can be read."""
        try:
            with self._opened(state) as folder, os.scandir(folder) as scan:
                names = [item.name for item in scan if not item.name.startswith(TEMPORARY_PREFIX)]
        except (OSError, DataError):
            return ()
        return tuple(sorted(names))

    def read(self, state: str, name: str) -> bytes | None:
        """Returns the content of a job; ``None`` where it is gone or is no plain small file."""
        try:
            with self._opened(state) as folder:
                return read_file(folder, name, limit_bytes=MOST_BYTES)
        except (OSError, DataError):
            return None

    def age_s(self, state: str, name: str, now_s: float) -> float:
        """Returns how long ago a job got its content, by the clock of the file system."""
        try:
            with self._opened(state) as folder:
                descriptor = open_regular(folder, name, name)
                try:
                    return now_s - os.fstat(descriptor).st_mtime
                finally:
                    os.close(descriptor)
        except (OSError, DataError):
            return 0.0

    def move(self, state: str, name: str, to_state: str, to_name: str) -> bool:
        """Renames a job into another state; of several who try at once, one is told that it did.

        Raises:
            QueueFolderError: The folders cannot be written.
        """
        try:
            with (
                self._opened(state) as source,
                self._opened(to_state, create=True) as target,
            ):
                os.rename(name, to_name, src_dir_fd=source, dst_dir_fd=target)
                sync_folder(target)
        except FileNotFoundError:
            return False
        except (OSError, DataError) as error:
            raise QueueFolderError(f"a job cannot be moved: {_why(error)}") from error
        return True

    def remove(self, state: str, name: str) -> bool:
        """Removes a job; tells whether it was there.

        Raises:
            QueueFolderError: It is there and cannot be removed.
        """
        try:
            with self._opened(state) as folder:
                os.unlink(name, dir_fd=folder)
                sync_folder(folder)
        except FileNotFoundError:
            return False
        except (OSError, DataError) as error:
            raise QueueFolderError(f"a job cannot be removed: {_why(error)}") from error
        return True

    def sweep(self, state: str) -> int:
        """Removes what processes left that were killed while they added; returns how many."""
        removed = 0
        with contextlib.suppress(OSError, DataError), self._opened(state) as folder:
            with os.scandir(folder) as scan:
                torn = [item.name for item in scan if item.name.startswith(TEMPORARY_PREFIX)]
            for name in torn:
                with contextlib.suppress(OSError):
                    written = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
                    if abs(time.time() - written) > _TORN_S:
                        os.unlink(name, dir_fd=folder)
                        removed += 1
        return removed

    @contextmanager
    def _opened(self, state: str, *, create: bool = False) -> Iterator[int]:
        root = open_root(self._home)
        try:
            with open_folder(root, f"{self._folder}/{state}", create=create) as folder:
                yield folder
        finally:
            os.close(root)


def _placed(folder: int, name: str, content: bytes) -> bool:
    """Writes aside and renames: no half file has a name of a job.

    Of two at once that name the same work in the same second one replaces the other, which is
    the same as if it had been there already. No hard link ever stands for a job: a process that
    died between linking and unlinking would leave a file that nobody reads.
    """
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        pass
    else:
        return False
    aside = f"{TEMPORARY_PREFIX}{os.urandom(8).hex()}.tmp"
    descriptor = os.open(aside, _CREATE, FILE_MODE, dir_fd=folder)
    try:
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(aside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(aside, dir_fd=folder)
        raise
    sync_folder(folder)
    return True


def _why(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


# Who works on a job ----------------------------------------------------------------------


def own_worker() -> str:
    """Returns the name of this process among all that run on this machine since it started."""
    return f"{_boot()}-{own_token(os.getpid())}"


def is_worker_alive(worker: str) -> bool:
    """Tells whether the process of that name still runs; one of an earlier boot does not."""
    boot, _, token = worker.partition("-")
    return boot == _boot() and is_token_alive(token)


def ticks_s() -> float:
    """Returns seconds of a clock that nobody can set, and that goes on while the machine sleeps."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(clock)


def _boot() -> str:
    return read_boot_id().replace("-", "")[:_BOOT_DIGITS] or "0"
