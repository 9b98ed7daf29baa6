"""An index made on the spot from records in hand: for the past, and while none is usable."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from memfs.index.analysis import Analyzer
from memfs.index.batch import Batch, first_terms
from memfs.index.documents import Document, document_from
from memfs.index.likeness import Frequencies
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
        self._analyzer = analyzer
        self._take(batch, ledger)

    def _take(self, batch: Batch, ledger: str) -> None:
        self.ledger = ledger
        self._lists = batch.lists
        self._columns = batch.columns()
        self._searcher = Searcher(
            [self._columns], self._blocks, self._starting_with, self._analyzer
        )

    @property
    def size(self) -> int:
        """Number of records."""
        return self._searcher.size

    def gates(self) -> dict[str, int]:
        """Returns how many records are behind each gate."""
        return self._searcher.gates()

    def frequencies(
        self,
        query: IndexQuery,
        terms: Collection[str],
        scoring: ScoringSettings = DEFAULT_SCORING,
    ) -> Frequencies:
        """Returns in how many of the records that ``query`` may see each of some terms stands."""
        return self._searcher.frequencies(query, terms, scoring)

    def search(
        self, query: IndexQuery, scoring: ScoringSettings = DEFAULT_SCORING
    ) -> list[IndexHit]:
        """Returns the best hits, best first, ties by path."""
        return self._searcher.search(query, scoring)

    def overlaid(
        self, *, removed: Collection[str], added: Sequence[Document], ledger: str
    ) -> MemoryIndex:
        """Returns an index in which other documents stand for some paths."""
        postings = (
            (name, term, (found,))
            for name, terms in self._lists.items()
            for term, found in terms.items()
        )
        gone = {number for path in removed for number in self._columns.find_all(path)}
        batch = Batch()
        batch.absorb(self._columns, postings, gone)
        for document in added:
            batch.add(document)
        changed = MemoryIndex((), ledger=ledger, analyzer=self._analyzer)
        changed._take(batch, ledger)
        return changed

    def _blocks(
        self, field_name: str, term: str
    ) -> Iterable[tuple[Sequence[int], Sequence[float]]]:
        found = self._lists[field_name].get(term)
        return (found,) if found else ()

    def _starting_with(self, field_name: str, prefix: str, limit: int) -> list[str]:
        return first_terms(self._lists[field_name], prefix, limit)
