"""Bytes of plain files of the project: opened folder by folder, through no link, up to a size.

A file that somebody puts in the place of a folder, or a link in the place of either, between a look
and a reading is not followed: each step is opened below the one before it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memfs.model.digests import blob_id
from memfs.services.project_files import inner_parts

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class TooLargeError(Exception):
    """A file holds more than is read of one."""


def read_inner(project: Path, name: str, *, limit_bytes: int) -> bytes | None:
    """Returns what a file of the project holds; ``None`` where no plain file has that name.

    Args:
        project: The folder that the name begins in.
        name: With ``/``; one that leads out, or through a link, names nothing.
        limit_bytes: The largest size that is read.

    Raises:
        TooLargeError: It is larger.
    """
    parts = inner_parts(name)
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


def blob_of(project: Path, name: str, *, limit_bytes: int) -> str | None:
    """Returns the id that Git gives to what a file of the project holds; ``None`` for none.

    What is larger than ``limit_bytes`` has no id here either.
    """
    try:
        content = read_inner(project, name, limit_bytes=limit_bytes)
    except TooLargeError:
        return None
    return None if content is None else str(blob_id(content))


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
