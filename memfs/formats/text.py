"""Bytes to text, strictly: size, encoding, byte order mark and NUL are checked first.

Nothing is repaired here. A file that memfs cannot give back byte for byte is refused with its
place, and stays as it is on the disk.
"""

from __future__ import annotations

import re
from typing import Final

from memfs.errors import DataError
from memfs.model.limits import FILE_BYTES

_LONE_CR: Final = re.compile(rb"\r(?!\n)")


class TextError(DataError):
    """The bytes are no text that memfs works with."""

    code = "text.unreadable"


def decode_text(
    data: bytes, *, path: str, limit_bytes: int = FILE_BYTES, first_line: int = 1
) -> str:
    """Decodes UTF-8 and guarantees that encoding the result gives ``data`` again.

    Args:
        data: A file, or a part of it that starts on ``first_line``.
        path: Named in errors.
        limit_bytes: Most bytes.
        first_line: Line of the file on which ``data`` starts.

    Raises:
        TextError: Too large (``text.size``), a byte order mark (``text.bom``), NUL
            (``text.nul``) or bytes that are no UTF-8 (``text.encoding``).
    """
    if len(data) > limit_bytes:
        raise TextError(
            f"expected at most {limit_bytes} bytes, got {len(data)}",
            code="text.size",
            path=path,
            hint="split it; one record holds one claim",
        )
    if b"\0" in data:
        line, column = place_of(data, data.index(b"\0"))
        line += first_line - 1
        raise TextError("a NUL byte", code="text.nul", path=path, line=line, column=column)
    if data.startswith(b"\xef\xbb\xbf"):
        raise TextError(
            "the file starts with a byte order mark",
            code="text.bom",
            path=path,
            line=first_line,
            column=1,
            hint="save it as UTF-8 without a byte order mark",
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = place_of(data, error.start)
        raise TextError(
            f"expected UTF-8, got the byte 0x{data[error.start]:02x}",
            code="text.encoding",
            path=path,
            line=line + first_line - 1,
            column=column,
        ) from None


def place_of(data: bytes, offset: int) -> tuple[int, int]:
    """Returns the 1-based line and the 1-based column, in bytes, of ``offset``."""
    before = data[:offset]
    return before.count(b"\n") + 1, offset - (before.rfind(b"\n") + 1) + 1


def find_lone_cr(data: bytes) -> int:
    """Returns the offset of the first carriage return without a line feed, or -1."""
    match = _LONE_CR.search(data)
    return match.start() if match else -1


def is_encodable(text: str) -> bool:
    """Tells whether ``text`` has a UTF-8 form (lone surrogates have none)."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
