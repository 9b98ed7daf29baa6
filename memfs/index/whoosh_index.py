"""The stored index: Whoosh segments on disk, read by block, with an overlay for what is newer.

Opening reads the manifest and the columns; postings are mapped and read on demand. An index
is a fixed picture: a later change of the folder is seen by opening it again. Readers take no
lock at any time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from memfs.errors import IndexUnavailableError
from memfs.index.analysis import Analyzer
from memfs.index.batch import Batch, first_terms
from memfs.index.columns import Columns, columns_name
from memfs.index.documents import Document
from memfs.index.likeness import Frequencies
from memfs.index.manifest import Manifest, read_manifest
from memfs.index.port import DEFAULT_SCORING, IndexHit, IndexQuery, ScoringSettings
from memfs.index.postings import Block, SegmentReader, small_counts
from memfs.index.search import Searcher


class WhooshIndex:
    """One opened generation, with or without an overlay."""

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        columns: Sequence[Columns],
        readers: Sequence[SegmentReader],
        analyzer: Analyzer,
    ) -> None:
        self.folder = folder
        self.manifest = manifest
        self.ledger = manifest.ledger
        self.analyzer = analyzer
        self._columns = tuple(columns)
        self._readers = tuple(readers)
        self._searcher = Searcher(
            self._columns,
            self._blocks,
            self._starting_with,
            analyzer,
            deleted=[entry.deleted for entry in manifest.segments],
        )

    @classmethod
    def open(
        cls, folder: Path, analyzer: Analyzer, *, earlier: WhooshIndex | None = None
    ) -> WhooshIndex:
        """Opens the index in a generation folder.

        Args:
            folder: The generation.
            analyzer: Takes questions apart.
            earlier: The same generation as opened before; its segments never change, so those
                that are still there are taken over instead of read again.

        Raises:
            IndexUnavailableError: Missing, truncated, damaged or of another schema.
        """
        manifest = read_manifest(folder)
        known = earlier._segments() if earlier is not None and earlier.folder == folder else {}
        columns, readers = [], []
        for entry in manifest.segments:
            values, reader = known.get(entry.name) or (
                _read_columns(folder, entry.name),
                SegmentReader(folder, entry.name),
            )
            if len(values) != entry.count or any(n >= entry.count for n in entry.deleted):
                raise IndexUnavailableError(
                    f"expected {entry.count} documents, got {len(values)}", code="index.damaged"
                )
            columns.append(values)
            readers.append(reader)
        return cls(folder, manifest, columns, readers, analyzer)

    def _segments(self) -> dict[str, tuple[Columns, SegmentReader]]:
        names = (entry.name for entry in self.manifest.segments)
        return dict(zip(names, zip(self._columns, self._readers, strict=True), strict=True))

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

    def find(self, paths: Collection[str]) -> dict[str, set[int]]:
        """Returns the live documents at ``paths``: their numbers by segment name."""
        found: dict[str, set[int]] = {}
        for entry, columns in zip(self.manifest.segments, self._columns, strict=True):
            numbers = {number for path in paths for number in columns.find_all(path)}
            numbers -= entry.deleted
            if numbers:
                found[entry.name] = numbers
        return found

    def contents(self) -> Iterator[tuple[str, str]]:
        """Yields path and blob id of each live document, in no particular order."""
        for entry, columns in zip(self.manifest.segments, self._columns, strict=True):
            for number in range(len(columns)):
                if number not in entry.deleted:
                    yield columns.path(number), columns.blob(number)

    def overlaid(
        self, *, removed: Collection[str], added: Sequence[Document], ledger: str
    ) -> OverlaidIndex:
        """Returns an index that also knows a few changes that are not on disk."""
        hidden = self.find(removed)
        deleted = [
            entry.deleted | hidden.get(entry.name, set()) for entry in self.manifest.segments
        ]
        return OverlaidIndex(
            self,
            self._columns,
            self._readers,
            deleted,
            added,
            removed=frozenset(removed),
            ledger=ledger,
        )

    def _blocks(self, field_name: str, term: str) -> Iterator[Block]:
        return _shifted_blocks(self._readers, self._columns, field_name, term)

    def _starting_with(self, field_name: str, prefix: str, limit: int) -> list[str]:
        return _merged_terms(self._readers, field_name, prefix, limit)


class OverlaidIndex:
    """A stored index with newer documents held in memory in front of it."""

    def __init__(
        self,
        stored: WhooshIndex,
        columns: Sequence[Columns],
        readers: Sequence[SegmentReader],
        deleted: Sequence[frozenset[int]],
        added: Sequence[Document],
        *,
        removed: frozenset[str],
        ledger: str,
    ) -> None:
        self.ledger = ledger
        self._stored = stored
        self._added = tuple(added)
        self._removed = removed
        self._readers = readers
        self._base = sum(len(part) for part in columns)
        self._columns = columns
        batch = Batch(added)
        self._lists = batch.lists
        self._searcher = Searcher(
            [*columns, batch.columns()],
            self._blocks,
            self._starting_with,
            stored.analyzer,
            deleted=[*deleted, frozenset()],
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
    ) -> OverlaidIndex:
        """Returns an index that also knows a few more changes."""
        kept = (document for document in self._added if document.path not in removed)
        return self._stored.overlaid(
            removed=self._removed.union(removed), added=(*kept, *added), ledger=ledger
        )

    def _blocks(self, field_name: str, term: str) -> Iterator[Block]:
        yield from _shifted_blocks(self._readers, self._columns, field_name, term)
        newer = self._lists[field_name].get(term)
        if newer is not None:
            numbers, weights = newer
            yield [number + self._base for number in numbers], small_counts(weights) or weights

    def _starting_with(self, field_name: str, prefix: str, limit: int) -> list[str]:
        newer = first_terms(self._lists[field_name], prefix, limit)
        return _merged_terms(self._readers, field_name, prefix, limit, newer)


def _merged_terms(
    readers: Sequence[SegmentReader],
    field_name: str,
    prefix: str,
    limit: int,
    others: Sequence[str] = (),
) -> list[str]:
    found = {term for reader in readers for term in reader.starting_with(field_name, prefix, limit)}
    return sorted(found.union(others), key=lambda term: term.encode("utf-8", "surrogatepass"))[
        :limit
    ]


def _shifted_blocks(
    readers: Sequence[SegmentReader], columns: Sequence[Columns], field_name: str, term: str
) -> Iterator[Block]:
    base = 0
    for reader, values in zip(readers, columns, strict=True):
        for numbers, weights in reader.blocks(field_name, term):
            yield ([number + base for number in numbers] if base else numbers), weights
        base += len(values)


def _read_columns(folder: Path, segment: str) -> Columns:
    try:
        return Columns.from_bytes((folder / columns_name(segment)).read_bytes())
    except OSError as error:
        raise IndexUnavailableError(
            f"expected index columns, got {error.strerror}", code="index.damaged"
        ) from error
