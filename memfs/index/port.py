"""What an index is asked and what it answers; two implementations stand behind it.

The stored index (``whoosh_index``) and the one made on the spot (``memory_index``, for
scanning when there is no usable index and for the past) share analysis, documents and
scoring, so that both give the same answer to the same records. An index never decides
what may be seen: callers say which *gates* are open, and re-read and re-check each hit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from memfs.index.analysis import AnalysisSettings
from memfs.model.frozen import frozen

if TYPE_CHECKING:
    from memfs.index.documents import Document
    from memfs.index.likeness import Frequencies

SCHEMA_VERSION = 6
"""Raised whenever the same records would be indexed differently; older indexes are rebuilt."""


@frozen
class FieldWeights:
    """How much a word counts by where it stands; 0 leaves the field out of the index."""

    title: float = 1.0
    body: float = 1.0
    subject: float = 1.0
    tags: float = 1.0


@frozen
class ScoringSettings:
    """Every signal of the keyword score; each can be switched off by its neutral value.

    Attributes:
        k1: Saturation of repeated words.
        b: How much length counts, 0 to 1.
        length_floor: Records shorter than this many terms count as this long.
        neighbour: Weight of the text of neighbouring records of the same session; 0 is off.
        reach: How many neighbours on either side.
        session: Weight of the text of the whole session; 0 is off.
        speaker: Factor for records of the speaker asked about; 1 is off.
        dates: Weight of calendar keys; 0 is off.
        recorded: What the day counts on which a record was made, beside a day that it tells of;
            0 is off, and 1 as much.
        kindred: Weight of words that begin alike, for a word that nobody has written; 0 is off.
        states_time: Factor for records that state a time when a time is asked; 1 is off.
    """

    k1: float = 2.0
    b: float = 1.0
    length_floor: int = 25
    neighbour: float = 0.6
    reach: int = 2
    session: float = 0.4
    speaker: float = 2.0
    dates: float = 0.6
    recorded: float = 0.4
    states_time: float = 1.3
    kindred: float = 0.5


DEFAULT_SCORING = ScoringSettings()


@frozen
class IndexSettings:
    """What is fixed when records are indexed; a change of it means a new generation."""

    analysis: AnalysisSettings = field(default_factory=AnalysisSettings)
    weights: FieldWeights = field(default_factory=FieldWeights)

    @property
    def digest(self) -> str:
        """Short digest by which an index made with other settings is told."""
        text = repr(self).encode("utf-8")
        return hashlib.blake2b(text, digest_size=8).hexdigest()


DEFAULT_INDEXING = IndexSettings()


@frozen
class IndexQuery:
    """One search.

    Attributes:
        text: Free words.
        keys: Exact keys that a record must all have (``subject:…``, ``tag:…``).
        is_open: Tells whether records behind a gate may be seen; asked once a gate.
        since: Earliest instant, seconds since the epoch.
        until: First instant that is too late.
        valid_at: Instant at which a record must be valid.
        asked: Today as ``YYYY-MM-DD`` for "last week" in the question; empty for unknown.
        asker: Names under which the asker speaks in records.
        limit: At most this many hits.
        is_listing: Every record behind the open gates, newest first, whatever its words; of one
            instant the later path first.
        by_importance: A listing begins with the most important ones.
    """

    text: str
    keys: tuple[str, ...] = ()
    is_open: Callable[[str], bool]
    since: int | None = None
    until: int | None = None
    valid_at: int | None = None
    asked: str = ""
    asker: tuple[str, ...] = ()
    limit: int = 50
    is_listing: bool = False
    by_importance: bool = False


@frozen
class IndexHit:
    """One match.

    Attributes:
        path: Store-relative path.
        blob: Blob id of the bytes that were indexed.
        score: Keyword score, comparable within one answer only.
        coverage: Share of the question's weight that the record's own words cover, 0 to 1.
        parts: What each signal added to ``score``.
    """

    path: str
    blob: str
    score: float
    coverage: float
    parts: dict[str, float]


class RecordIndex(Protocol):
    """Answers searches over the records of one commit."""

    @property
    def ledger(self) -> str:
        """The commit that the index stands for."""
        ...

    @property
    def size(self) -> int:
        """Number of records."""
        ...

    def search(
        self, query: IndexQuery, scoring: ScoringSettings = DEFAULT_SCORING
    ) -> list[IndexHit]:
        """Returns the best hits, best first, ties by path; unseen records leave no trace."""
        ...

    def frequencies(
        self,
        query: IndexQuery,
        terms: Collection[str],
        scoring: ScoringSettings = DEFAULT_SCORING,
    ) -> Frequencies:
        """Returns in how many of the records that ``query`` may see each of some terms stands."""
        ...

    def gates(self) -> Mapping[str, int]:
        """Returns how many records are behind each gate."""
        ...

    def overlaid(
        self, *, removed: Collection[str], added: Sequence[Document], ledger: str
    ) -> RecordIndex:
        """Returns an index in which other documents stand for some paths; changes nothing here.

        Args:
            removed: Paths whose documents are left out.
            added: Documents that are known besides.
            ledger: The commit that the result stands for.
        """
        ...
