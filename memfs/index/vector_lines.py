"""How points lie in a file: a line each, all of one length, so that any can be found by number.

A line is JSON with the id, the blob, the domain, the model and the vector (C26); the vector comes
first, as float32 in base64 and always of the same length, so that many are read at once. Lines
are padded with spaces. Whatever is no such line is no point.
"""

from __future__ import annotations

import json
import math
import sys
from array import array
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Sequence
from typing import Final

from memfs.index.vector_port import VectorPoint

FLOAT_BYTES: Final = 4
_TRIPLE: Final = 3
_STEP: Final = 64
HEAD: Final = b'{"vector":"'
"""How every line begins; the vector follows."""


def vector_chars(dimension: int) -> int:
    """Returns how many characters a vector takes; filled up so that base64 needs no padding."""
    return -(-dimension * FLOAT_BYTES // _TRIPLE) * 4


def encode_line(point: VectorPoint, model: str) -> bytes:
    """Returns the line of a point, without padding and line feed."""
    values = array("f", point.vector)
    if sys.byteorder == "big":
        values.byteswap()
    data = values.tobytes()
    data += bytes(-len(data) % _TRIPLE)
    rest = json.dumps(
        {"id": point.id, "blob": point.blob, "domain": point.domain, "model": model},
        separators=(",", ":"),
    )
    return HEAD + b64encode(data) + b'",' + rest[1:].encode("ascii")


def width_of(lines: Sequence[bytes]) -> int:
    """Returns a length that holds each of the lines, line feed included."""
    longest = max(map(len, lines), default=0) + 1
    return -(-longest // _STEP) * _STEP


def padded(line: bytes, width: int) -> bytes:
    """Returns a line filled up to ``width`` bytes, line feed included."""
    return line.ljust(width - 1) + b"\n"


def vector_of(line: bytes, point: str, blob: str, dimension: int) -> array[float] | None:
    """Returns the vector of a line that is of this record and these bytes; ``None`` otherwise.

    The line is not taken apart as JSON, and whether each part is a number is not looked at: a
    comparison with it tells.
    """
    size = vector_chars(dimension)
    if not line.startswith(HEAD) or _mark(point, blob) not in line[len(HEAD) + size :]:
        return None
    try:
        data = b64decode(line[len(HEAD) : len(HEAD) + size])
    except Base64Error:
        return None
    vector = array("f", data[: len(data) // FLOAT_BYTES * FLOAT_BYTES][: dimension * FLOAT_BYTES])
    if sys.byteorder == "big":
        vector.byteswap()
    return vector if len(vector) == dimension else None


def _mark(point: str, blob: str) -> bytes:
    return f'"id":"{point}","blob":"{blob}"'.encode("ascii", "replace")


def decode_line(line: bytes, model: str, dimension: int) -> VectorPoint | None:
    """Returns the point of a line; ``None`` for anything else."""
    try:
        values = json.loads(line)
        vector = array("f", b64decode(values["vector"])[: dimension * FLOAT_BYTES])
        point = VectorPoint(
            id=str(values["id"]),
            blob=str(values["blob"]),
            domain=str(values["domain"]),
            vector=vector,
        )
        is_ours = values["model"] == model
    except (ValueError, KeyError, TypeError, RecursionError, Base64Error):
        return None
    if sys.byteorder == "big":
        vector.byteswap()
    if not is_ours or len(vector) != dimension or not all(map(math.isfinite, vector)):
        return None
    return point
