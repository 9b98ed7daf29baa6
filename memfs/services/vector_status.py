"""How the vectors of a store stand: what they hold, and what of it is stale, a ghost or lacking.

Counts and a model's name, nothing of any record; for people alone, since a count of what it may
not see is nothing for a program (A7). The embedder is not asked, and of a server neither: its
manifest tells.
"""

from __future__ import annotations

from contextlib import closing

from memfs.errors import IndexUnavailableError
from memfs.model.authority import Sink
from memfs.model.frozen import frozen
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.query import Query
from memfs.model.values import JsonValue
from memfs.services.catalogue import open_catalogue
from memfs.services.embedding import is_away
from memfs.services.ports import Workspace
from memfs.services.shelf import shelf
from memfs.services.vectors import MOST_RECORDS, vector_place


@frozen
class VectorStatus:
    """How vectors stand against the ledger's head.

    Attributes:
        model: Name of the model.
        dimension: Length of a vector; 0 while there is none.
        place: ``files`` or ``server``.
        held: Points that there are.
        stale: Points of records that say something else now.
        ghosts: Points of records that are served no more.
        lacking: Records that could have a point and have none of their bytes.
        unpurged: Points that are still to be taken out of a server.
        is_current: The last refresh was for the ledger as it is.
        trouble: Code of what is in the way; empty when nothing is.
    """

    model: str
    dimension: int
    place: str
    held: int
    stale: int = 0
    ghosts: int = 0
    lacking: int = 0
    unpurged: int = 0
    is_current: bool = False
    trouble: str = ""

    @property
    def value(self) -> dict[str, JsonValue]:
        """The status as plain data."""
        return {
            "model": self.model,
            "dimension": self.dimension,
            "place": self.place,
            "held": self.held,
            "stale": self.stale,
            "ghosts": self.ghosts,
            "lacking": self.lacking,
            "unpurged": self.unpurged,
            "current": self.is_current,
            "trouble": self.trouble,
        }


def vector_values(workspace: Workspace) -> JsonValue:
    """Returns how the vectors stand as plain data; ``None`` where no embedder is configured."""
    found = vector_status(workspace)
    return None if found is None else found.value


def vector_status(workspace: Workspace) -> VectorStatus | None:
    """Returns how the vectors stand; ``None`` where no embedder is configured."""
    embedder = workspace.embedder
    if embedder is None:
        return None
    place = vector_place(workspace, embedder)
    kind = "files" if workspace.vectors is None else "server"
    try:
        manifest = place.manifest()
        is_leaving = embedder.is_remote or place.is_remote
        query = Query(
            text="",
            actor=SYSTEM_ACTOR,
            sink=Sink.REMOTE if is_leaving else Sink.PERSON,
            limit=MOST_RECORDS,
        )
        snapshot = workspace.store.snapshot()
        hits = shelf(workspace, snapshot, query).hits
    except IndexUnavailableError as error:
        return VectorStatus(
            model=embedder.name, dimension=0, place=kind, held=0, trouble=error.code
        )
    served = {hit.blob for hit in hits}
    entries = manifest.entries
    blobs = {blob for blob, _ in entries.values()}
    wrong = [name for name, (blob, _) in entries.items() if blob not in served]
    stale = 0
    if wrong:
        paths = {hit.path for hit in hits}
        with closing(open_catalogue(workspace, snapshot)) as catalogue:
            stale = len({row.id for row in catalogue.by_ids(wrong) if row.path in paths})
    return VectorStatus(
        model=embedder.name,
        dimension=manifest.dimension,
        place=kind,
        held=len(entries),
        stale=stale,
        ghosts=len(wrong) - stale,
        lacking=len(served - blobs),
        unpurged=len(manifest.unpurged),
        is_current=manifest.ledger == snapshot.commit,
        trouble="embedder.away" if is_away(workspace) else "",
    )
