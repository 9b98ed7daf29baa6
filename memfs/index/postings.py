"""Reads the term and posting files that Whoosh writes, whole blocks at a time.

Whoosh's own matchers take a posting in a Python call each; reading a block as two lists is
an order of magnitude faster, and needs neither Whoosh's import (50 ms) nor its pickled table
of contents. The blocks are pickles of plain tuples; they are opened by an unpickler that
refuses every name, so that no file in the cache folder can run code. The contract tests hold
these readers against Whoosh's own on the same files.

Layout (Whoosh 2.7.4, ``W3Codec``): ``.trm`` is a hash table of ``field number + term`` to a
fixed record with the extent of the postings; ``.pst`` holds, for each term, a tag and blocks
of *length, pickled summary, compressed pickle of (id gaps, weights, values)*.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import struct
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import eq
from pathlib import Path
from typing import Any, Final, TypeAlias

from memfs.errors import IndexUnavailableError

Block: TypeAlias = tuple[Sequence[int], Sequence[float]]

_HASH_MAGIC: Final = b"HSH3\0"
POSTING_MAGIC: Final = b"W3Bl"
_POINTER: Final = struct.Struct("!Iq")
_DIRECTORY_ENTRY: Final = struct.Struct("!qi")
LENGTHS: Final = struct.Struct("!ii")
TERM_INFO: Final = struct.Struct("!BfIBBfII")
TERM_EXTENT: Final = struct.Struct("!qi")
_INT: Final = struct.Struct("!i")
_FIELD: Final = struct.Struct("!H")
_TABLES: Final = 256
_DATA_START: Final = 13
"""Where entries begin: four bytes of tag, one of hash type, eight unused."""
_DAMAGE: Final = (
    ValueError,
    EOFError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    OverflowError,
    OSError,
    MemoryError,
    struct.error,
    zlib.error,
    pickle.UnpicklingError,
)
"""What reading bytes that are not what they should be can end in."""


class _PlainUnpickler(pickle.Unpickler):
    """Loads tuples, numbers, bytes and dictionaries, and nothing that has a name."""

    def find_class(self, module_name: str, global_name: str) -> object:
        """Refuses every class and function."""
        raise pickle.UnpicklingError(f"{module_name}.{global_name} has no place in an index")


class SegmentReader:
    """Terms and postings of one segment.

    Raises:
        IndexUnavailableError: A file is missing, truncated or not what Whoosh writes.
    """

    def __init__(self, folder: Path, segment: str) -> None:
        self._order: array[int] | None = None
        try:
            self._terms = _File(folder / f"{segment}.trm")
            self._postings = _File(folder / f"{segment}.pst")
            self._fields, directory = self._read_tail()
            self._tables = list(_DIRECTORY_ENTRY.iter_unpack(directory))
        except _DAMAGE as error:
            raise _damaged(segment) from error
        self._segment = segment

    def blocks(self, field_name: str, term: str) -> Iterator[Block]:
        """Yields document numbers, ascending, and weights of the documents that have ``term``.

        Raises:
            IndexUnavailableError: The files are damaged.
        """
        number = self._fields.get(field_name)
        if number is None:
            return
        try:
            extent = self._extent(_FIELD.pack(number) + term.encode("utf-8", "surrogatepass"))
            if extent is not None:
                yield from self._read_blocks(*extent)
        except _DAMAGE as error:
            raise _damaged(self._segment) from error

    def terms(self) -> Iterator[tuple[str, str, list[Block]]]:
        """Yields every field and term with its blocks, in file order.

        Raises:
            IndexUnavailableError: The files are damaged.
        """
        names = {number: name for name, number in self._fields.items()}
        position, end = _DATA_START, self._tables[0][0]
        try:
            data = self._terms.read(0, end)
            while position < end:
                key_size, value_size = LENGTHS.unpack_from(data, position)
                key_start = position + LENGTHS.size
                value_start = key_start + key_size
                key = data[key_start:value_start]
                offset, length = TERM_EXTENT.unpack_from(data, value_start + TERM_INFO.size)
                (number,) = _FIELD.unpack_from(key)
                term = key[_FIELD.size :].decode("utf-8", "surrogatepass")
                yield names[number], term, list(self._read_blocks(offset, length))
                position = value_start + value_size
        except _DAMAGE as error:
            raise _damaged(self._segment) from error

    def starting_with(self, field_name: str, prefix: str, limit: int) -> list[str]:
        """Returns the first terms, in order of their bytes, that begin with ``prefix``.

        Raises:
            IndexUnavailableError: The files are damaged.
        """
        number = self._fields.get(field_name)
        if number is None:
            return []
        wanted = _FIELD.pack(number) + prefix.encode("utf-8", "surrogatepass")
        found: list[str] = []
        try:
            place = bisect_left(self._positions(), wanted, key=self._key_at)
            for position in self._positions()[place : place + limit]:
                key = self._key_at(position)
                if not key.startswith(wanted):
                    break
                found.append(key[_FIELD.size :].decode("utf-8", "surrogatepass"))
        except _DAMAGE as error:
            raise _damaged(self._segment) from error
        return found

    def _positions(self) -> array[int]:
        """Returns where each key stands, in order of the keys; read when first needed."""
        if self._order is None:
            typecode, count, packed = self._packed_order
            order = array(typecode)
            order.frombytes(packed[: count * order.itemsize])
            if sys.byteorder == "little":
                order.byteswap()
            self._order = order
        return self._order

    def _key_at(self, position: int) -> bytes:
        key_size, _ = LENGTHS.unpack(self._terms.read(position, LENGTHS.size))
        return self._terms.read(position + LENGTHS.size, key_size)

    def _read_tail(self) -> tuple[dict[str, int], bytes]:
        data = self._terms
        if data.read(0, len(_HASH_MAGIC)) != _HASH_MAGIC:
            raise ValueError("not a term file")
        end = data.size - _INT.size
        (length,) = _INT.unpack(data.read(end, _INT.size))
        start = end - length
        size = _TABLES * _DIRECTORY_ENTRY.size
        if not size < start < end:
            raise ValueError("truncated term file")
        stream = io.BytesIO(data.read(start, length))
        extras = _PlainUnpickler(stream).load()
        if not isinstance(extras, dict):
            raise ValueError("odd term file")
        self._packed_order = str(extras["indextype"]), int(extras["indexlen"]), stream.read()
        return dict(extras["fieldmap"]), data.read(start - size, size)

    def _extent(self, key: bytes) -> tuple[int, int] | None:
        key_hash = hash_of(key)
        start, slots = self._tables[key_hash & 255]
        data, size = self._terms, _POINTER.size
        for probe in range(slots):
            slot = ((key_hash >> 8) + probe) % slots
            slot_hash, position = _POINTER.unpack(data.read(start + slot * size, size))
            if not position:
                return None
            if slot_hash == key_hash:
                head = LENGTHS.size + len(key)
                entry = data.read(position, head + TERM_INFO.size + TERM_EXTENT.size)
                key_size, _ = LENGTHS.unpack_from(entry)
                if key_size == len(key) and entry[LENGTHS.size : head] == key:
                    offset, length = TERM_EXTENT.unpack_from(entry, head + TERM_INFO.size)
                    return offset, length
        return None

    def _read_blocks(self, offset: int, length: int) -> Iterator[Block]:
        stream = io.BytesIO(self._postings.read(offset, length))
        if stream.read(4) != POSTING_MAGIC:
            raise ValueError("not a posting list")
        is_last = False
        while not is_last:
            (size,) = _INT.unpack(stream.read(_INT.size))
            is_last, size = size < 0, abs(size)
            end = stream.tell() + size
            summary = _PlainUnpickler(stream).load()
            count, compression = summary[0], summary[3]
            packed = stream.read(end - stream.tell())
            gaps, weights, _ = _load(zlib.decompress(packed) if compression else packed)
            ids = array("I", accumulate(gaps))
            if weights is None:
                weights = b"\1" * count
            elif isinstance(weights, float):
                weights = small_counts((weights,)) * count or (weights,) * count
            if not len(ids) == len(weights) == count:
                raise ValueError("truncated block")
            yield ids, weights


def hash_of(key: bytes) -> int:
    """Returns the number by which a key is found in the table of terms."""
    return int.from_bytes(hashlib.md5(key, usedforsecurity=False).digest()[-4:], "big")


def small_counts(weights: Sequence[float]) -> bytes:
    """Returns weights that are whole numbers below 256 as bytes, nothing if any is not."""
    try:
        counts = bytes(map(int, weights))
    except (ValueError, OverflowError):
        return b""
    return counts if all(map(eq, counts, weights)) else b""


def _load(data: bytes) -> Any:
    return _PlainUnpickler(io.BytesIO(data)).load()


class _File:
    """An open file that is read by position.

    It is not mapped on purpose: a mapping of a file that somebody cuts short kills the process
    at the next look, a short read is an error like any other.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError as error:
            raise IndexUnavailableError(
                f"expected the index file {path.name}, got {error.strerror}", code="index.damaged"
            ) from error
        self.size = os.fstat(self._descriptor).st_size

    def __del__(self) -> None:
        if hasattr(self, "_descriptor"):
            os.close(self._descriptor)

    def read(self, offset: int, size: int) -> bytes:
        """Returns exactly ``size`` bytes from ``offset``.

        Raises:
            ValueError: There are fewer.
        """
        if not 0 <= size <= self.size:
            raise ValueError("odd size")
        data = os.pread(self._descriptor, size, offset)
        if len(data) != size:
            raise ValueError("the file is shorter than it was")
        return data


def _damaged(segment: str) -> IndexUnavailableError:
    return IndexUnavailableError(
        f"expected an intact index segment, got a damaged one ({segment})",
        hint="memfs rebuild",
        code="index.damaged",
    )
