"""Orders what a question found by its words with what vectors say of the same records.

The words decide what is found and whether there is an answer; the vectors only move it up and
down. They are asked for records behind open gates alone, and never for a record that is seen in
part: its vector knows the words that are hidden. Each record that comes up this way is read from
the ledger and put to the gate like any other (A72, E46).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from types import MappingProxyType
from typing import Final

from memfs.errors import IndexUnavailableError, MemfsError
from memfs.index.fusion import nudges
from memfs.index.port import IndexHit
from memfs.model.frozen import frozen
from memfs.model.settings import RankSettings
from memfs.model.values import JsonValue
from memfs.services.embedding import note_trouble, question_vector
from memfs.services.modes import is_taking
from memfs.services.ports import Embedder, Workspace
from memfs.services.ranking import Match
from memfs.services.vectors import MOST_CHARS, vector_place
from memfs.store.snapshot import Snapshot

DEPTH: Final = 200
"""So many of the records that match by their words are ordered by vectors as well."""
OTHER_SPACE: Final = "vectors.other-dimension"
_NONE: Final[Mapping[str, float]] = MappingProxyType({})
_NO_POINTS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType({})


@frozen
class VectorUse:
    """What vectors had to say to one question.

    Attributes:
        model: Name of the model.
        compared: Records that were compared by vectors.
        lacking: Records that matched and have no point of their bytes: a new one, one whose
            point is stale, or one that may not go to where the embedder is.
        stale: Those of them that are known to be stale.
        trouble: Code of why nothing was compared; empty when nothing was in the way.
        is_queued: A refresh was put off.
    """

    model: str
    compared: int = 0
    lacking: int = 0
    stale: int = 0
    trouble: str = ""
    is_queued: bool = False

    @property
    def value(self) -> dict[str, JsonValue]:
        """The counts and codes as plain data, without what is 0 or empty."""
        said: dict[str, JsonValue] = {
            "model": self.model,
            "compared": self.compared,
            "lacking": self.lacking,
            "stale": self.stale,
            "trouble": self.trouble,
            "queued": self.is_queued,
        }
        return {name: part for name, part in said.items() if part}


@frozen
class VectorOrder:
    """What vectors make of an answer.

    Attributes:
        hits: What to read: the best by words, and then what vectors lift among the best.
        near: What vectors add to the score of words, by blob, before its weight.
        use: What they had to say.
        known: Blob of its point by id of each record that has one.
    """

    hits: tuple[IndexHit, ...]
    near: Mapping[str, float] = field(default_factory=lambda: _NONE)
    use: VectorUse
    known: Mapping[str, tuple[str, str]] = field(default_factory=lambda: _NO_POINTS)


def vector_order(
    workspace: Workspace,
    embedder: Embedder,
    snapshot: Snapshot,
    text: str,
    deep: Sequence[IndexHit],
    *,
    limit: int,
    rank: RankSettings,
    in_part: Collection[str] = (),
) -> VectorOrder:
    """Returns which of the hits to read and what vectors add to their scores.

    Args:
        workspace: The store.
        embedder: Makes the vector of the question.
        snapshot: The commit that the answer is computed from.
        text: The question.
        deep: What matches by its words, best first, more of it than will be read.
        limit: So many hits of each order are read.
        rank: Weights.
        in_part: Paths of records that are not seen whole.
    """
    best = tuple(deep[:limit])
    use = VectorUse(model=embedder.name)
    whole = [hit for hit in deep if hit.path not in in_part]
    if not whole:
        return VectorOrder(hits=best, use=use)
    place = vector_place(workspace, embedder)
    try:
        manifest = place.manifest()
        if not manifest.entries:
            is_queued = put_off_refresh(workspace, embedder, snapshot, manifest.ledger)
            use = VectorUse(model=embedder.name, lacking=len(whole), is_queued=is_queued)
            return VectorOrder(hits=best, use=use)
        asked = question_vector(workspace, embedder, text[:MOST_CHARS])
        if len(asked) != manifest.dimension:
            # Another model under the same name: nothing that lies there is comparable.
            is_queued = put_off_refresh(workspace, embedder, snapshot, "")
            use = VectorUse(model=embedder.name, trouble=OTHER_SPACE, is_queued=is_queued)
            return VectorOrder(hits=best, use=use)
        scores = place.scores(asked, frozenset(hit.blob for hit in whole))
    except IndexUnavailableError as error:
        note_trouble(workspace, error)
        return VectorOrder(hits=best, use=VectorUse(model=embedder.name, trouble=error.code))
    lacking = sum(hit.blob not in scores for hit in whole)
    is_queued = bool(lacking) and put_off_refresh(workspace, embedder, snapshot, manifest.ledger)
    use = VectorUse(model=embedder.name, compared=len(scores), lacking=lacking, is_queued=is_queued)
    top = max((hit.score for hit in deep), default=0.0)
    words = {hit.blob: hit.score / top if top > 0 else 1.0 for hit in deep}
    near = nudges(words, scores)

    def place_of(hit: IndexHit) -> tuple[float, str]:
        lifted = rank.vector * near.get(hit.blob, 0.0)
        return -(rank.keyword * words[hit.blob] + lifted), hit.path

    lifted = sorted(deep, key=place_of)[:limit]
    hits = tuple({hit.path: hit for hit in (*best, *lifted)}.values())
    return VectorOrder(hits=hits, near=near, use=use, known=manifest.entries)


def with_stale(order: VectorOrder, matches: Iterable[Match]) -> VectorUse:
    """Returns what vectors had to say, with how many of the records read have a stale point."""
    read = ((match.stored.record.id, match.hit.blob) for match in matches)
    stale = sum(name in order.known and order.known[name][0] != blob for name, blob in read)
    return replace(order.use, stale=stale)


def put_off_refresh(
    workspace: Workspace, embedder: Embedder, snapshot: Snapshot, ledger: str
) -> bool:
    """Puts a refresh off, once, where the ledger has moved since the last one (E47).

    Returns:
        Whether one waits now.
    """
    if ledger == snapshot.commit or not is_taking(workspace):
        return False
    if snapshot.commit != workspace.store.ledger_head():
        return False
    from memfs.services.queue import REFRESH_VECTORS, Queued, enqueue

    with suppress(MemfsError, OSError):
        queued = enqueue(workspace, REFRESH_VECTORS, embedder.name, {})
        return queued in (Queued.QUEUED, Queued.KNOWN)
    return False
