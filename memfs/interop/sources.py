"""Foreign files, read safely and never changed.

A source is a folder that a person names. Inside it no symbolic link is followed, only
regular files are opened, and whatever cannot be read is a problem with its place, so that
one bad file never hides the others (A82).
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

from memfs.errors import DataError
from memfs.interop.port import ImportItem
from memfs.model.frozen import frozen
from memfs.model.problem import Problem

MARKDOWN: Final = frozenset({".md", ".markdown"})
JSON_FILES: Final = frozenset({".json", ".jsonl", ".ndjson"})
MAX_FILE_BYTES: Final = 1024 * 1024
"""Largest file that is read whole; streams have a limit per item instead."""
PEEK_BYTES: Final = 64 * 1024
_MAX_DEPTH: Final = 32
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class SourceError(DataError):
    """A foreign file cannot be read at all."""

    code = "import.unreadable"

    def problem(self) -> Problem:
        """Returns the same finding as a value."""
        return Problem(self.path, self.line or 0, 0, self.code, self.message, self.hint)


@frozen
class SourceFile:
    """One regular file of a source.

    Attributes:
        path: Where it is.
        relative: POSIX path below the source, printable; the name alone for a single file.
        is_named: The person named this very file, so that it may be a link.
    """

    path: Path
    relative: str
    is_named: bool = False

    @property
    def shown(self) -> str:
        """The path as problems name it: as the person gave it."""
        return printable(str(self.path))


def printable(name: str) -> str:
    """Returns ``name`` with control characters and bytes that are no UTF-8 as escapes."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def walk_source(
    root: Path, extensions: frozenset[str], below: str = ""
) -> Iterator[SourceFile | Problem]:
    """Yields the regular files with one of ``extensions`` at or below ``root``, sorted.

    Entries whose names begin with a dot are left out: version control, editors' folders.
    Links, special files and unreadable folders are yielded as problems. A root that is
    itself a link is followed: the person named it. ``below`` stands before each relative
    path, for a root that is a part of what was named.
    """
    if not root.is_dir():
        yield SourceFile(path=root, relative=below + printable(root.name), is_named=True)
        return
    yield from _walk_folder(root, below, extensions, _MAX_DEPTH)


def _walk_folder(
    folder: Path, prefix: str, extensions: frozenset[str], depth: int
) -> Iterator[SourceFile | Problem]:
    shown = printable(str(folder))
    if depth == 0:
        yield Problem(shown, 0, 0, "import.too-deep", f"expected at most {_MAX_DEPTH} folders deep")
        return
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        yield Problem(shown, 0, 0, "import.unreadable", f"cannot list the folder: {error.strerror}")
        return
    for entry in found:
        if entry.name.startswith("."):
            continue
        relative = prefix + printable(entry.name)
        path = folder / entry.name
        if entry.is_symlink():
            yield _link_problem(path)
        elif entry.is_dir(follow_symlinks=False):
            yield from _walk_folder(path, f"{relative}/", extensions, depth - 1)
        elif path.suffix.lower() in extensions:
            yield SourceFile(path=path, relative=relative)


def _link_problem(path: Path) -> Problem:
    return Problem(
        printable(str(path)),
        0,
        0,
        "import.symlink",
        "expected a file, got a symbolic link",
        "links are not followed; copy the file into the folder if it belongs to it",
    )


def open_source(file: SourceFile) -> BinaryIO:
    """Opens a regular file for reading without following a link and without blocking.

    Raises:
        SourceError: It is a link, a special file, or unreadable.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    if not file.is_named:
        flags |= os.O_NOFOLLOW
    try:
        descriptor = os.open(file.path, flags)
    except OSError as error:
        raise SourceError(f"cannot open the file: {error.strerror}", path=file.shown) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SourceError(
            "expected a regular file, got something else",
            path=file.shown,
            code="import.not-regular",
        )
    return os.fdopen(descriptor, "rb")


def read_source(file: SourceFile, limit: int = MAX_FILE_BYTES) -> bytes:
    """Returns the bytes of a file of at most ``limit`` bytes.

    Raises:
        SourceError: Unreadable, or larger (``import.too-large``).
    """
    with open_source(file) as stream:
        try:
            data = stream.read(limit + 1)
        except OSError as error:
            raise SourceError(f"cannot read the file: {error.strerror}", path=file.shown) from error
    if len(data) > limit:
        raise SourceError(
            f"expected at most {limit} bytes, got more",
            path=file.shown,
            code="import.too-large",
            hint="split the file; memory holds claims, not documents",
        )
    return data


def peek_source(path: Path) -> bytes:
    """Returns the first bytes of a regular file, or nothing when it cannot be read."""
    try:
        with open_source(SourceFile(path=path, relative=path.name, is_named=True)) as stream:
            return stream.read(PEEK_BYTES)
    except (SourceError, OSError):
        return b""


def modified_time(file: SourceFile) -> datetime | None:
    """Returns when the file was last written, or ``None`` when that is not known."""
    try:
        seconds = file.path.stat().st_mtime
    except OSError:
        return None
    return datetime.fromtimestamp(int(seconds), UTC)


def text_problem(data: bytes, shown: str) -> Problem | None:
    """Returns what keeps ``data`` from being text, with its line, or ``None``."""
    nul = data.find(b"\0")
    if nul >= 0:
        line = data.count(b"\n", 0, nul) + 1
        return Problem(shown, line, 0, "import.nul", "expected text, got a NUL byte")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Problem(shown, line, 0, "import.not-utf8", "expected UTF-8, got other bytes")
    return None


def item_of_problem(problem: Problem, *, source: str, raw: bytes = b"") -> ImportItem:
    """Returns an item that says what is wrong and has no draft."""
    return ImportItem(draft=None, source=source, digest="", problems=(problem,), raw=raw)
