"""Joins to an answer what is asserted of the things in it and has words of the question (O11).

The card of a thing says what it is, not what it runs on. So its edges are looked through: an
edge joins where its relation, or the name of its other end, has a word of the question besides
those that named the thing itself. It goes through the read gate like any hit, with both ends,
and is called by their names.

No database is opened for that: the file of an edge is named after its ends, and what a thing is
an end of is found by the names of the files in the ledger that is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from itertools import groupby
from typing import Final

from memfs.index.search import MOST_CHARACTERS, MOST_TERMS
from memfs.model.frozen import frozen
from memfs.model.graph import EDGE_KIND, ENTITY_KIND
from memfs.model.ids import EDGE_PREFIX, short_id, split_version
from memfs.model.packet import ScoredRecord
from memfs.model.query import Query
from memfs.model.record import Record, StoredRecord
from memfs.policy.graph_links import names_of_entity
from memfs.policy.relations import ends_of_edge, is_pressure, joined_by
from memfs.services.ranking import CONFLICT, GRAPH, MOST_EDGES, RELATED_KINDS
from memfs.services.recall_reader import Reader
from memfs.services.reindex import analyzer_of
from memfs.services.served_records import record_from
from memfs.store.layout import EDGE_FOLDER
from memfs.store.snapshot import TreeEntry

MOST_READ: Final = 64
"""So many edges of one thing are read: those with a fitting name first, then the newest."""
MOST_ENDS: Final = 8
"""So many things are read for their names alone, for one answer."""
_FOLDER: Final = EDGE_FOLDER.rstrip("/")
_NAMED_BY_ID: Final = f"{EDGE_PREFIX}_"
"""How the files of edges begin that are not named after their ends."""


def with_edges(reader: Reader, order: tuple[ScoredRecord, ...]) -> tuple[ScoredRecord, ...]:
    """Returns an answer with edges behind the hits that they bear on, at most ``MOST_EDGES``."""
    joining = _Joining(reader, order)
    groups = list(_groups(order))
    asked = joining.asked_about(hit for group in groups[: reader.query.limit] for hit in group)
    result: list[ScoredRecord] = []
    room, left = reader.query.limit, MOST_EDGES
    for group in groups:
        result.extend(group)
        room -= 1
        for hit in group:
            most = min(left, room)
            if most > 0 and hit.stored.record.id in asked:
                edges = joining.edges_of(hit, most)
                count = sum(GRAPH in edge.components for edge in edges)
                room, left = room - count, left - count
                result.extend(edges)
    return tuple(replace(item, rank=rank) for rank, item in enumerate(result, start=1))


def _groups(order: Iterable[ScoredRecord]) -> Iterator[list[ScoredRecord]]:
    """Yields each hit with what says otherwise behind it."""
    number = 0

    def group(item: ScoredRecord) -> int:
        nonlocal number
        number += CONFLICT not in item.components
        return number

    return (list(items) for _, items in groupby(order, group))


@frozen(kw_only=False)
class _Fitting:
    """An edge with words of the question: their share of those that did not name the thing."""

    share: float
    entry: TreeEntry


class _Joining:
    """Looks through the edges of the things in one answer."""

    def __init__(self, reader: Reader, order: Iterable[ScoredRecord]) -> None:
        self._reader = reader
        self._sight = reader.sight
        self._analyzer = analyzer_of(self._sight.workspace)
        asked = self._analyzer.terms(reader.query.text[:MOST_CHARACTERS])
        self._asked = frozenset(asked[:MOST_TERMS])
        self._ends: dict[str, StoredRecord | None] = {
            item.stored.record.id: item.stored for item in order
        }
        self._found = {short_id(name) for name in self._ends}
        self._joined = set(self._ends)
        self._looks = MOST_ENDS

    def asked_about(self, hits: Iterable[ScoredRecord]) -> frozenset[str]:
        """Returns the ids of the things that a question is about.

        Those that it calls by a whole name; of the others those that it names most fully:
        ``pier`` of a question about ``pier 7`` names every pier.
        """
        things = [hit.stored.record for hit in hits if hit.stored.record.kind in RELATED_KINDS]
        named = {record.id: self._terms(_names(record)) & self._asked for record in things}

        def is_asked_about(record: Record) -> bool:
            if any(self._is_called(name) for name in _names(record)):
                return True
            others = (named[other.id] for other in things if other.kind == record.kind)
            return not any(named[record.id] < other for other in others)

        return frozenset(record.id for record in filter(is_asked_about, things))

    def _is_called(self, name: str) -> bool:
        terms = self._terms((name,))
        return bool(terms) and terms <= self._asked

    def edges_of(self, hit: ScoredRecord, most: int) -> list[ScoredRecord]:
        """Returns the edges that join behind a hit, best first, each with what says otherwise."""
        record = hit.stored.record
        wanted = self._asked - self._terms(_names(record))
        joined: list[ScoredRecord] = []
        count = 0
        for fitting in self._fitting(record, wanted) if wanted else ():
            edge = self._served(fitting.entry)
            if edge is None:
                continue
            score = self._reader.rank.settings.graph * fitting.share * hit.score
            joined.append(_scored(edge, GRAPH, score))
            joined.extend(_scored(side, CONFLICT, score) for side in self._against(edge))
            count += 1
            if count == most:
                break
        return joined

    def _fitting(self, record: Record, wanted: frozenset[str]) -> list[_Fitting]:
        """Returns the edges of a thing that fit, best first, as files: nothing is judged yet."""
        own = {record.id, *(split_version(name)[0] for name in record.supersedes)}
        workspace, snapshot = self._sight.workspace, self._sight.snapshot
        entries = {entry.blob: entry for entry in self._places(own, wanted)}
        found = []
        for blob, content in snapshot.read_blobs(list(entries)):
            entry = entries[blob]
            stored = record_from(workspace, entry.path, blob, content)
            if stored is None or stored.record.kind != EDGE_KIND:
                continue
            share = self._share(stored.record, own, wanted)
            if share > 0:
                found.append(_Fitting(share, entry))
        found.sort(key=lambda item: item.entry.path, reverse=True)
        found.sort(key=lambda item: -item.share)
        return found

    def _places(self, own: Set[str], wanted: frozenset[str]) -> list[TreeEntry]:
        """Returns where its edges may stand: those whose names fit first, then the newest."""
        marks = [short_id(name) for name in sorted(own)]
        files = self._sight.snapshot.find_part(_FOLDER, *marks, _NAMED_BY_ID)
        found = {entry.path: entry for entry in files}
        others = self._found.difference(marks)

        def is_fitting(path: str) -> bool:
            words = path.rpartition("/")[2].split("-")
            return not others.isdisjoint(words) or not wanted.isdisjoint(self._terms(words))

        paths = sorted(found, reverse=True)
        if len(paths) > MOST_READ:
            paths.sort(key=lambda path: not is_fitting(path))
        return [found[path] for path in paths[:MOST_READ]]

    def _share(self, edge: Record, own: Set[str], wanted: frozenset[str]) -> float:
        """Returns how much of what is wanted an edge has; 0 where it is none of the thing."""
        ends = joined_by(edge)
        if len(ends) != 2 or own.isdisjoint(ends) or own >= {*ends}:
            return 0.0
        other = ends[1] if ends[0] in own else ends[0]
        words = self._terms((ends_of_edge(edge)[1],)) & wanted
        if not words and is_pressure(edge):
            # That two look alike is told where it is asked; as a rule the other is found anyway.
            return 0.0
        end = self._end(other, is_needed=not words)
        # A claim that is in the answer says its words itself.
        is_told = short_id(other) in self._found and end is not None
        if end is not None and (not is_told or end.record.kind in RELATED_KINDS):
            words |= self._terms(_names(end.record)) & wanted
        return len(words) / len(wanted)

    def _end(self, name: str, *, is_needed: bool) -> StoredRecord | None:
        """Returns the other end of an edge, as far as it may be seen."""
        if name not in self._ends:
            if not is_needed or self._looks <= 0:
                return None
            self._looks -= 1
            self._ends[name] = self._sight.end(name)
        return self._ends[name]

    def _served(self, entry: TreeEntry) -> StoredRecord | None:
        """Returns an edge in words, where it may be served whole and the question is for it."""
        found = next(iter(self._reader.read_untold([entry])), None)
        if found is None or not found.path or found.record.id in self._joined:
            return None
        if not _is_asked(found.record, self._reader.query):
            return None
        worded = self._sight.in_words(self._reader.linked(found))
        if worded is not None:
            self._joined.add(worded.record.id)
        return worded

    def _against(self, edge: StoredRecord) -> Iterator[StoredRecord]:
        """Yields the edges that say otherwise: none is served as if nobody contradicted it."""
        for name in edge.record.conflicts:
            for entry in self._sight.snapshot.find_suffix(split_version(name)[0]):
                side = self._served(entry)
                if side is not None:
                    yield side

    def _terms(self, names: Iterable[str]) -> frozenset[str]:
        return frozenset(term for name in names for term in self._analyzer.terms(name))


def _names(record: Record) -> tuple[str, ...]:
    """Returns what a thing is called, as far as it is seen."""
    return names_of_entity(record) if record.kind == ENTITY_KIND else (record.title,)


def _is_asked(record: Record, query: Query) -> bool:
    """Tells whether the filters of a question let an edge through; its words change none."""
    said = record.event_time or record.observed
    if query.since is not None and (said is None or said < query.since):
        return False
    if query.until is not None and (said is None or said >= query.until):
        return False
    if query.branch and record.branch not in ("", query.branch):
        return False
    return set(query.tags) <= set(record.tags)


def _scored(stored: StoredRecord, component: str, score: float) -> ScoredRecord:
    return ScoredRecord(stored=stored, score=score, components={component: score}, rank=0)
