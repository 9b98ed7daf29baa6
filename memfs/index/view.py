"""The documents of an index that one asker may see, with the statistics of just those."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import compress
from typing import Protocol, TypeAlias

from memfs.index.port import ScoringSettings

Postings: TypeAlias = tuple[Sequence[int], Sequence[float]]

_SHORTEST_STEM = 4
_MOST_KINDRED = 8
_MOST_LOOKED_AT = 8 * 4**4
"""How many words are looked through for some that stand in documents that may be seen."""
_KEPT_POSTINGS = 3_000_000
"""Decoded postings kept for the next question, 15 MB where words are counted in bytes."""
_MOST_HIDDEN = 1024
_LOOKUP = 8
"""So few hidden documents are looked up in a list, instead of the list in the mask."""


class PostingSource(Protocol):
    """What a view needs of an index; document numbers are dense and start at 0."""

    @property
    def lengths(self) -> Sequence[int]:
        """Number of terms of each document."""
        ...

    @property
    def groups(self) -> Sequence[int]:
        """Session number of each document, 0 for none."""
        ...

    @property
    def sequences(self) -> Sequence[int]:
        """Place of each document in its session."""
        ...

    def path(self, document: int) -> str:
        """Returns the path of a document."""
        ...

    def speakers_of(self, mask: bytes | None) -> frozenset[str]:
        """Returns the folded names of those who speak in the documents of a mask, or in any."""
        ...

    def blocks(self, field_name: str, term: str) -> Iterable[Postings]:
        """Returns numbers and weights of the documents that have ``term``, in blocks."""
        ...

    def starting_with(self, field_name: str, prefix: str, limit: int) -> list[str]:
        """Returns the first terms, in order of their bytes, that begin with ``prefix``."""
        ...


class View:
    """Visible documents; what is computed once is kept while the view is.

    Args:
        source: The index.
        mask: One byte a document, 0 for hidden; ``None`` when all are visible.
        scoring: Saturation, length floor and reach.
    """

    def __init__(self, source: PostingSource, mask: bytes | None, scoring: ScoringSettings) -> None:
        self._source = source
        self._mask = mask
        self._scoring = scoring
        self._kept: dict[tuple[str, str], Postings] = {}
        self._kept_size = 0
        self.groups = source.groups
        self.around: dict[int, tuple[int, ...]] = {}
        self.near_norms: dict[int, float] = {}
        floor = scoring.length_floor
        floored = [length if length > floor else floor for length in source.lengths]
        if mask is None:
            self.count = len(floored)
            total = sum(floored)
        else:
            self.count = sum(mask)
            total = sum(length for length, seen in zip(floored, mask, strict=True) if seen)
        is_few = mask is not None and mask.count(0) <= _MOST_HIDDEN
        self._hidden = _zeros(mask) if mask is not None and is_few else None
        self._mean = max(1.0, total / self.count if self.count else 1.0)
        self._base = scoring.k1 * (1.0 - scoring.b)
        slope = scoring.k1 * scoring.b / self._mean
        self.norms = [self._base + slope * length for length in floored]
        self.least_norm = min(self.norms, default=self._base)

    @cached_property
    def speakers(self) -> frozenset[str]:
        """Folded names of those who speak in visible documents."""
        return self._source.speakers_of(self._mask)

    @cached_property
    def has_groups(self) -> bool:
        """Whether any document belongs to a session."""
        return any(self.groups)

    @cached_property
    def members(self) -> dict[int, list[int]]:
        """Visible documents of each session, in order."""
        members: dict[int, list[int]] = {}
        mask = self._mask
        for document, group in enumerate(self.groups):
            if group and (mask is None or mask[document]):
                members.setdefault(group, []).append(document)
        sequences, path = self._source.sequences, self._source.path
        for documents in members.values():
            documents.sort(key=lambda document: (sequences[document], path(document)))
        return members

    @cached_property
    def group_norms(self) -> dict[int, float]:
        """Length term of each session's text."""
        lengths = self._source.lengths
        sizes = {g: sum(lengths[d] for d in members) for g, members in self.members.items()}
        mean = max(1.0, sum(sizes.values()) / max(1, len(sizes)))
        slope = self._scoring.k1 * self._scoring.b / mean
        return {group: self._base + slope * size for group, size in sizes.items()}

    def documents(self) -> list[int]:
        """Returns the numbers of all visible documents."""
        if self._mask is None:
            return list(range(self.count))
        return [number for number, seen in enumerate(self._mask) if seen]

    def postings(self, field_name: str, term: str) -> Postings:
        """Returns the visible documents that have ``term``, ascending, and its weights."""
        key = (field_name, term)
        kept = self._kept.get(key)
        if kept is None:
            kept = self._read(field_name, term)
            self._kept_size += len(kept[0])
            if self._kept_size > _KEPT_POSTINGS:
                self._kept.clear()
                self._kept_size = len(kept[0])
            self._kept[key] = kept
        return kept

    def kindred(self, term: str) -> Postings:
        """Returns postings for a word that nobody has written in just this form.

        Words that begin with it count, and so does the longest word that it begins with:
        ``config`` for ``configuration`` and the other way round.
        """
        if len(term) < _SHORTEST_STEM or not term.isalpha():
            return (), ()
        found = self._seen_starting_with(term)
        if not found:
            shortest = max(_SHORTEST_STEM + 1, -(-len(term) * 3 // 5))
            heads = (term[:size] for size in range(len(term) - 1, shortest - 1, -1))
            found = [head for head in heads if self.postings("text", head)[0]][:1]
        counts: dict[int, float] = {}
        for kin in found:
            for document, count in zip(*self.postings("text", kin), strict=True):
                counts[document] = max(count, counts.get(document, 0.0))
        documents = sorted(counts)
        return documents, [counts[document] for document in documents]

    def _seen_starting_with(self, prefix: str) -> list[str]:
        """Returns the first words that begin with ``prefix`` in documents that may be seen.

        A word that stands in hidden documents alone must not take the place of another.
        """
        if self._mask is None:
            return self._source.starting_with("text", prefix, _MOST_KINDRED)
        most = _MOST_KINDRED
        while True:
            terms = self._source.starting_with("text", prefix, most)
            seen = [term for term in terms if self.postings("text", term)[0]]
            if len(seen) >= _MOST_KINDRED or len(terms) < most or most >= _MOST_LOOKED_AT:
                return seen[:_MOST_KINDRED]
            most *= 4

    def place(self, document: int) -> tuple[int, ...]:
        """Returns the visible neighbours of ``document``; places its whole session at once."""
        found = self.around.get(document)
        if found is not None:
            return found
        group = self.groups[document]
        if not group:
            return ()
        documents = self.members[group]
        lengths, reach = self._source.lengths, self._scoring.reach
        # A turn at the end of a session has half of the neighbours and no more to say for it.
        floor = self._scoring.length_floor * reach
        mean = max(1.0, self._mean * 2 * reach)
        slope = self._scoring.k1 * self._scoring.b / mean
        for place, member in enumerate(documents):
            before = documents[max(0, place - reach) : place]
            near = (*before, *documents[place + 1 : place + 1 + reach])
            self.around[member] = near
            size = sum(lengths[neighbour] for neighbour in near)
            self.near_norms[member] = self._base + slope * max(size, floor)
        return self.around[document]

    def _read(self, field_name: str, term: str) -> Postings:
        documents = array("I")
        weights: bytearray | array[float] = bytearray()
        for numbers, counts in self._source.blocks(field_name, term):
            documents.extend(numbers)
            if isinstance(weights, bytearray) and not isinstance(counts, bytes):
                # An array made of a bytearray takes its bytes for machine values.
                weights = array("f", list(weights))
            weights.extend(counts)  # type: ignore[arg-type]
        return self._seen(documents, weights)

    def _seen(self, documents: array[int], weights: bytearray | array[float]) -> Postings:
        mask, hidden = self._mask, self._hidden
        if mask is None:
            return documents, weights
        if hidden is not None and len(documents) > _LOOKUP * len(hidden):
            for number in hidden:
                place = bisect_left(documents, number)
                if place < len(documents) and documents[place] == number:
                    del documents[place], weights[place]
            return documents, weights
        seen = bytes(map(mask.__getitem__, documents))
        documents = array("I", compress(documents, seen))
        if isinstance(weights, bytearray):
            return documents, bytes(compress(weights, seen))
        return documents, array("f", compress(weights, seen))


def _zeros(mask: bytes) -> list[int]:
    places = []
    place = mask.find(0)
    while place >= 0:
        places.append(place)
        place = mask.find(0, place + 1)
    return places
