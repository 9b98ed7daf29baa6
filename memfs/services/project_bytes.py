"""Bytes of plain files of the project: opened folder by folder, through no link, up to a size.

Nothing outside the project, in a store or in Git's own folder is a file of it. A file that
somebody puts in the place of a folder, or a link in the place of either, between a look and a
reading is not followed: each step is opened below the one before it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from memfs.model.digests import blob_id
from memfs.model.frozen import frozen
from memfs.services.project_files import inner_parts
from memfs.store.layout import STORE_FOLDER

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


_CLOSED = frozenset({STORE_FOLDER, ".git"})


class TooLargeError(Exception):
    """A file holds more than is read of one."""


@frozen
class FileBlob:
    """What Git would keep of a file.

    Attributes:
        id: The id that Git gives to its content.
        size_bytes: How much that is.
    """

    id: str
    size_bytes: int


def read_inner(project: Path, name: str, *, limit_bytes: int) -> bytes | None:
    """Returns what a file of the project holds; ``None`` where no plain file has that name.

    Args:
        project: The folder that the name begins in.
        name: With ``/``, written in the one usual way; one that leads out, through a link, into a
            store or into Git's own folder names nothing.
        limit_bytes: The largest size that is read.

    Raises:
        TooLargeError: It is larger.
    """
    parts = _plain_parts(name)
    if not parts:
        return None
    try:
        with _opened(project, parts) as handle:
            state = os.fstat(handle)
            if not stat.S_ISREG(state.st_mode):
                return None
            if state.st_size > limit_bytes:
                raise TooLargeError(name)
            return _whole(handle, name, limit_bytes)
    except (OSError, ValueError):
        return None


def blob_of(project: Path, name: str, *, limit_bytes: int) -> FileBlob | None:
    """Returns what Git would keep of a file of the project; ``None`` where there is no such file.

    What is larger than ``limit_bytes`` counts as no file either; see :func:`read_inner`.
    """
    try:
        content = read_inner(project, name, limit_bytes=limit_bytes)
    except TooLargeError:
        return None
    return None if content is None else FileBlob(id=str(blob_id(content)), size_bytes=len(content))


def _plain_parts(name: str) -> tuple[str, ...]:
    """Returns the parts of a path that stays among the project's own files; none for any other."""
    if "\\" in name or "\0" in name or str(PurePosixPath(name)) != name:
        return ()
    parts = inner_parts(name)
    return () if _CLOSED & {part.casefold() for part in parts} else parts


@contextmanager
def _opened(project: Path, parts: Sequence[str]) -> Iterator[int]:
    """Opens a file below a folder, one part after another.

    Raises:
        OSError: One of them is no folder, or the last no file; or one is a link.
    """
    here = os.open(project, _FOLDER & ~os.O_NOFOLLOW)
    try:
        for part in parts[:-1]:
            below = os.open(part, _FOLDER, dir_fd=here)
            os.close(here)
            here = below
        handle = os.open(parts[-1], _FILE, dir_fd=here)
    finally:
        os.close(here)
    try:
        yield handle
    finally:
        os.close(handle)


def _whole(handle: int, name: str, limit_bytes: int) -> bytes:
    """Reads a file that may grow meanwhile."""
    pieces: list[bytes] = []
    size = 0
    while piece := os.read(handle, 1 << 20):
        size += len(piece)
        if size > limit_bytes:
            raise TooLargeError(name)
        pieces.append(piece)
    return b"".join(pieces)
