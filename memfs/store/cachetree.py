"""The cache-tree extension of Git's index: which folders' tree ids are still right.

Git uses it to compare the index with a commit folder by folder. After an entry changed, the
folders above it are marked unknown; the others stay valid. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_OID_BYTES: Final = 20
_UNKNOWN: Final = b"-1"


def invalidate_cache_tree(data: bytes, paths: Iterable[bytes]) -> bytes:
    """Returns the extension with every folder above one of ``paths`` marked unknown.

    A damaged extension comes back empty, which Git reads as "nothing is known".
    """
    touched: set[bytes] = {b""}
    for path in paths:
        parent = path.rpartition(b"/")[0]
        while parent and parent not in touched:
            touched.add(parent)
            parent = parent.rpartition(b"/")[0]
    try:
        parts: list[bytes] = []
        _copy(data, 0, b"", touched, parts)
        return b"".join(parts)
    except (ValueError, IndexError):
        return b""


def _copy(data: bytes, at: int, prefix: bytes, touched: set[bytes], parts: list[bytes]) -> int:
    """Copies one folder and those below it; returns where the next one begins."""
    null = data.index(b"\0", at)
    line_end = data.index(b"\n", null)
    name = data[at:null]
    count, _, children = data[null + 1 : line_end].partition(b" ")
    stop = line_end + 1
    oid = b""
    if not count.startswith(b"-"):
        oid = data[stop : stop + _OID_BYTES]
        stop += _OID_BYTES
    path = prefix + name
    if path in touched:
        parts.append(name + b"\0" + _UNKNOWN + b" " + children + b"\n")
    else:
        parts.append(data[at : line_end + 1] + oid)
    for _ in range(int(children)):
        stop = _copy(data, stop, path + b"/" if path else b"", touched, parts)
    return stop
