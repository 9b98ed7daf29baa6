"""Orders what a search found: several signals, each weighted, logged and switchable (A55).

Only what matches is ranked; recency, importance and the rest reorder and never bring in
anything. Equal scores are ordered by path, to the last byte (A95).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from types import MappingProxyType
from typing import Final

from memfs.index.documents import session_of
from memfs.index.port import IndexHit
from memfs.model.event import EVENT_KIND
from memfs.model.frozen import frozen
from memfs.model.graph import EDGE_KIND, ENTITY_KIND
from memfs.model.packet import ScoredRecord
from memfs.model.query import Query
from memfs.model.record import Record, StoredRecord
from memfs.model.settings import RankSettings
from memfs.model.text import statement_of

CONFLICT: Final = "conflict"
"""Component of a hit that is there for what it says otherwise than the hit before it."""
GRAPH: Final = "graph"
"""Component of a hit that is there for what it says of the hit before it: an edge."""
MOST_EDGES: Final = 3
"""So many edges join one answer."""
RELATED_KINDS: Final = frozenset({ENTITY_KIND, "note"})
"""Kinds of the hits that bring along what is asserted of them."""
RUN_KIND: Final = "run"
RUN_TIES: Final = ("root", "parent", "session")
"""Fields by which a run hangs together with others: its chain and its chat."""
EVENT_TIES: Final = ("run", "session")
"""Fields by which an event hangs together with the run and the chat in which it happened."""
_OF_RUN: Final = "run:"
"""How the source of a record begins that came out of a run."""
_NO_UTILITY: Final[Mapping[str, float]] = MappingProxyType({})
_SECONDS_A_DAY = 86_400.0
_MOST_IMPORTANT = 10.0


@frozen
class Match:
    """A hit of the index together with the record as re-read from the ledger."""

    hit: IndexHit
    stored: StoredRecord


@frozen
class RankContext:
    """What the rank depends on besides the records.

    Attributes:
        settings: Weights.
        now: The moment that ages are measured from.
        branch: Branch of the project that is checked out; empty for unknown.
        ties: Runs and sessions that the asker works in, by id.
        similarity: What vectors add to the score of words, by id: how far nearer to the question
            than the average a record is, in the measure of those scores (``index.fusion``).
        utility: What records have proved to be good for, by reference; -1 to 1.
    """

    settings: RankSettings
    now: datetime
    branch: str = ""
    ties: frozenset[str] = frozenset()
    similarity: Mapping[str, float] = field(default_factory=lambda: _NO_UTILITY)
    utility: Mapping[str, float] = field(default_factory=lambda: _NO_UTILITY)


def is_answered(matches: Iterable[Match], settings: RankSettings) -> bool:
    """Tells whether anything found is close enough to the question to be an answer (A17).

    The measure is the share of the question, weighted by how telling its words are, that the
    words of the best record cover; it does not depend on the size of the store.
    """
    return any(match.hit.coverage >= settings.floor for match in matches)


def ranked(matches: Sequence[Match], context: RankContext) -> tuple[ScoredRecord, ...]:
    """Returns the matches with their components, best first."""
    best = max((match.hit.score for match in matches), default=0.0)
    scored = [(_components(match, best, context), match) for match in matches]
    scored.sort(key=lambda item: (-sum(item[0].values()), _place(item[1].stored)))
    return tuple(
        ScoredRecord(
            stored=match.stored,
            score=sum(components.values()),
            components=components,
            rank=rank,
        )
        for rank, (components, match) in enumerate(scored, start=1)
    )


def without_repeats(
    order: Sequence[ScoredRecord],
) -> tuple[tuple[ScoredRecord, ...], tuple[ScoredRecord, ...]]:
    """Splits an order into the first record of each wording and those that only repeat one.

    Only the same words count as a repetition; what is merely alike stays (C11).
    """
    seen: set[str] = set()
    distinct: list[ScoredRecord] = []
    repeats: list[ScoredRecord] = []
    for item in order:
        record = item.stored.record
        statement = f"{statement_of(record.title, record.said)}\0{record.field_text}"
        (repeats if statement in seen else distinct).append(item)
        seen.add(statement)
    return tuple(distinct), tuple(repeats)


def may_bring_edges(order: Sequence[ScoredRecord], query: Query, settings: RankSettings) -> bool:
    """Tells whether what was found can be related to anything that the question has words of.

    A question about one subject, or for other kinds, is not answered with edges.
    """
    if settings.graph <= 0 or query.is_opening or query.subject or not query.text.strip():
        return False
    if query.kinds and EDGE_KIND not in query.kinds:
        return False
    return any(item.stored.record.kind in RELATED_KINDS for item in order)


def at_most_edges(order: Iterable[ScoredRecord]) -> list[ScoredRecord]:
    """Returns an order without the edges beyond ``MOST_EDGES``, with what says otherwise of each.

    Nothing is told of those: only what was asked for can be left out.
    """
    kept: list[ScoredRecord] = []
    count, is_beyond = 0, False
    for item in order:
        if CONFLICT not in item.components:
            is_edge = GRAPH in item.components
            count += is_edge
            is_beyond = is_edge and count > MOST_EDGES
        if not is_beyond:
            kept.append(item)
    return kept


def within_limit(
    order: Sequence[ScoredRecord], limit: int
) -> tuple[tuple[ScoredRecord, ...], tuple[ScoredRecord, ...]]:
    """Splits an order behind its first ``limit`` hits; what says otherwise stays with its hit.

    A contradicted claim is never served alone because a limit ran out (A15).
    """
    count = 0
    for place, item in enumerate(order):
        count += CONFLICT not in item.components
        if count > limit:
            return tuple(order[:place]), tuple(order[place:])
    return tuple(order), ()


def _place(stored: StoredRecord) -> str:
    """Orders equals; of a record that is seen in part the path is not known."""
    return stored.path or stored.record.id


def _components(match: Match, best: float, context: RankContext) -> dict[str, float]:
    weights = context.settings
    record = match.stored.record
    keyword = match.hit.score / best if best > 0 else 1.0
    near = {}
    if record.id in context.similarity:
        near["vector"] = weights.vector * context.similarity[record.id]
    return near | {
        "keyword": weights.keyword * keyword,
        "recency": weights.recency * recency(record, context.now, weights.half_life_days),
        "importance": weights.importance * record.importance / _MOST_IMPORTANT,
        "lineage": weights.lineage * _lineage(record, context),
        "outcome": weights.outcome * context.utility.get(record.reference, 0.0),
    }


def recency(record: Record, now: datetime, half_life_days: float) -> float:
    """Returns one half to the power of the age in half-lives; 0 for an unknown age."""
    said = record.event_time or record.observed
    if said is None or half_life_days <= 0:
        return 0.0
    age = max(0.0, (now - said).total_seconds() / _SECONDS_A_DAY)
    return float(0.5 ** (age / half_life_days))


def _lineage(record: Record, context: RankContext) -> float:
    """1 for what was learned on the branch that is checked out, or in the same chain or chat."""
    if context.branch and record.branch == context.branch:
        return 1.0
    return 1.0 if context.ties and not context.ties.isdisjoint(ties_of(record)) else 0.0


def ties_of(record: Record) -> Iterator[str]:
    """Yields the runs and the session that a record came out of, by id (C24)."""
    session, _ = session_of(record)
    if session:
        yield session
    source = record.origin.source if record.origin is not None else ""
    if source.startswith(_OF_RUN):
        yield source[len(_OF_RUN) :]
    if record.kind in (RUN_KIND, EVENT_KIND):
        yield record.id
        for name in RUN_TIES if record.kind == RUN_KIND else EVENT_TIES:
            tie = record.fields.get(name)
            if tie and isinstance(tie, str):
                yield tie
