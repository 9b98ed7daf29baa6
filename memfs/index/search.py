"""Answers a query over the segments of one index: visibility first, then score, then order."""

from __future__ import annotations

import heapq
import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from itertools import compress
from operator import and_
from typing import Final, TypeAlias

from memfs.index.analysis import Analyzer
from memfs.index.columns import Columns
from memfs.index.dates import asks_time, is_time_word, question_keys
from memfs.index.documents import NO_INSTANT
from memfs.index.likeness import Frequencies
from memfs.index.port import IndexHit, IndexQuery, ScoringSettings
from memfs.index.scoring import Question, Tally, tally
from memfs.index.view import View

MOST_CHARACTERS: Final = 20_000
MOST_TERMS: Final = 96
MOST_IDS: Final = 16
"""A question may be a whole prompt; what is looked up for it stays bounded."""
_ID: Final = r"\b[a-z]{2,8}_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}\b"

Blocks: TypeAlias = Callable[[str, str], Iterable[tuple[Sequence[int], Sequence[float]]]]

StartingWith: TypeAlias = Callable[[str, str, int], list[str]]


class Searcher:
    """Scores over a fixed list of segments; keeps the last view for the next question."""

    def __init__(
        self,
        segments: Sequence[Columns],
        blocks: Blocks,
        starting_with: StartingWith,
        analyzer: Analyzer,
        deleted: Sequence[frozenset[int]] = (),
    ) -> None:
        self._segments = segments
        self._deleted = deleted or [frozenset()] * len(segments)
        self.blocks = blocks
        self.starting_with = starting_with
        self._analyzer = analyzer
        self._bases = _bases(segments)
        self._bounded = [_bounded(segment) for segment in segments]
        self.lengths = _joined("H", [segment.lengths for segment in segments])
        self.groups = _joined("q", [segment.groups for segment in segments])
        self.sequences = _joined("I", [segment.sequences for segment in segments])
        self._instants = _joined("q", [segment.instants for segment in segments])
        self._view: tuple[object, View] | None = None

    @property
    def size(self) -> int:
        """Number of live documents."""
        return len(self.lengths) - sum(len(deleted) for deleted in self._deleted)

    def gates(self) -> dict[str, int]:
        """Returns how many live documents are behind each gate."""
        found: dict[str, int] = {}
        for columns, deleted in zip(self._segments, self._deleted, strict=True):
            counts = Counter(columns.gates)
            counts.subtract(columns.gates[number] for number in deleted)
            for gate, number in counts.items():
                name = columns.gate_names[gate]
                found[name] = found.get(name, 0) + number
        return found

    def search(self, query: IndexQuery, scoring: ScoringSettings) -> list[IndexHit]:
        """Returns the best hits, best first, ties by path."""
        view = self._visible(query, scoring)
        if not view.count:
            return []
        if query.is_listing or (not query.text.strip() and query.keys):
            return self._listed(view, query)
        question = self._question(query, view)
        sums = tally(view, question, scoring, limit=query.limit)
        return self._ranked(query, scoring, sums, question, view)

    def frequencies(
        self, query: IndexQuery, terms: Iterable[str], scoring: ScoringSettings
    ) -> Frequencies:
        """Returns in how many of the visible documents each of some terms stands."""
        view = self._visible(query, scoring)
        having = {term: len(view.postings("text", term)[0]) for term in dict.fromkeys(terms)}
        return Frequencies(count=view.count, having=having)

    def _listed(self, view: View, query: IndexQuery) -> list[IndexHit]:
        """Returns the visible documents, those that have the keys asked for, newest first."""
        instants, weighed = self._instants, query.by_importance
        keyed = [(-self.importance(d) if weighed else 0, -instants[d], d) for d in view.documents()]
        best = heapq.nsmallest(query.limit, keyed) if query.limit < len(keyed) else keyed
        edge = max(best)[:2] if best else (0, 0)
        tied = [item for item in keyed if item[:2] <= edge] if best is not keyed else keyed
        # Files are named by ascending ids: of one instant, a listing has the later path first.
        tied.sort(key=lambda item: self.path(item[2]), reverse=query.is_listing)
        tied.sort(key=lambda item: item[:2])
        documents = [document for _, _, document in tied]
        return [
            IndexHit(path=self.path(d), blob=self.blob(d), score=0.0, coverage=1.0, parts={})
            for d in documents[: query.limit]
        ]

    def _question(self, query: IndexQuery, view: View) -> Question:
        """Takes a question apart: words, ids, days, and the speakers that it is about.

        Only a speaker of a record that may be seen is one: any other name is a word.
        """
        text = query.text[:MOST_CHARACTERS]
        known = {word: name for name in view.speakers if name for word in (name, *name.split())}
        words = self._analyzer.words(text)
        terms_of = self._analyzer.terms_of_word
        named: set[str] = set()
        names: set[str] = set()
        for word in words if known else ():
            folded = word.casefold().partition("'")[0]
            if folded in known:
                named.add(known[folded])
                names.update(terms_of(word))
            elif self._analyzer.is_first_person(word):
                named.update(known[name] for name in query.asker if name in known)
        terms = self._analyzer.terms(text)
        # Whoever is asked about is no topic, unless there is no other.
        topics = tuple(term for term in terms if term not in names) or terms
        dates = question_keys(text, date.fromisoformat(query.asked) if query.asked else None)
        timed = filter(is_time_word, words) if dates else ()
        return Question(
            terms=topics[:MOST_TERMS],
            ids=tuple(dict.fromkeys(re.findall(_ID, text)))[:MOST_IDS],
            dates=dates,
            dated_terms=frozenset(term for word in timed for term in terms_of(word)),
            speakers=frozenset(named),
            asks_time=asks_time(text),
        )

    def _ranked(
        self,
        query: IndexQuery,
        scoring: ScoringSettings,
        sums: Tally,
        question: Question,
        view: View,
    ) -> list[IndexHit]:
        scores = dict(sums.own)
        for weight, part in (
            (scoring.neighbour, sums.near),
            (scoring.session, sums.session),
            (scoring.dates, sums.dates),
        ):
            for document, score in part.items():
                scores[document] = scores.get(document, 0.0) + weight * score
        named = question.speakers
        when = question.asks_time and scoring.states_time != 1.0
        if named or when:
            for document, score in scores.items():
                segment, local = self._locate(document)
                columns = self._segments[segment]
                if named and columns.speaker_names[columns.speakers[local]] in named:
                    score *= scoring.speaker
                if when and columns.states_time(local):
                    score *= scoring.states_time
                scores[document] = score
        return [
            self._hit(score, document, sums, scoring, view)
            for score, document in self._best(scores, query.limit)
        ]

    def _best(self, scores: dict[int, float], limit: int) -> list[tuple[float, int]]:
        if len(scores) > limit:
            least = heapq.nlargest(limit, scores.values())[-1]
            best = [(score, document) for document, score in scores.items() if score >= least]
        else:
            best = [(score, document) for document, score in scores.items()]
        return sorted(best, key=lambda item: (-item[0], self.path(item[1])))[:limit]

    def _hit(
        self, score: float, document: int, sums: Tally, scoring: ScoringSettings, view: View
    ) -> IndexHit:
        around = view.place(document) if view.has_groups and scoring.neighbour else ()
        parts = {
            "own": sums.own.get(document, 0.0),
            "neighbour": scoring.neighbour * sums.near.get(document, 0.0),
            "session": scoring.session * sums.session.get(document, 0.0),
            "dates": scoring.dates * sums.dates.get(document, 0.0),
        }
        return IndexHit(
            path=self.path(document),
            blob=self.blob(document),
            score=score,
            coverage=sums.coverage(document, around, scoring.neighbour),
            parts=parts,
        )

    def _locate(self, document: int) -> tuple[int, int]:
        segment = bisect_right(self._bases, document) - 1 if len(self._bases) > 1 else 0
        return segment, document - self._bases[segment]

    def path(self, document: int) -> str:
        """Returns the store-relative path of a document."""
        segment, local = self._locate(document)
        return self._segments[segment].path(local)

    def instant(self, document: int) -> int:
        """Returns when a document happened or was said."""
        segment, local = self._locate(document)
        return self._segments[segment].instants[local]

    def importance(self, document: int) -> int:
        """Returns how important a document is, 1 to 10."""
        segment, local = self._locate(document)
        return self._segments[segment].importance(local)

    def speakers_of(self, mask: bytes | None) -> frozenset[str]:
        """Returns the folded names of those who speak in the documents of a mask, or in any."""
        found: set[str] = set()
        for base, columns in zip(self._bases, self._segments, strict=True):
            if mask is None or len(columns.speaker_names) == 1:
                found.update(columns.speaker_names)
            else:
                seen = mask[base : base + len(columns)]
                numbers = set(compress(columns.speakers, seen))
                found.update(columns.speaker_names[number] for number in numbers)
        return frozenset(found)

    def blob(self, document: int) -> str:
        """Returns the blob id that was indexed for a document."""
        segment, local = self._locate(document)
        return self._segments[segment].blob(local)

    def _visible(self, query: IndexQuery, scoring: ScoringSettings) -> View:
        open_gates = tuple(
            bytes(query.is_open(gate) for gate in segment.gate_names) for segment in self._segments
        )
        invalid = tuple(self._invalid(query.valid_at))
        key = (open_gates, invalid, query.keys, query.since, query.until, scoring)
        if self._view is None or self._view[0] != key:
            mask = self._mask(query, open_gates, invalid)
            self._view = (key, View(self, mask, scoring))
        return self._view[1]

    def _invalid(self, moment: int | None) -> Iterator[int]:
        """Yields the documents that are not valid at a moment; only a few have any bounds."""
        if moment is None:
            return
        for base, columns, bounded in zip(self._bases, self._segments, self._bounded, strict=True):
            for document in bounded:
                start, end = columns.valid_from[document], columns.valid_until[document]
                if start > moment or (end != NO_INSTANT and end <= moment):
                    yield base + document

    def _mask(
        self, query: IndexQuery, open_gates: tuple[bytes, ...], invalid: tuple[int, ...]
    ) -> bytes | None:
        parts = [
            _segment_mask(columns, gates, deleted, query)
            for columns, gates, deleted in zip(
                self._segments, open_gates, self._deleted, strict=True
            )
        ]
        if not query.keys and not invalid and all(part is None for part in parts):
            return None
        mask = bytearray().join(
            b"\1" * len(columns) if part is None else part
            for columns, part in zip(self._segments, parts, strict=True)
        )
        for document in invalid:
            mask[document] = 0
        for key in query.keys:
            having = bytearray(len(mask))
            for documents, _ in self.blocks("key", key):
                for document in documents:
                    having[document] = 1
            mask = bytearray(map(and_, mask, having))
        return bytes(mask)


