"""Finds nodes by a question (M9, M26).

A question is answered with summaries alone, each with the parts of its score; what is not about
it is not there, however important (M26). Everything is read through the read gate, and what an
asker may not see is neither shown nor counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memfs.domains.nodes.node import NODE_KIND, SCORING_RULE, summary_of
from memfs.domains.nodes.places import paths_in
from memfs.errors import IndexUnavailableError
from memfs.index.port import DEFAULT_SCORING
from memfs.model.frozen import frozen
from memfs.model.packet import MemoryState, ScoredRecord
from memfs.model.query import Query
from memfs.model.record import StoredRecord
from memfs.services.ports import Workspace
from memfs.services.recall import RecallOutcome
from memfs.services.recall_reader import Reader
from memfs.services.reindex import IndexState, open_index, replace_index
from memfs.services.similarity import (
    Comparable,
    SimilarityMode,
    near_by_vectors,
    similarity_for,
)
from memfs.store.snapshot import Snapshot

TEXT_WEIGHT: Final = 0.65
IMPORTANCE_WEIGHT: Final = 0.35
_MOST_IMPORTANT: Final = 10.0
_LOOKED_AT: Final = 25
_PLACES: Final = 3
_LEAST: Final = 1e-9
"""A floor of 0 still lets nothing through that is not alike at all."""


@frozen
class NodeHit:
    """One node that a question is about.

    Attributes:
        stored: The node as its reader may see it.
        score: 0 to 1, the sum of its parts.
        parts: ``text`` and ``importance``, weighted.
    """

    stored: StoredRecord
    score: float
    parts: dict[str, float]

    @property
    def summary(self) -> str:
        """The one line that it is shown by."""
        return summary_of(self.stored.record)


@frozen
class NodeAnswer:
    """What nodes have to say to a question.

    Attributes:
        hits: Best first, ties by id.
        paths: Places of the file system that the best of them name, in order: to be looked at
            before any folder is listed (M28).
        mode: What their likeness was measured by.
        reason: Code of why nothing is there; empty where something is.
    """

    hits: tuple[NodeHit, ...] = ()
    paths: tuple[str, ...] = ()
    mode: SimilarityMode = SimilarityMode.LEXICAL
    reason: str = ""


def query_nodes(workspace: Workspace, query: Query) -> NodeAnswer:
    """Answers a question with nodes; with nothing where none is about it.

    Args:
        workspace: The store.
        query: The question; all its tags have to be there.

    Raises:
        IndexUnavailableError: There is no index and none can be made.
    """
    if not query.text.strip():
        return NodeAnswer(reason="recall.no-match")
    snapshot = workspace.store.snapshot()
    asked = replace(query, kinds=(NODE_KIND,), limit=max(_LOOKED_AT, query.limit))
    try:
        return _answer(workspace, snapshot, asked, query.limit)
    except IndexUnavailableError as error:
        return _answer(workspace, snapshot, asked, query.limit, damage=error.code)


def _answer(
    workspace: Workspace, snapshot: Snapshot, query: Query, limit: int, *, damage: str = ""
) -> NodeAnswer:
    opened = (
        replace_index(workspace, snapshot, damage) if damage else open_index(workspace, snapshot)
    )
    reader = Reader(workspace, query, snapshot)
    index = reader.index_for(opened.index)
    matches = reader.read_all(index.search(reader.index_query(), DEFAULT_SCORING))
    found = {item.stored.record.id: (item.stored, item.hit.coverage) for item in matches}
    for stored in near_by_vectors(workspace, snapshot, query.text, query):
        found.setdefault(stored.record.id, (stored, 0.0))
    covered = {
        name: (stored, coverage)
        for name, (stored, coverage) in found.items()
        # What is worth saving is no answer, unless it is asked for.
        if SCORING_RULE not in stored.record.tags or SCORING_RULE in query.tags
    }
    compared = similarity_for(workspace, snapshot, query).compare(
        query.text,
        (
            Comparable(id=name, text=summary_of(stored.record), blob=stored.blob)
            for name, (stored, _) in covered.items()
        ),
    )
    least = workspace.settings.recall.rank.floor
    texts = {
        name: max(coverage, _told(compared.scores.get(name, 0.0), workspace))
        for name, (_, coverage) in covered.items()
    }
    hits = [
        _hit(reader.linked(covered[name][0]), text)
        for name, text in texts.items()
        if text >= max(least, _LEAST)
    ]
    hits.sort(key=lambda hit: (-hit.score, hit.stored.record.id))
    mode = compared.mode
    if opened.status.state is IndexState.SCANNED and mode is SimilarityMode.LEXICAL:
        mode = SimilarityMode.PURE
    if not hits:
        return NodeAnswer(
            mode=mode, reason="recall.nothing-close" if matches else "recall.no-match"
        )
    kept = tuple(hits[:limit])
    return NodeAnswer(hits=kept, paths=_paths_of(kept), mode=mode)


def outcome_of(answer: NodeAnswer, ledger: str) -> RecallOutcome:
    """Returns an answer as the log of what was handed out takes it."""
    hits = tuple(
        ScoredRecord(stored=hit.stored, score=hit.score, components=hit.parts, rank=rank)
        for rank, hit in enumerate(answer.hits, start=1)
    )
    return RecallOutcome(
        hits=hits,
        left_out=(),
        state=MemoryState.OK if hits else MemoryState.EMPTY,
        reason=answer.reason,
        ledger=ledger,
    )


def _told(likeness: float, workspace: Workspace) -> float:
    """Returns what a likeness is worth: below the threshold of what is similar, nothing."""
    return likeness if likeness >= workspace.settings.nodes.similar else 0.0


def _hit(stored: StoredRecord, text: float) -> NodeHit:
    parts = {
        "text": TEXT_WEIGHT * text,
        "importance": IMPORTANCE_WEIGHT * stored.record.importance / _MOST_IMPORTANT,
    }
    return NodeHit(stored=stored, score=sum(parts.values()), parts=parts)


def _paths_of(hits: Sequence[NodeHit]) -> tuple[str, ...]:
    """Returns the places that the best nodes name, those of a better node first."""
    texts = (
        f"{hit.summary}\n{hit.stored.record.abstract}\n{hit.stored.record.body}"
        for hit in hits[:_PLACES]
    )
    return tuple(dict.fromkeys(path for text in texts for path in paths_in(text)))
