"""Plain per-document values of one segment, as arrays that load without decoding.

The file is a header with the sizes, then arrays in native order, then packed strings. It
belongs to one segment, is written once and never changed; a size or checksum that does not
fit makes the whole index unusable and is answered by a rebuild.
"""

from __future__ import annotations

import json
import zlib
from array import array
from bisect import bisect_right
from typing import Final

from memfs.errors import IndexUnavailableError
from memfs.model.frozen import frozen

_MAGIC: Final = b"memfs-columns-1\n"
_ARRAYS: Final = (
    ("lengths", "H"),
    ("gates", "H"),
    ("speakers", "H"),
    ("flags", "B"),
    ("groups", "q"),
    ("sequences", "I"),
    ("instants", "q"),
    ("valid_from", "q"),
    ("valid_until", "q"),
    ("path_ends", "I"),
)
STATES_TIME: Final = 16
"""Bit of ``flags``: the words of the document say when."""
_BLOB_BYTES: Final = 20


def columns_name(segment: str) -> str:
    """Returns the name of the file that holds the columns of a segment."""
    return f"{segment}.docs"


@frozen
class Columns:
    """Values of documents 0 … n-1 of one segment.

    Attributes:
        gate_names: Gate strings by ordinal.
        speaker_names: Folded speaker names by ordinal; the first is the empty name.
        flags: Importance in the low four bits, bit 4 for *states a time*.
        has_validity: Whether any document has a start or an end of validity.
    """

    lengths: array[int]
    gates: array[int]
    speakers: array[int]
    flags: array[int]
    groups: array[int]
    sequences: array[int]
    instants: array[int]
    valid_from: array[int]
    valid_until: array[int]
    path_ends: array[int]
    paths: bytes
    blobs: bytes
    gate_names: tuple[str, ...]
    speaker_names: tuple[str, ...]
    has_validity: bool

    def __len__(self) -> int:
        return len(self.lengths)

    def path(self, document: int) -> str:
        """Returns the store-relative path of a document."""
        start = self.path_ends[document - 1] if document else 0
        return self.paths[start : self.path_ends[document]].decode("utf-8", "surrogateescape")

    def blob(self, document: int) -> str:
        """Returns the blob id that was indexed for a document."""
        return self.blobs[_BLOB_BYTES * document : _BLOB_BYTES * (document + 1)].hex()

    def states_time(self, document: int) -> bool:
        """Tells whether the words of a document say when."""
        return bool(self.flags[document] & STATES_TIME)

    def importance(self, document: int) -> int:
        """Returns how important a document is, 1 to 10."""
        return self.flags[document] & ~STATES_TIME

    @staticmethod
    def layout() -> tuple[tuple[str, str], ...]:
        """Returns the names and type codes of the arrays, in file order."""
        return _ARRAYS

    def find_all(self, path: str) -> list[int]:
        """Returns the numbers of all documents at ``path``; deleted ones are among them."""
        wanted = path.encode("utf-8", "surrogateescape")
        found: list[int] = []
        start = self.paths.find(wanted)
        while start >= 0:
            document = bisect_right(self.path_ends, start)
            begin = self.path_ends[document - 1] if document else 0
            if begin == start and self.path_ends[document] == start + len(wanted):
                found.append(document)
            start = self.paths.find(wanted, start + 1)
        return found

    def to_bytes(self) -> bytes:
        """Encodes the columns, checksum included."""
        header = json.dumps(
            {
                "count": len(self),
                "paths": len(self.paths),
                "gates": self.gate_names,
                "speakers": self.speaker_names,
                "has_validity": self.has_validity,
            }
        ).encode("ascii")
        parts = [len(header).to_bytes(8, "big"), header]
        parts += [getattr(self, name).tobytes() for name, _ in _ARRAYS]
        parts += [self.paths, self.blobs]
        data = b"".join(parts)
        return _MAGIC + zlib.crc32(data).to_bytes(4, "big") + data

    @classmethod
    def from_bytes(cls, data: bytes) -> Columns:
        """Decodes what :meth:`to_bytes` wrote.

        Raises:
            IndexUnavailableError: The bytes are truncated, damaged or something else.
        """
        start = len(_MAGIC) + 4
        view = memoryview(data)
        checksum = int.from_bytes(view[len(_MAGIC) : start], "big")
        if data[: len(_MAGIC)] != _MAGIC or zlib.crc32(view[start:]) != checksum:
            raise IndexUnavailableError("expected intact index columns", code="index.damaged")
        size = int.from_bytes(view[start : start + 8], "big")
        offset = start + 8 + size
        header = json.loads(bytes(view[start + 8 : offset]))
        count = header["count"]
        columns: dict[str, array[int]] = {}
        for name, typecode in _ARRAYS:
            column: array[int] = array(typecode)
            end = offset + count * column.itemsize
            column.frombytes(view[offset:end])
            columns[name] = column
            offset = end
        paths_end = offset + header["paths"]
        return cls(
            **columns,
            paths=bytes(view[offset:paths_end]),
            blobs=bytes(view[paths_end:]),
            gate_names=tuple(header["gates"]),
            speaker_names=tuple(header["speakers"]),
            has_validity=header["has_validity"],
        )
