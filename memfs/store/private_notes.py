"""Private notes of a store: small files in ``.git/memfs`` that are no history and no record.

A note is made once and whole, for the owner's eyes only; a second note of the same name is
refused and not written over. Whoever works on what a note tells of holds it: the kernel lets go
of the hold when that process dies, however it dies, so that a note whose process is gone can be
told from one that is worked on.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from memfs.errors import DataError, UsageError
from memfs.store.effects import WriteFailedError
from memfs.store.files import (
    FILE_MODE,
    FOLDER_MODE,
    FileTooLargeError,
    atomic_write,
    open_root,
    read_file,
    sync_folder,
)

NOTE_BYTES: Final = 262_144
_TRIES: Final = 20
_PAUSE_S: Final = 0.005
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_]{0,63}\Z")
_NOTE: Final = ".json"
_HOLD: Final = ".held"
_TORN: Final = ".tmp"
_OPEN: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class NoteHeldError(WriteFailedError):
    """Another process holds the note; that is no fault of the file system."""


class PrivateNotes:
    """The notes of one folder; opens nothing before it is asked."""

    def __init__(self, git_dir: Path, folder: str) -> None:
        self._folder = git_dir / "memfs" / folder

    def names(self) -> tuple[str, ...]:
        """Returns the names of the notes, sorted; names that no note has are left out."""
        try:
            found = os.listdir(self._folder)  # noqa: PTH208  one listing, no objects
        except OSError:
            return ()
        names = (name.removesuffix(_NOTE) for name in found if name.endswith(_NOTE))
        return tuple(sorted(name for name in names if _NAME.match(name)))

    def read(self, name: str) -> bytes | None:
        """Returns a note; ``None`` where there is none, or none that can be read."""
        if not _NAME.match(name):
            return None
        try:
            with self._opened() as folder:
                return read_file(folder, name + _NOTE, limit_bytes=NOTE_BYTES)
        except (OSError, DataError):
            return None

    def create(self, name: str, content: bytes) -> bool:
        """Writes a note that must not be there yet.

        Returns:
            Whether it was written; ``False`` where there is one of that name.

        Raises:
            WriteFailedError: The file system refused.
        """
        _check(name, content)
        temporary = f"{os.urandom(8).hex()}{_TORN}"
        try:
            self._folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
            with self._opened() as folder:
                atomic_write(folder, temporary, content)
                try:
                    os.link(temporary, name + _NOTE, src_dir_fd=folder, dst_dir_fd=folder)
                except FileExistsError:
                    return False
                finally:
                    os.unlink(temporary, dir_fd=folder)
                sync_folder(folder)
        except OSError as error:
            raise _failed(error, name) from error
        return True

    def replace(self, name: str, content: bytes) -> None:
        """Writes a note over the one that stands there.

        Raises:
            WriteFailedError: The file system refused.
        """
        _check(name, content)
        try:
            with self._opened() as folder:
                atomic_write(folder, name + _NOTE, content)
        except OSError as error:
            raise _failed(error, name) from error

    def remove(self, name: str) -> None:
        """Takes a note away; one that is gone is fine."""
        if not _NAME.match(name):
            return
        with contextlib.suppress(OSError), self._opened() as folder:
            for suffix in (_NOTE, _HOLD):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name + suffix, dir_fd=folder)

    def drop_torn(self, carries: Callable[[bytes], bool]) -> None:
        """Removes what processes left that were killed while they wrote, where it carries that."""
        with contextlib.suppress(OSError), self._opened() as folder:
            with os.scandir(folder) as scan:
                torn = [item.name for item in scan if item.name.endswith(_TORN)]
            for name in torn:
                with contextlib.suppress(OSError, DataError):
                    if carries(read_file(folder, name, limit_bytes=NOTE_BYTES) or b""):
                        os.unlink(name, dir_fd=folder)

    @contextlib.contextmanager
    def held(self, name: str) -> Iterator[int]:
        """Holds a name for as long as the block runs, or this process lives.

        Yields:
            The descriptor that holds it; a child that goes on with the work keeps it open.

        Raises:
            NoteHeldError: Another process holds it.
            WriteFailedError: The file system refused.
        """
        _check(name, b"")
        try:
            self._folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
            with self._opened() as folder:
                descriptor = os.open(name + _HOLD, _OPEN, FILE_MODE, dir_fd=folder)
        except OSError as error:
            raise _failed(error, name) from error
        if not _is_locked(descriptor):
            os.close(descriptor)
            raise NoteHeldError(f"the note {name} is held by another process")
        try:
            yield descriptor
        finally:
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def is_held(self, name: str) -> bool:
        """Tells whether a living process holds a name; what cannot be told counts as held."""
        try:
            with self._opened() as folder:
                descriptor = os.open(
                    name + _HOLD, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder
                )
        except FileNotFoundError:
            return False
        except (OSError, DataError):
            return True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        return False

    @contextlib.contextmanager
    def _opened(self) -> Iterator[int]:
        folder = open_root(self._folder)
        try:
            yield folder
        finally:
            os.close(folder)


def _is_locked(descriptor: int) -> bool:
    """Takes the hold; somebody who only looks whether it is free keeps it for a moment."""
    for _ in range(_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(_PAUSE_S)
        else:
            return True
    return False


def _check(name: str, content: bytes) -> None:
    if not _NAME.match(name):
        raise UsageError(f"expected the plain name of a note, got {name!r}")
    if len(content) > NOTE_BYTES:
        raise FileTooLargeError(f"expected at most {NOTE_BYTES} bytes, got {len(content)}")


def _failed(error: OSError, name: str) -> WriteFailedError:
    return WriteFailedError(f"the note {name} could not be written: {error.strerror}")
