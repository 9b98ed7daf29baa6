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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from memfs.errors import IndexUnavailableError
from memfs.index.documents import NO_INSTANT, Document

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
_STATES_TIME: Final = 16
_BLOB_BYTES: Final = 20


def columns_name(segment: str) -> str:
    """Returns the name of the file that holds the columns of a segment."""
    return f"{segment}.docs"


@dataclass(frozen=True, slots=True, kw_only=True)
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
        return bool(self.flags[document] & _STATES_TIME)

    @classmethod
    def from_documents(cls, documents: Sequence[Document]) -> Columns:
        """Collects the values of documents in their order."""
        gates: dict[str, int] = {}
        speakers: dict[str, int] = {"": 0}
        paths = [document.path.encode("utf-8", "surrogateescape") for document in documents]
        return cls(
            lengths=array("H", [document.length for document in documents]),
            gates=array("H", [gates.setdefault(d.gate, len(gates)) for d in documents]),
            speakers=array("H", [speakers.setdefault(d.speaker, len(speakers)) for d in documents]),
            flags=array(
                "B", [d.importance | (_STATES_TIME if d.states_time else 0) for d in documents]
            ),
            groups=array("q", [document.group for document in documents]),
            sequences=array("I", [document.sequence for document in documents]),
            instants=array("q", [document.instant for document in documents]),
            valid_from=array("q", [document.valid_from for document in documents]),
            valid_until=array("q", [document.valid_until for document in documents]),
            path_ends=array("I", accumulate(len(path) for path in paths)),
            paths=b"".join(paths),
            blobs=b"".join(bytes.fromhex(document.blob) for document in documents),
            gate_names=tuple(gates),
            speaker_names=tuple(speakers),
            has_validity=any(
                d.valid_from != NO_INSTANT or d.valid_until != NO_INSTANT for d in documents
            ),
        )

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

    def without(self, deleted: frozenset[int]) -> Columns:
        """Returns the columns of the documents that are left, in order."""
        if not deleted:
            return self
        keep = [number for number in range(len(self)) if number not in deleted]
        paths = [self.path(number).encode("utf-8", "surrogateescape") for number in keep]
        values = {
            name: array(typecode, [getattr(self, name)[number] for number in keep])
            for name, typecode in _ARRAYS
            if name != "path_ends"
        }
        return replace(
            self,
            **values,
            path_ends=array("I", accumulate(len(path) for path in paths)),
            paths=b"".join(paths),
            blobs=b"".join(
                self.blobs[_BLOB_BYTES * number : _BLOB_BYTES * (number + 1)] for number in keep
            ),
        )

    @classmethod
    def joined(cls, parts: Sequence[Columns]) -> Columns:
        """Returns the columns of several segments one after another."""
        if len(parts) == 1:
            return parts[0]
        gates: dict[str, int] = {}
        speakers: dict[str, int] = {"": 0}
        values: dict[str, array[int]] = {name: array(typecode) for name, typecode in _ARRAYS}
        offset = 0
        for part in parts:
            gate_of = [gates.setdefault(name, len(gates)) for name in part.gate_names]
            speaker_of = [speakers.setdefault(name, len(speakers)) for name in part.speaker_names]
            for name, _ in _ARRAYS:
                column: array[int] = getattr(part, name)
                match name:
                    case "gates":
                        values[name].extend(gate_of[gate] for gate in column)
                    case "speakers":
                        values[name].extend(speaker_of[speaker] for speaker in column)
                    case "path_ends":
                        values[name].extend(end + offset for end in column)
                    case _:
                        values[name].extend(column)
            offset += len(part.paths)
        return cls(
            **values,
            paths=b"".join(part.paths for part in parts),
            blobs=b"".join(part.blobs for part in parts),
            gate_names=tuple(gates),
            speaker_names=tuple(speakers),
            has_validity=any(part.has_validity for part in parts),
        )

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
