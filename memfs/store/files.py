"""Files of the store's working tree, opened so that no name can lead outside it (A82).

Every component is opened relative to its parent with ``O_NOFOLLOW``, so neither a symbolic
link nor a folder that is swapped meanwhile is ever followed. What is opened must be a regular
file with one link and is opened without blocking, so that a fifo or a device cannot hang a
reader. Files are written whole: a temporary file, then a rename. New files and folders are
for their owner only (O60).
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

from memfs.errors import DataError
from memfs.store.paths import check_path

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700
TEMPORARY_PREFIX: Final = ".memfs-"
MAX_FILE_BYTES: Final = 64 * 1024 * 1024

_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PIECE: Final = 1 << 18


class FileRefusedError(DataError):
    """A file is there, but it is not one that memfs reads or replaces."""

    code = "file.refused"


class FileUnreadableError(FileRefusedError):
    """A file is there but cannot be read: no access, or the disk fails."""

    code = "file.unreadable"


class FileTooLargeError(FileRefusedError):
    """A file is larger than the caller can use."""

    code = "file.too-large"


class FileKind(StrEnum):
    """What stands at a path."""

    ABSENT = "absent"
    REGULAR = "regular"
    FOLDER = "folder"
    SYMLINK = "symlink"
    HARD_LINK = "hard-link"
    SPECIAL = "special"


def open_root(root: Path) -> int:
    """Opens the root folder of a store; the caller closes the descriptor.

    Raises:
        FileRefusedError: It is a symbolic link or no folder.
        FileNotFoundError: There is nothing.
    """
    try:
        return os.open(root, _FOLDER)
    except OSError as error:
        raise _refused(error, str(root)) from error


@contextlib.contextmanager
def open_folder(root_fd: int, folder: str, *, create: bool = False) -> Iterator[int]:
    """Opens ``folder`` below the root, component by component; ``""`` is the root itself.

    Args:
        root_fd: Descriptor of the root.
        folder: Store-relative path, checked here.
        create: Makes missing folders, for the owner only.

    Raises:
        PathRefusedError: The path itself is not allowed.
        FileRefusedError: A component is a link or no folder.
        FileNotFoundError: A component is missing and ``create`` is false.
    """
    current = os.dup(root_fd)
    try:
        for part in check_path(folder) if folder else ():
            deeper = _open_part(current, part, folder, create=create)
            os.close(current)
            current = deeper
        yield current
    finally:
        os.close(current)


def _open_part(parent: int, part: str, whole: str, *, create: bool) -> int:
    try:
        return os.open(part, _FOLDER, dir_fd=parent)
    except FileNotFoundError:
        if not create:
            raise
    except OSError as error:
        raise _refused(error, whole) from error
    with contextlib.suppress(FileExistsError):  # another process was quicker
        os.mkdir(part, FOLDER_MODE, dir_fd=parent)
    try:
        return os.open(part, _FOLDER, dir_fd=parent)
    except OSError as error:
        raise _refused(error, whole) from error


@contextlib.contextmanager
def open_file(root_fd: int, path: str) -> Iterator[int]:
    """Opens a regular file with a single link for reading.

    Raises:
        PathRefusedError: The path itself is not allowed.
        FileRefusedError: What stands there is a link, a folder, a fifo or a device.
        FileNotFoundError: There is nothing.
    """
    folder, _, name = path.rpartition("/")
    check_path(path)
    with open_folder(root_fd, folder) as parent:
        descriptor = open_regular(parent, name, path)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def open_regular(parent: int, name: str, path: str) -> int:
    """Opens a regular file with a single link in an open folder; the caller closes it.

    Raises:
        FileRefusedError: It is something else.
        FileNotFoundError: There is nothing.
    """
    try:
        descriptor = os.open(name, _READ, dir_fd=parent)
    except OSError as error:
        raise _refused(error, path) from error
    kind = _kind_of(os.fstat(descriptor))
    if kind is not FileKind.REGULAR:
        os.close(descriptor)
        raise FileRefusedError(f"expected a regular file, got a {kind}", path=path)
    return descriptor


def read_file(root_fd: int, path: str, *, limit_bytes: int = MAX_FILE_BYTES) -> bytes | None:
    """Returns the content of a regular file; ``None`` when there is nothing at ``path``.

    Raises:
        PathRefusedError: The path itself is not allowed.
        FileTooLargeError: It is larger than ``limit_bytes``.
        FileRefusedError: It is no regular file with a single link.
    """
    try:
        with open_file(root_fd, path) as descriptor:
            size = os.fstat(descriptor).st_size
            pieces: list[bytes] = []
            total = 0
            while total <= limit_bytes and size <= limit_bytes:
                piece = os.read(descriptor, min(_PIECE, limit_bytes + 1 - total))
                if not piece:
                    return b"".join(pieces)
                pieces.append(piece)
                total += len(piece)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(error, path) from error
    raise FileTooLargeError(
        f"expected at most {limit_bytes} bytes, got {max(size, total)}", path=path
    )


def digest_file(root_fd: int, path: str) -> str | None:
    """Returns the Git blob id of a regular file of any size; ``None`` when nothing is there.

    A file that grows or shrinks while it is read gives the digest of no content at all, which
    never equals an admitted one.

    Raises:
        PathRefusedError: The path itself is not allowed.
        FileRefusedError: It is no regular file with a single link.
    """
    try:
        with open_file(root_fd, path) as descriptor:
            return digest_open(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(error, path) from error


def digest_open(descriptor: int) -> str:
    """Returns the Git blob id of an open file."""
    size = os.fstat(descriptor).st_size
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    while piece := os.read(descriptor, _PIECE):
        digest.update(piece)
    return digest.hexdigest()


def file_kind(root_fd: int, path: str) -> FileKind:
    """Tells what stands at ``path`` without opening it.

    A regular file with a second name is a hard link. A path below a link or below a file counts
    as absent: nothing of the store is there.

    Raises:
        PathRefusedError: The path itself is not allowed.
    """
    folder, _, name = path.rpartition("/")
    check_path(path)
    try:
        with open_folder(root_fd, folder) as parent:
            found = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError, FileRefusedError):
        return FileKind.ABSENT
    return _kind_of(found)


def atomic_write(root_fd: int, path: str, content: bytes, *, durable: bool = True) -> None:
    """Writes a file whole: readers see the old content or the new one, never a part.

    A link or a special file that stands at ``path`` is replaced, not followed. The folder is
    made when it is missing.

    Args:
        root_fd: Descriptor of the root.
        path: Store-relative path.
        content: The new bytes.
        durable: Waits until the content and its name are on the disk.

    Raises:
        PathRefusedError: The path itself is not allowed.
        FileRefusedError: A folder stands at ``path``, or something else in the way of its folder.
        OSError: The disk is full or the like; no temporary file is left behind.
    """
    folder, _, name = path.rpartition("/")
    check_path(path)
    temporary = f"{TEMPORARY_PREFIX}{os.urandom(8).hex()}.tmp"
    with open_folder(root_fd, folder, create=True) as parent:
        descriptor = os.open(temporary, _CREATE, FILE_MODE, dir_fd=parent)
        try:
            try:
                _write_all(descriptor, content)
                if durable:
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)
            try:
                os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
            except (IsADirectoryError, NotADirectoryError) as error:
                raise FileRefusedError("expected a file, got a folder", path=path) from error
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=parent)
            raise
        if durable:
            sync_folder(parent)


def remove_file(root_fd: int, path: str, *, durable: bool = False) -> bool:
    """Removes the file, link or special file at ``path``; folders left empty stay.

    Returns:
        Whether something was there.

    Raises:
        PathRefusedError: The path itself is not allowed.
        FileRefusedError: A folder stands there.
    """
    folder, _, name = path.rpartition("/")
    check_path(path)
    try:
        with open_folder(root_fd, folder) as parent:
            os.unlink(name, dir_fd=parent)
            if durable:
                sync_folder(parent)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (IsADirectoryError, PermissionError) as error:
        raise FileRefusedError(f"it cannot be removed: {error.strerror}", path=path) from error
    return True


def list_files(root_fd: int, folder: str) -> Iterator[tuple[str, FileKind]]:
    """Yields everything below ``folder`` that is no folder, sorted by path.

    Links are reported and never entered; names that memfs would not open are left out, and so
    are temporary files of :func:`atomic_write` and nested Git repositories.
    """
    try:
        with open_folder(root_fd, folder) as descriptor, os.scandir(descriptor) as scan:
            found = sorted(scan, key=lambda entry: entry.name)
            kinds = [(entry.name, _kind_of(entry.stat(follow_symlinks=False))) for entry in found]
    except (FileNotFoundError, FileRefusedError):
        return
    for name, kind in kinds:
        path = f"{folder}/{name}" if folder else name
        if name.startswith(TEMPORARY_PREFIX) or not _is_allowed(path):
            continue
        if kind is FileKind.FOLDER:
            yield from list_files(root_fd, path)
        else:
            yield path, kind


def make_private(root: Path) -> int:
    """Takes away everybody else's access from the store and all its files, following no link.

    Returns:
        How many files and folders had to be changed.
    """
    changed = 0
    for _, _, names, folder in os.fwalk(root, follow_symlinks=False):
        changed += _restrict(folder, FOLDER_MODE)
        for name in names:
            try:
                descriptor = os.open(name, _READ, dir_fd=folder)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.ENOENT, errno.ENXIO, errno.EACCES):
                    continue
                raise
            try:
                changed += _restrict(descriptor, FILE_MODE)
            finally:
                os.close(descriptor)
    return changed


def sync_folder(descriptor: int) -> None:
    """Waits until the names of a folder are on the disk; best effort where that is not offered."""
    with contextlib.suppress(OSError):
        os.fsync(descriptor)


def _restrict(descriptor: int, allowed: int) -> bool:
    mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
    # Read-only objects of Git stay read-only and executable hooks executable.
    wanted = mode & (allowed | stat.S_IXUSR)
    if mode == wanted:
        return False
    os.fchmod(descriptor, wanted)
    return True


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def _kind_of(found: os.stat_result) -> FileKind:
    mode = found.st_mode
    if stat.S_ISREG(mode):
        return FileKind.REGULAR if found.st_nlink <= 1 else FileKind.HARD_LINK
    if stat.S_ISDIR(mode):
        return FileKind.FOLDER
    return FileKind.SYMLINK if stat.S_ISLNK(mode) else FileKind.SPECIAL


def _is_allowed(path: str) -> bool:
    try:
        check_path(path)
    except DataError:
        return False
    return True


def _unreadable(error: OSError, path: str) -> FileUnreadableError:
    return FileUnreadableError(f"it cannot be read: {error.strerror}", path=path)


def _refused(error: OSError, path: str) -> OSError | FileRefusedError:
    """Turns the errors that a hostile file causes into a refusal; others stay what they are."""
    match error.errno:
        case errno.ELOOP | errno.EMLINK:
            return FileRefusedError("expected a file, got a symbolic link", path=path)
        case errno.ENOTDIR:
            return FileRefusedError("expected a folder, got something else", path=path)
        case errno.ENXIO | errno.ENODEV | errno.EOPNOTSUPP:
            return FileRefusedError("expected a regular file, got a special file", path=path)
        case errno.EACCES | errno.EPERM:
            return _unreadable(error, path)
        case _:
            return error
