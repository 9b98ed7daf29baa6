"""An index made on the spot from records in hand: for the past, and while none is usable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memfs.index.analysis import Analyzer
from memfs.index.batch import Batch, first_terms
from memfs.index.documents import document_from
from memfs.index.port import (
    DEFAULT_INDEXING,
    DEFAULT_SCORING,
    IndexHit,
    IndexQuery,
    IndexSettings,
    ScoringSettings,
)
from memfs.index.search import Searcher
from memfs.model.record import StoredRecord


class MemoryIndex:
    """Holds the postings of a handful of records up to a few thousand; nothing is written."""

    def __init__(
        self,
        records: Iterable[StoredRecord],
        *,
        ledger: str,
        analyzer: Analyzer,
        settings: IndexSettings = DEFAULT_INDEXING,
    ) -> None:
        batch = Batch(document_from(stored, analyzer, settings.weights) for stored in records)
        self.ledger = ledger
        self._lists = batch.lists
        self._searcher = Searcher([batch.columns()], self._blocks, self._starting_with, analyzer)

    @property
    def size(self) -> int:
        """Number of records."""
        return self._searcher.size

    def search(
        self, query: IndexQuery, scoring: ScoringSettings = DEFAULT_SCORING
    ) -> list[IndexHit]:
        """Returns the best hits, best first, ties by path."""
        return self._searcher.search(query, scoring)

    def _blocks(
        self, field_name: str, term: str
    ) -> Iterable[tuple[Sequence[int], Sequence[float]]]:
        found = self._lists[field_name].get(term)
        return (found,) if found else ()

    def _starting_with(self, field_name: str, prefix: str, limit: int) -> list[str]:
        return first_terms(self._lists[field_name], prefix, limit)
