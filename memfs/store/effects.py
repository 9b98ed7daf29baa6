"""The effects of the write path: every system call that changes something goes through here.

A test replaces the object to fail or to die at the N-th effect or at a named step; nothing
else in the write path may change the file system. Reading does not go through this module.
New files are owner-only (O60) and are never created through a link.
"""

from __future__ import annotations

import errno
import functools
import os
import sys
from collections.abc import Callable
from typing import Final, cast

from memfs.errors import StoreError

_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_APPEND: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
_START_WRITE_BACK: Final = 2
_WAIT_FOR_WRITE_BACK: Final = 1 | 2 | 4
_NO_REPLACE: Final = 1
_EXCHANGE: Final = 2
_CURRENT_FOLDER: Final = -100


class WriteFailedError(StoreError):
    """The file system refused; the write did not happen, or is not known to be durable."""

    code = "store.write-failed"


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
        size = os.fstat(descriptor).st_size
        try:
            self.write(descriptor, content, path)
        except OSError:
            # Half a line would spoil the next one.
            os.ftruncate(descriptor, size)
            raise
        finally:
            os.close(descriptor)

    def start_flush(self, descriptor: int) -> None:
        """Starts to write a file's data back without waiting, where the system can."""
        self.before("flush", "")
        _sync_range(descriptor, _START_WRITE_BACK)

    def finish_flush(self, descriptor: int) -> None:
        """Waits until a file's data is on its way to the medium."""
        self.before("flush", "")
        if not _sync_range(descriptor, _WAIT_FOR_WRITE_BACK):
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

    def rename_new(self, source: str, target: str, *, target_folder: int) -> None:
        """Renames to a name that must be free.

        Where the system cannot promise that, a file that appears at this instant is replaced.

        Raises:
            FileExistsError: Something stands at ``target``.
        """
        self.before("rename", target)
        if not _rename_with(_NO_REPLACE, source, target, target_folder):
            os.rename(source, target, dst_dir_fd=target_folder)

    def exchange(self, source: str, target: str, *, target_folder: int) -> bool:
        """Swaps two files; tells whether the system can do that, otherwise nothing happened.

        Raises:
            FileNotFoundError: One of them is not there.
        """
        self.before("exchange", target)
        return _rename_with(_EXCHANGE, source, target, target_folder)

    def take(self, source: str, target: str, *, source_folder: int) -> None:
        """Renames a file out of a folder."""
        self.before("rename", source)
        os.rename(source, target, src_dir_fd=source_folder)

    def link(self, source: str, target: str, *, target_folder: int | None = None) -> None:
        """Makes a hard link.

        Raises:
            FileExistsError: Something stands at ``target``.
        """
        self.before("link", target)
        os.link(source, target, dst_dir_fd=target_folder, follow_symlinks=False)

    def make_plain(self, descriptor: int) -> None:
        """Makes a file one for its owner to read and write, and nothing else."""
        self.before("chmod", "")
        os.fchmod(descriptor, 0o600)

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


@functools.cache
def _find_function(name: str) -> Callable[..., int] | None:
    """Returns a function of the C library, ``None`` where there is none of that name.

    ctypes costs two milliseconds, so it is imported by the first write that needs it.
    """
    if sys.platform != "linux":
        return None
    import ctypes

    try:
        function = getattr(ctypes.CDLL(None, use_errno=True), name)
    except AttributeError:
        return None
    types = {
        "sync_file_range": (ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint),
        "renameat2": (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint),
    }
    function.argtypes = types[name]
    return cast("Callable[..., int]", function)


def _sync_range(descriptor: int, flags: int) -> bool:
    function = _find_function("sync_file_range")
    return function is not None and function(descriptor, 0, 0, flags) == 0


def _rename_with(flag: int, source: str, target: str, target_folder: int) -> bool:
    """Calls ``renameat2``; returns false when this system or file system has no such thing."""
    function = _find_function("renameat2")
    if function is None:
        return False
    names = os.fsencode(source), os.fsencode(target)
    if function(_CURRENT_FOLDER, names[0], target_folder, names[1], flag) == 0:
        return True
    import ctypes

    error = ctypes.get_errno()
    if error in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(error, os.strerror(error), target)


REAL_EFFECTS: Final = Effects()
