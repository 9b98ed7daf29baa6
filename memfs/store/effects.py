"""The effects of the write path: every system call that changes something goes through here.

A test replaces the object to fail or to die at the N-th effect or at a named step; nothing
else in the write path may change the file system. Reading does not go through this module.
New files are owner-only (O60) and are never created through a link.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Final

_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_APPEND: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
_START_WRITE_BACK: Final = 2
_WAIT_FOR_WRITE_BACK: Final = 1 | 2 | 4


class Effects:
    """The real effects. A subclass under test overrides :meth:`before` and :meth:`step`."""

    def before(self, effect: str, target: str) -> None:
        """Runs before each effect; does nothing here."""

    def step(self, name: str) -> None:
        """Marks that the write path reached the named step; does nothing here."""

    def create(self, path: str, content: bytes, *, mode: int = 0o600) -> int:
        """Creates a new file with ``content`` and returns its open descriptor.

        Raises:
            FileExistsError: Something stands there already.
            OSError: The file could not be written; an empty or short file may remain.
        """
        self.before("create", path)
        descriptor = os.open(path, _CREATE, mode)
        try:
            self.write(descriptor, content, path)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def write(self, descriptor: int, content: bytes, path: str = "") -> None:
        """Writes all of ``content`` at the current position."""
        self.before("write", path)
        _write_all(descriptor, content)

    def append(self, path: str, content: bytes) -> None:
        """Appends ``content`` to a file in one write, creating it when absent."""
        self.before("append", path)
        descriptor = os.open(path, _APPEND, 0o600)
        try:
            _write_all(descriptor, content)
        finally:
            os.close(descriptor)

    def start_flush(self, descriptor: int) -> None:
        """Starts to write a file's data back without waiting, where the system can."""
        self.before("flush", "")
        sync = _find_sync_file_range()
        if sync is not None:
            sync(descriptor, _START_WRITE_BACK)

    def finish_flush(self, descriptor: int) -> None:
        """Waits until a file's data is on its way to the medium."""
        self.before("flush", "")
        sync = _find_sync_file_range()
        if sync is None or not sync(descriptor, _WAIT_FOR_WRITE_BACK):
            os.fsync(descriptor)

    def fsync(self, descriptor: int) -> None:
        """Makes a file's data and metadata durable."""
        self.before("fsync", "")
        os.fsync(descriptor)

    def fsync_folder(self, path: str) -> None:
        """Makes the names in a folder durable; a system that cannot do that is tolerated."""
        self.before("fsync", path)
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if sys.platform == "linux":
                os.fsync(descriptor)
            else:
                _try_fsync(descriptor)
        finally:
            os.close(descriptor)

    def rename(self, source: str, target: str, *, target_folder: int | None = None) -> None:
        """Renames over whatever stands at ``target``."""
        self.before("rename", target)
        os.rename(source, target, dst_dir_fd=target_folder)

    def link(self, source: str, target: str, *, target_folder: int | None = None) -> None:
        """Makes a hard link.

        Raises:
            FileExistsError: Something stands at ``target``.
        """
        self.before("link", target)
        os.link(source, target, dst_dir_fd=target_folder, follow_symlinks=False)

    def unlink(self, path: str, *, folder: int | None = None) -> None:
        """Removes a name."""
        self.before("unlink", path)
        os.unlink(path, dir_fd=folder)

    def mkdir(self, path: str, *, folder: int | None = None) -> None:
        """Makes one owner-only folder; an existing one is fine."""
        self.before("mkdir", path)
        try:
            os.mkdir(path, 0o700, dir_fd=folder)
        except FileExistsError:
            return

    def rmdir(self, path: str, *, folder: int | None = None) -> None:
        """Removes an empty folder."""
        self.before("rmdir", path)
        os.rmdir(path, dir_fd=folder)


def _write_all(descriptor: int, content: bytes) -> None:
    written = os.write(descriptor, content)
    if written != len(content):
        rest = memoryview(content)[written:]
        while rest:
            rest = rest[os.write(descriptor, rest) :]


def _try_fsync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError:
        # Some systems refuse to sync a folder; the files themselves are synced.
        return


class _Flusher:
    """Finds ``sync_file_range`` once; ctypes is imported only by a durable write."""

    __slots__ = ("call",)

    def __init__(self) -> None:
        self.call: Callable[[int, int], bool] | None = None
        if sys.platform != "linux":
            return
        import ctypes

        try:
            function = ctypes.CDLL(None, use_errno=True).sync_file_range
        except AttributeError:
            return
        function.argtypes = (ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint)

        def sync(descriptor: int, flags: int) -> bool:
            return int(function(descriptor, 0, 0, flags)) == 0

        self.call = sync


_FLUSHERS: Final[list[_Flusher]] = []


def _find_sync_file_range() -> Callable[[int, int], bool] | None:
    if not _FLUSHERS:
        _FLUSHERS.append(_Flusher())
    return _FLUSHERS[0].call


REAL_EFFECTS: Final = Effects()
