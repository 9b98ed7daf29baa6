"""Finds records by their vectors alone, narrows before it asks, and checks whatever comes back.

The place is asked only for domains that the asker may read. Each point that it names is looked up
behind the same gates and filters as any question, and its record is read from the ledger. A point
whose record does not exist is a *ghost*, one of other bytes is *stale*: both are dropped and
counted, and a refresh is put off (A72, E46, E47). Whether a record is like a text is a reason to
look, never a proof of anything (E49).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memfs.errors import IndexUnavailableError
from memfs.index.port import DEFAULT_SCORING, IndexHit, IndexQuery, RecordIndex
from memfs.index.vector_port import VectorHit, domain_of
from memfs.model.frozen import frozen
from memfs.model.query import Query
from memfs.model.record import StoredRecord
from memfs.services.embedding import note_trouble, question_vector
from memfs.services.ports import Workspace
from memfs.services.recall_reader import Reader
from memfs.services.reindex import open_index
from memfs.services.vector_order import put_off_refresh
from memfs.services.vectors import MOST_CHARS, vector_place
from memfs.store.snapshot import Snapshot

SPARE: Final = 3
"""So many times as many points are asked for as records are wanted: some are filtered out."""


@frozen
class NearRecord:
    """A record whose vector is near to that of a text, as its reader may see it."""

    stored: StoredRecord
    cosine: float


@frozen
class NearRecords:
    """What vectors alone found.

    Attributes:
        found: Nearest first, ties by id.
        ghosts: Points that came back and whose record does not exist.
        stale: Points that came back and whose record says something else now.
        trouble: Code of why nothing was asked; empty when nothing was in the way.
    """

    found: tuple[NearRecord, ...] = ()
    ghosts: int = 0
    stale: int = 0
    trouble: str = ""


def near_records(workspace: Workspace, snapshot: Snapshot, text: str, query: Query) -> NearRecords:
    """Returns the records whose vectors are nearest to that of ``text``.

    Args:
        workspace: The store; without an embedder nothing is found.
        snapshot: The commit that the answer is computed from.
        text: Words that may go to where the embedder is.
        query: Who asks, what narrows it, and for how many; its own words do not matter.

    Raises:
        IndexUnavailableError: There is no index and none can be made.
    """
    embedder = workspace.embedder
    if embedder is None or not text.strip():
        return NearRecords()
    reader = Reader(workspace, query, snapshot)
    index = reader.index_for(open_index(workspace, snapshot).index)
    asked = reader.index_query()
    domains = frozenset(domain_of(gate) for gate in index.gates() if asked.is_open(gate))
    place = vector_place(workspace, embedder)
    try:
        vector = question_vector(workspace, embedder, text[:MOST_CHARS])
        hits = place.nearest(vector, query.limit * SPARE, domains)
    except IndexUnavailableError as error:
        note_trouble(workspace, error)
        return NearRecords(trouble=error.code)
    found, cosines, ghosts, stale = [], {}, 0, 0
    for hit in hits:
        there = _looked_up(index, asked, hit)
        if there is None:
            ghosts += not _exists(index, hit)
        elif there.blob != hit.blob:
            stale += 1
        else:
            found.append(there)
            cosines[there.blob] = hit.score
    if ghosts or stale:
        put_off_refresh(workspace, embedder, snapshot, place.manifest().ledger)
    near = (
        NearRecord(stored=reader.linked(match.stored), cosine=cosines[match.hit.blob])
        for match in reader.read_all(found)
    )
    order = sorted(near, key=lambda item: (-item.cosine, item.stored.record.id))
    return NearRecords(found=tuple(order[: query.limit]), ghosts=ghosts, stale=stale)


def _looked_up(index: RecordIndex, asked: IndexQuery, hit: VectorHit) -> IndexHit | None:
    """Returns where the record of a point is, behind open gates and within all filters."""
    one = replace(asked, text="", keys=(f"id:{hit.id}", *asked.keys), limit=1)
    return next(iter(index.search(one, DEFAULT_SCORING)), None)


def _exists(index: RecordIndex, hit: VectorHit) -> bool:
    """Tells whether the record of a point exists at all; for counting, and told to nobody."""
    every = IndexQuery(text="", keys=(f"id:{hit.id}",), is_open=lambda _: True, limit=1)
    return bool(index.search(every, DEFAULT_SCORING))