def _bases(segments: Sequence[Columns]) -> list[int]:
    bases, base = [], 0
    for segment in segments:
        bases.append(base)
        base += len(segment)
    return bases


def _joined(typecode: str, parts: Sequence[array[int]]) -> array[int]:
    if len(parts) == 1:
        return parts[0]
    joined: array[int] = array(typecode)
    for part in parts:
        joined.extend(part)
    return joined


def _segment_mask(
    columns: Columns, gates: bytes, deleted: frozenset[int], query: IndexQuery
) -> bytearray | None:
    timed = query.since is not None or query.until is not None
    if all(gates) and not deleted and not timed:
        return None
    mask = bytearray(map(gates.__getitem__, columns.gates))
    for document in deleted:
        mask[document] = 0
    if timed:
        since = NO_INSTANT + 1 if query.since is None else query.since
        until = 2**63 if query.until is None else query.until
        for document, instant in enumerate(columns.instants):
            if not since <= instant < until:
                mask[document] = 0
    return mask


def _bounded(columns: Columns) -> list[int]:
    """Returns the documents that are not valid at all times."""
    if not columns.has_validity:
        return []
    return [
        document
        for document, bounds in enumerate(zip(columns.valid_from, columns.valid_until, strict=True))
        if bounds != (NO_INSTANT, NO_INSTANT)
    ]
