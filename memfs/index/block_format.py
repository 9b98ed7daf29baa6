"""Writes the postings of a term as Whoosh's codec lays them out, a block at a time.

Whoosh's own writer takes a posting in a Python call each and writes every weight as a number of
nine bytes. Here a block is written in one go, and weights that are small whole numbers, as
nearly all are, as a string of bytes: Whoosh reads those like any other sequence. Imported only
where an index is written.
"""

from __future__ import annotations

import pickle
import struct
import zlib
from array import array
from collections.abc import Iterable, Sequence
from operator import sub
from typing import Final

from whoosh.codec.whoosh3 import W3FieldWriter

from memfs.index.postings import (
    LENGTHS,
    POSTING_MAGIC,
    TERM_EXTENT,
    TERM_INFO,
    hash_of,
    small_counts,
)

BLOCK_POSTINGS: Final = 4096
_PROTOCOL: Final = 4
_COMPRESSED_FROM: Final = 96
"""Shorter blocks come out hardly smaller, and slower to read."""
_LEVEL: Final = 1
_INT: Final = struct.Struct("!i")
_FIELD: Final = struct.Struct("!H")


def write_terms(
    writer: W3FieldWriter, terms: Iterable[tuple[bytes, array[int], array[float]]]
) -> None:
    """Writes the terms of the field that ``writer`` is in.

    Args:
        writer: The codec's writer of fields.
        terms: Each with the documents that have it, ascending, and its weight in each; in order
            of their bytes.
    """
    table, field = writer._tindex, _FIELD.pack(writer._fieldid)
    place, start = table.dbfile.tell(), writer._postfile.tell()
    for term, numbers, weights in terms:
        data = _blocks(numbers, weights)
        writer._postfile.write(data)
        info = TERM_INFO.pack(
            0, sum(weights), len(numbers), 0, 0, max(weights), numbers[0], numbers[-1]
        )
        key, value = field + term, info + TERM_EXTENT.pack(start, len(data))
        if key <= table.lastkey:
            raise ValueError("terms must come in order")
        # What the table's own ``add`` does, without asking the file each time where it stands.
        entry = b"".join((LENGTHS.pack(len(key), len(value)), key, value))
        table.dbfile.write(entry)
        table.index.append(place)
        table.lastkey = key
        hashed = hash_of(key)
        table.buckets[hashed & 255].append((hashed, place))
        place, start = place + len(entry), start + len(data)


def _blocks(numbers: array[int], weights: array[float]) -> bytes:
    """Returns the posting list of one term."""
    blocks = [POSTING_MAGIC]
    last = len(numbers) - BLOCK_POSTINGS
    for begin in range(0, len(numbers), BLOCK_POSTINGS):
        end = begin + BLOCK_POSTINGS
        block = _block(numbers[begin:end], weights[begin:end])
        blocks.append(_INT.pack(-len(block) if begin >= last else len(block)))
        blocks.append(block)
    return b"".join(blocks)


def _block(numbers: array[int], weights: array[float]) -> bytes:
    """Returns a block: its summary, and the gaps between documents with their weights."""
    most = max(weights)
    if most == min(weights):
        shared: Sequence[float] | float | None = None if most == 1.0 else most
    else:
        shared = small_counts(weights) or tuple(weights)
    gaps = (numbers[0], *map(sub, numbers[1:], numbers))
    data = pickle.dumps((gaps, shared, None), _PROTOCOL)
    level = _LEVEL if len(data) >= _COMPRESSED_FROM else 0
    if level:
        data = zlib.compress(data, level)
    summary = pickle.dumps((len(numbers), numbers[-1], most, level, 0, 0), _PROTOCOL)
    return summary + data
