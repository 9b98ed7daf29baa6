"""Vectors of records: optional, a cache, and never a reason to serve anything (C25, C26, E45).

One point a record in a folder of the private cache, or in a server: its id, the blob that was
embedded, the model and the vector. A point of other bytes is *stale*, one of a record that is no
longer served a *ghost*: neither orders anything, both are counted, and the next refresh mends
them. Vectors order what matched by its words and passed the read gate; taking all of them away
changes order and speed and nothing else. Nothing here runs unless an embedder is configured.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from memfs.errors import IndexUnavailableError
from memfs.index.cosine import unit
from memfs.index.documents import gate_of
from memfs.index.port import IndexHit
from memfs.index.vector_files import FileVectors, places_below
from memfs.index.vector_manifest import note_unpurged
from memfs.index.vector_port import VectorPlace, VectorPoint, domain_of, place_name
from memfs.model.authority import Sensitivity, Sink
from memfs.model.frozen import frozen
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.query import Query
from memfs.model.record import Record, StoredRecord
from memfs.services.embedding import note_trouble, question_vector
from memfs.services.ports import Embedder, Workspace
from memfs.services.shelf import Shelf, shelf

VECTORS_FOLDER: Final = "vectors"
SERVER_FOLDER: Final = "vector-server"
BATCH: Final = 64
"""Records that an embedder is given at once."""
WRITTEN: Final = 1024
"""Points that are written at once; a process that is killed loses so many at most."""
MOST_CHARS: Final = 4_000
"""So much of a record is embedded: its words, not its length, tell records apart."""
MOST_RECORDS: Final = 1_000_000
_PROBE: Final = "memory"
_FORMER_FILE: Final = "vectors.jsonl"


@frozen
class VectorCounts:
    """What bringing the vectors up came to.

    Attributes:
        kept: Points that were right.
        embedded: Points that were made.
        dropped: Points that were taken away.
        ghosts: Those of them whose record is served no more.
        stale: Those of them that were of other bytes.
        left: Records that are still to be embedded, because the time was up.
        trouble: Code of what was in the way; empty when nothing was.
    """

    kept: int = 0
    embedded: int = 0
    dropped: int = 0
    ghosts: int = 0
    stale: int = 0
    left: int = 0
    trouble: str = ""


def vector_place(workspace: Workspace, embedder: Embedder) -> VectorPlace:
    """Returns where the vectors of an embedder are: the server that is configured, or files."""
    if workspace.vectors is not None:
        return workspace.vectors
    folder = workspace.cache_dir / VECTORS_FOLDER / place_name(embedder.name)
    return FileVectors(folder, embedder.name)


def refresh_vectors(
    workspace: Workspace, *, within_s: float = 0.0, is_thorough: bool = False
) -> VectorCounts:
    """Brings the vectors up to the ledger and to the model that is configured.

    Only what may go to where the embedder is, is embedded. A fault of the embedder leaves what
    was right and is told by its code; a refresh that is killed goes on where it was.

    Args:
        workspace: The store.
        within_s: Begins no batch after so many seconds; 0 for no such bound.
        is_thorough: Looks at each point where it lies instead of trusting the manifest.
    """
    embedder = workspace.embedder
    if embedder is None:
        return VectorCounts()
    with suppress(OSError):
        (workspace.cache_dir / _FORMER_FILE).unlink(missing_ok=True)
    place = vector_place(workspace, embedder)
    try:
        return _Refresh(workspace, embedder, place).run(within_s, is_thorough=is_thorough)
    except IndexUnavailableError as error:
        return VectorCounts(trouble=error.code)


class _Refresh:
    """One pass over everything that may be embedded."""

    def __init__(self, workspace: Workspace, embedder: Embedder, place: VectorPlace) -> None:
        self._workspace = workspace
        self._embedder = embedder
        self._place = place
        self._begun = 0

    def run(self, within_s: float, *, is_thorough: bool) -> VectorCounts:
        """Embeds what lacks a point and takes away what stands for nothing."""
        every = self._served()
        known = self._held(is_thorough=is_thorough)
        if known and not self._is_same_space():
            known = {}
        wanted = {hit.blob for hit in every.hits}
        kept = {name for name, blob in known.items() if blob in wanted}
        there = {known[name] for name in kept}
        lacking = [hit for hit in every.hits if hit.blob not in there]
        until = time.monotonic() + within_s if within_s else math.inf
        made: dict[str, str] = {}
        trouble = ""
        try:
            for points in self._batches(every, lacking, until):
                self._place.put(points)
                made.update((point.id, point.blob) for point in points)
        except IndexUnavailableError as error:
            trouble = error.code
        # Not by what was made: of a record that may not be read there will never be a point.
        left = 0 if trouble else max(0, len(lacking) - self._begun)
        return self._settled(known, kept, made, left=left, trouble=trouble)

    def _batches(
        self, every: Shelf, hits: Sequence[IndexHit], until: float
    ) -> Iterator[Sequence[VectorPoint]]:
        """Yields points, many at once: each writing costs a manifest.

        What was made before the embedder failed is yielded before its error is raised.
        """
        points: list[VectorPoint] = []
        for start in range(0, len(hits), BATCH):
            if start and time.monotonic() >= until:
                break
            self._begun += BATCH
            try:
                points += points_of(self._embedder, every.read(hits[start : start + BATCH]))
            except IndexUnavailableError:
                yield points
                raise
            if len(points) >= WRITTEN:
                yield points
                points = []
        yield points

    def _is_same_space(self) -> bool:
        """Tells whether the model still makes vectors of the length that lie there; of one that
        does not answer, or not with one vector, nothing else is known.
        """
        try:
            probes = self._embedder.embed((_PROBE,))
        except IndexUnavailableError:
            return True
        return len(probes) != 1 or len(probes[0]) == self._place.manifest().dimension

    def _held(self, *, is_thorough: bool) -> Mapping[str, str]:
        if is_thorough:
            return self._place.held()
        return {name: blob for name, (blob, _) in self._place.manifest().entries.items()}

    def _settled(
        self,
        known: Mapping[str, str],
        kept: set[str],
        made: Mapping[str, str],
        *,
        left: int,
        trouble: str,
    ) -> VectorCounts:
        """Looks again at what is served: a record may have been withdrawn meanwhile (A39)."""
        snapshot = self._workspace.store.snapshot()
        again = self._served()
        wanted = {hit.blob for hit in again.hits}
        current = {**{name: known[name] for name in kept}, **made}
        right = {name for name, blob in current.items() if blob in wanted}
        old = set(known) - kept
        outdated = self._of_other_bytes(again, old)
        is_whole = not left and not trouble
        self._place.settle(
            right, ledger=snapshot.commit if is_whole else "", stale=outdated - set(made)
        )
        for other in self._place.others():
            manifest = other.manifest()
            if manifest.unpurged:
                other.settle(manifest.entries.keys(), ledger=manifest.ledger, stale=manifest.stale)
        return VectorCounts(
            kept=len(kept & right),
            embedded=len(made),
            dropped=len(set(known) - right),
            ghosts=len(old - outdated),
            stale=len(outdated),
            left=left,
            trouble=trouble,
        )

    def _of_other_bytes(self, every: Shelf, old: set[str]) -> set[str]:
        """Returns which of ``old`` are served, with other bytes than their point was made of."""
        if not old:
            return set()
        from memfs.services.catalogue import open_catalogue

        served = {hit.path for hit in every.hits}
        with closing(
            open_catalogue(self._workspace, self._workspace.store.snapshot())
        ) as catalogue:
            return {row.id for row in catalogue.by_ids(sorted(old)) if row.path in served}

    def _served(self) -> Shelf:
        is_leaving = self._embedder.is_remote or self._place.is_remote
        sink = Sink.REMOTE if is_leaving else Sink.PERSON
        query = Query(text="", actor=SYSTEM_ACTOR, sink=sink, limit=MOST_RECORDS)
        return shelf(self._workspace, self._workspace.store.snapshot(), query)


def points_of(embedder: Embedder, records: Sequence[StoredRecord]) -> Iterator[VectorPoint]:
    """Yields the point of each record.

    Raises:
        IndexUnavailableError: The embedder cannot be asked, or what it says is no vector for each.
    """
    if not records:
        return
    vectors = embedder.embed(tuple(text_of(item.record) for item in records))
    if len(vectors) != len(records) or len({len(vector) for vector in vectors}) != 1:
        raise IndexUnavailableError("expected a vector a text", code="embedder.bad-answer")
    for item, vector in zip(records, vectors, strict=True):
        yield VectorPoint(
            id=item.record.id,
            blob=item.blob,
            domain=domain_of(gate_of(item.record)),
            vector=unit(vector),
        )


def text_of(record: Record) -> str:
    """Returns the words of a record that are embedded; of a sealed one its title alone."""
    if record.sensitivity is Sensitivity.SEALED:
        return record.title[:MOST_CHARS]
    words = record.body or record.field_text
    is_repeated = words.lstrip("# ").startswith(record.title.rstrip("…").rstrip())
    return (words if is_repeated else f"{record.title}\n{words}")[:MOST_CHARS]


def read_vectors(workspace: Workspace) -> dict[str, VectorPoint]:
    """Returns the points that lie in files for the embedder that is configured, by id."""
    if workspace.embedder is None:
        return {}
    place = vector_place(workspace, workspace.embedder)
    return {point.id: point for point in place.points()} if isinstance(place, FileVectors) else {}


def drop_vectors(workspace: Workspace, identifiers: Iterable[str]) -> bool:
    """Takes the points of records away, in the places of all models, such as of what was
    withdrawn (A39).

    Returns:
        Whether none is left anywhere.
    """
    gone = set(identifiers)
    with suppress(OSError):
        (workspace.cache_dir / _FORMER_FILE).unlink(missing_ok=True)
    places: list[VectorPlace] = [*places_below(_folder(workspace))]
    is_clean = True
    if workspace.vectors is not None:
        places += (workspace.vectors, *workspace.vectors.others())
    else:
        # A server that this process has no address of is asked by the next one that has it.
        is_clean = not note_unpurged(workspace.cache_dir / SERVER_FOLDER, gone)
    for place in places:
        try:
            manifest = place.manifest()
            if not gone.isdisjoint(manifest.entries):
                kept = set(manifest.entries) - gone
                stale = set(manifest.stale) - gone
                place.settle(kept, ledger=manifest.ledger, stale=stale)
        except IndexUnavailableError:
            is_clean = False
    return is_clean


def similarities(workspace: Workspace, text: str, found: Mapping[str, str]) -> Mapping[str, float]:
    """Returns how near records are to a text, -1 to 1, by id; empty where nothing can be said.

    Args:
        workspace: The store.
        text: A question, or other words that may go to where the embedder is.
        found: Blob by id of the records that are compared; one whose point is of other bytes is
            left out.
    """
    embedder = workspace.embedder
    if embedder is None or not text.strip() or not found:
        return {}
    try:
        asked = question_vector(workspace, embedder, text[:MOST_CHARS])
        scores = vector_place(workspace, embedder).scores(asked, frozenset(found.values()))
    except IndexUnavailableError as error:
        note_trouble(workspace, error)
        return {}
    return {name: scores[blob] for name, blob in found.items() if blob in scores}


def _folder(workspace: Workspace) -> Path:
    return workspace.cache_dir / VECTORS_FOLDER
