"""How alike texts are, 0 to 1: by vectors where there are some, and by their words always.

One port for all who compare: duplicates of nodes, links between them, names that may mean the
same. Similarity never decides: what is alike is proposed, linked or asked about, and nothing is
retired, merged or refused for it (C11). Each answer says by what it was found. Only records
that the asker may read are compared, weighed or counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from typing import Final, Protocol

from memfs.errors import IndexUnavailableError
from memfs.index.analysis import Analyzer
from memfs.index.likeness import (
    Frequencies,
    frequencies_of,
    likeness,
    term_counts,
    text_likeness,
)
from memfs.index.port import DEFAULT_SCORING, IndexQuery, RecordIndex
from memfs.model.frozen import frozen
from memfs.model.query import Query
from memfs.model.record import Record, StoredRecord
from memfs.services.ports import Workspace
from memfs.services.recall_reader import Reader
from memfs.services.reindex import IndexState, analyzer_of, open_index, replace_index
from memfs.store.snapshot import Snapshot

MOST_LOOKED_AT: Final = 50
"""So many records that share words with a text are compared with it."""


class SimilarityMode(StrEnum):
    """What likeness was measured by."""

    VECTORS = "vectors"
    """By the vectors of an embedder."""
    LEXICAL = "lexical"
    """By words, weighed by the index."""
    PURE = "pure"
    """By words, weighed by nothing but the texts that are compared: there is no index."""


@frozen
class Comparable:
    """Something that a text is compared with.

    Attributes:
        id: What its score is told by.
        text: Its words.
        blob: Of the bytes that its vector was made of; empty where it has none.
    """

    id: str
    text: str
    blob: str = ""


@frozen
class Comparison:
    """How alike a text and some others are.

    Attributes:
        mode: What it was measured by, the same for all of them.
        scores: 0 to 1 by id; 1 is the same words in the same order and nothing else.
    """

    mode: SimilarityMode
    scores: Mapping[str, float]


class Similarity(Protocol):
    """Compares a text with others."""

    def compare(self, text: str, candidates: Iterable[Comparable]) -> Comparison:
        """Returns how alike ``text`` and each of ``candidates`` are, and how that was measured."""
        ...

    def scores(self, text: str, candidates: Iterable[Comparable]) -> Mapping[str, float]:
        """Returns how alike ``text`` and each of ``candidates`` are, 0 to 1 by id."""
        ...


class WordSimilarity:
    """Compares by words alone.

    Args:
        analyzer: Takes texts apart.
        weigh: Returns how rare each of some terms is; without it, the compared texts tell.
    """

    def __init__(
        self,
        analyzer: Analyzer,
        weigh: Callable[[frozenset[str]], Frequencies] | None = None,
    ) -> None:
        self._analyzer = analyzer
        self._weigh = weigh

    def compare(self, text: str, candidates: Iterable[Comparable]) -> Comparison:
        """Returns how alike ``text`` and each of ``candidates`` are, and how that was measured."""
        others = [(item, term_counts(self._analyzer, item.text)) for item in candidates]
        asked = term_counts(self._analyzer, text)
        if self._weigh is None:
            rarity = frequencies_of((asked, *(counts for _, counts in others)))
        else:
            terms = frozenset(asked).union(*(counts for _, counts in others))
            rarity = self._weigh(terms)
        return Comparison(
            mode=SimilarityMode.PURE if self._weigh is None else SimilarityMode.LEXICAL,
            scores={
                item.id: text_likeness(text, item.text, likeness(asked, counts, rarity))
                for item, counts in others
            },
        )

    def scores(self, text: str, candidates: Iterable[Comparable]) -> Mapping[str, float]:
        """Returns how alike ``text`` and each of ``candidates`` are, 0 to 1 by id."""
        return self.compare(text, candidates).scores


class VectorSimilarity:
    """Compares by vectors where every candidate has one, and by words otherwise.

    The two are never mixed in one answer: they are not the same measure.

    Args:
        workspace: The store whose vectors those are.
        words: Compares by words.
    """

    def __init__(self, workspace: Workspace, words: Similarity) -> None:
        self._workspace = workspace
        self._words = words

    def compare(self, text: str, candidates: Iterable[Comparable]) -> Comparison:
        """Returns how alike ``text`` and each of ``candidates`` are, and how that was measured."""
        from memfs.services.vectors import similarities  # hardly any store has vectors

        others = tuple(candidates)
        near: Mapping[str, float] = {}
        if others and all(item.blob for item in others):
            blobs = {item.id: item.blob for item in others}
            near = similarities(self._workspace, text, blobs)
        if not others or any(item.id not in near for item in others):
            return self._words.compare(text, others)
        return Comparison(
            mode=SimilarityMode.VECTORS,
            scores={item.id: text_likeness(text, item.text, near[item.id]) for item in others},
        )

    def scores(self, text: str, candidates: Iterable[Comparable]) -> Mapping[str, float]:
        """Returns how alike ``text`` and each of ``candidates`` are, 0 to 1 by id."""
        return self.compare(text, candidates).scores


@frozen
class Near:
    """A record that is like a text, as its reader may see it."""

    stored: StoredRecord
    score: float


@frozen
class Nearest:
    """Records that are like a text, most alike first, ties by id."""

    mode: SimilarityMode
    found: tuple[Near, ...]


def words_of(record: Record) -> str:
    """Returns what a record is compared by: its title, and its summary where it has one."""
    if not record.summary or record.summary.startswith(record.title.rstrip("…").rstrip()):
        return record.summary or record.title
    return f"{record.title}\n{record.summary}"


def similarity_for(workspace: Workspace, snapshot: Snapshot, query: Query) -> Similarity:
    """Returns what compares texts as the asker of ``query`` may, among the kinds that it names.

    Never raises for an index that cannot be used: then the compared texts alone tell which
    words are rare.
    """
    try:
        return _Compared(workspace, snapshot, query).similarity
    except IndexUnavailableError:
        return _with_vectors(workspace, WordSimilarity(analyzer_of(workspace)))


def nearest(
    workspace: Workspace,
    snapshot: Snapshot,
    text: str,
    query: Query,
    *,
    least: float = 0.0,
    words: Callable[[Record], str] = words_of,
    most_looked_at: int = MOST_LOOKED_AT,
) -> Nearest:
    """Returns the records that are most like ``text``, most alike first, ties by id.

    Args:
        workspace: The store.
        snapshot: The commit that the answer is computed from.
        text: What they are compared with.
        query: Who asks, for which kinds and scopes, and for how many.
        least: Only what is this much alike, and never what is not alike at all.
        words: What a record is compared by.
        most_looked_at: So many records that share words with the text are read.

    Raises:
        IndexUnavailableError: There is no index and none can be made.
    """
    looked = replace(query, text=text, limit=most_looked_at)
    try:
        compared = _Compared(workspace, snapshot, looked)
        records = compared.records()
    except IndexUnavailableError as error:
        compared = _Compared(workspace, snapshot, looked, damage=error.code)
        records = compared.records()
    known = {item.record.id for item in records}
    by_vectors = near_by_vectors(workspace, snapshot, text, looked)
    records = (*records, *(item for item in by_vectors if item.record.id not in known))
    candidates = (
        Comparable(id=item.record.id, text=words(item.record), blob=item.blob) for item in records
    )
    outcome = compared.similarity.compare(text, candidates)
    scored = (Near(stored=item, score=outcome.scores[item.record.id]) for item in records)
    kept = [item for item in scored if item.score > 0 and item.score >= least]
    kept.sort(key=lambda item: (-item.score, item.stored.record.id))
    return Nearest(mode=outcome.mode, found=tuple(kept[: query.limit]))


class _Compared:
    """An index as one asker may see it."""

    def __init__(
        self, workspace: Workspace, snapshot: Snapshot, query: Query, *, damage: str = ""
    ) -> None:
        opened = (
            replace_index(workspace, snapshot, damage)
            if damage
            else open_index(workspace, snapshot)
        )
        self._reader = Reader(workspace, query, snapshot)
        self._index: RecordIndex = self._reader.index_for(opened.index)
        self._question: IndexQuery = self._reader.index_query()
        has_index = opened.status.state is not IndexState.SCANNED
        by_words = WordSimilarity(analyzer_of(workspace), self._weights if has_index else None)
        self.similarity = _with_vectors(workspace, by_words)

    def records(self) -> Sequence[StoredRecord]:
        """Returns what shares words with the question and may be seen, each record once."""
        hits = self._index.search(self._question, DEFAULT_SCORING)
        found = {item.stored.record.id: item.stored for item in self._reader.read_all(hits)}
        return tuple(found.values())

    def _weights(self, terms: frozenset[str]) -> Frequencies:
        return self._index.frequencies(self._question, terms, DEFAULT_SCORING)


def _with_vectors(workspace: Workspace, words: Similarity) -> Similarity:
    embedder = workspace.embedder
    # What is compared are words of records and of drafts: they go to no other machine.
    if embedder is None or embedder.is_remote:
        return words
    return VectorSimilarity(workspace, words)


def near_by_vectors(
    workspace: Workspace, snapshot: Snapshot, text: str, query: Query
) -> Iterator[StoredRecord]:
    """Yields what vectors alone find, with whatever words; nothing where they cannot be asked."""
    if workspace.embedder is None or workspace.embedder.is_remote:
        return
    from memfs.services.vector_hits import near_records  # hardly any store has vectors

    with suppress(IndexUnavailableError):
        for item in near_records(workspace, snapshot, text, query).found:
            yield item.stored
