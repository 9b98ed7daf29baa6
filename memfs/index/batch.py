"""Documents gathered for one segment: posting lists and columns, without the documents.

A rebuild passes every record through here one at a time, so that memory holds postings in
compact arrays and never a list of decoded records.
"""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Collection, Iterable, Mapping
from typing import TypeAlias

from memfs.index.columns import STATES_TIME, Columns
from memfs.index.documents import NO_INSTANT, Document
from memfs.index.postings import Block

PostingList: TypeAlias = "tuple[array[int], array[float]]"

TEXT_FIELD = "text"
KEY_FIELD = "key"


class Batch:
    """Posting lists by field and term, and columns, of documents numbered from 0."""

    def __init__(self, documents: Iterable[Document] = ()) -> None:
        self.lists: dict[str, dict[str, PostingList]] = {KEY_FIELD: {}, TEXT_FIELD: {}}
        self._values: dict[str, array[int]] = {
            name: array(typecode) for name, typecode in Columns.layout()
        }
        self._paths: list[bytes] = []
        self._blobs: list[bytes] = []
        self._gates: dict[str, int] = {}
        self._speakers: dict[str, int] = {"": 0}
        self._path_end = 0
        for document in documents:
            self.add(document)

    def __len__(self) -> int:
        return len(self._paths)

    def add(self, document: Document) -> None:
        """Takes one document in; it gets the next number."""
        number = len(self._paths)
        text = self.lists[TEXT_FIELD]
        for term, weight in document.terms.items():
            found = text.get(term)
            if found is None:
                text[term] = (array("I", (number,)), array("f", (weight,)))
            else:
                found[0].append(number)
                found[1].append(weight)
        keys = self.lists[KEY_FIELD]
        for key in document.keys:
            found = keys.get(key)
            if found is None:
                keys[key] = (array("I", (number,)), array("f", (1.0,)))
            else:
                found[0].append(number)
                found[1].append(1.0)
        self._add_values(document)

    def absorb(
        self,
        columns: Columns,
        postings: Iterable[tuple[str, str, Iterable[Block]]],
        deleted: Collection[int],
    ) -> None:
        """Takes in what is left of another segment, behind what is here already.

        Args:
            columns: Columns of that segment.
            postings: Its fields, terms and posting blocks.
            deleted: Numbers of documents to leave behind.
        """
        moved: dict[int, int] = {}
        for number in range(len(columns)):
            if number not in deleted:
                moved[number] = len(self._paths)
                self._absorb_values(columns, number)
        for field_name, term, blocks in postings:
            numbers, weights = array("I"), array("f")
            for block_numbers, block_weights in blocks:
                for number, weight in zip(block_numbers, block_weights, strict=True):
                    if number in moved:
                        numbers.append(moved[number])
                        weights.append(weight)
            if numbers:
                found = self.lists[field_name].setdefault(term, (array("I"), array("f")))
                found[0].extend(numbers)
                found[1].extend(weights)

    def _absorb_values(self, columns: Columns, number: int) -> None:
        path = columns.path(number).encode("utf-8", "surrogateescape")
        self._path_end += len(path)
        self._paths.append(path)
        self._blobs.append(bytes.fromhex(columns.blob(number)))
        gate = columns.gate_names[columns.gates[number]]
        speaker = columns.speaker_names[columns.speakers[number]]
        values = self._values
        values["gates"].append(self._gates.setdefault(gate, len(self._gates)))
        values["speakers"].append(self._speakers.setdefault(speaker, len(self._speakers)))
        values["path_ends"].append(self._path_end)
        for name, column in values.items():
            if name not in ("gates", "speakers", "path_ends"):
                column.append(getattr(columns, name)[number])

    def _add_values(self, document: Document) -> None:
        path = document.path.encode("utf-8", "surrogateescape")
        self._path_end += len(path)
        self._paths.append(path)
        self._blobs.append(bytes.fromhex(document.blob))
        values = self._values
        values["lengths"].append(document.length)
        values["gates"].append(self._gates.setdefault(document.gate, len(self._gates)))
        values["speakers"].append(self._speakers.setdefault(document.speaker, len(self._speakers)))
        values["flags"].append(document.importance | (STATES_TIME if document.states_time else 0))
        values["groups"].append(document.group)
        values["sequences"].append(document.sequence)
        values["instants"].append(document.instant)
        values["valid_from"].append(document.valid_from)
        values["valid_until"].append(document.valid_until)
        values["path_ends"].append(self._path_end)

    def columns(self) -> Columns:
        """Returns the columns of the documents taken in so far."""
        return Columns(
            **self._values,
            paths=b"".join(self._paths),
            blobs=b"".join(self._blobs),
            gate_names=tuple(self._gates),
            speaker_names=tuple(self._speakers),
            has_validity=any(
                instant != NO_INSTANT
                for name in ("valid_from", "valid_until")
                for instant in self._values[name]
            ),
        )


def first_terms(lists: Mapping[str, PostingList], prefix: str, limit: int) -> list[str]:
    """Returns the first terms, in order of their bytes, that begin with ``prefix``."""
    found = (term for term in lists if term.startswith(prefix))
    return heapq.nsmallest(limit, found, key=_encoded)


def _encoded(term: str) -> bytes:
    return term.encode("utf-8", "surrogatepass")
