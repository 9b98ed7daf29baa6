"""What projections are made of: the records that may stand in a file on this machine."""

from __future__ import annotations

import itertools
from typing import Final

from memfs.errors import DataError
from memfs.index.catalogue import CatalogueFilter
from memfs.model.authority import Sink
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.record import StoredRecord
from memfs.policy.access import SERVED_STATUS
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.pages_view import FOLDERS as PAGE_FOLDERS
from memfs.services.ports import Workspace
from memfs.services.reading import served_from
from memfs.store.layout import MANAGED_FOLDERS, VIEWS_FOLDER
from memfs.store.snapshot import Snapshot

INDEX_RECORDS: Final = 500


def projected_records(workspace: Workspace, snapshot: Snapshot) -> tuple[StoredRecord, ...]:
    """Returns the records that an index for people lists: the 500 most important ones.

    Only what a person on this machine is served; of equal importance the newer come first.
    """
    request = access_request(workspace, SYSTEM_ACTOR, sink=Sink.PERSON)
    kinds = tuple(kind.name for kind in workspace.registry if kind.is_claim)
    wanted = CatalogueFilter(kinds=kinds, status=str(SERVED_STATUS), by_importance=True)
    catalogue = open_catalogue(workspace, snapshot)
    try:
        rows = catalogue.listing(wanted)
        served = served_from(workspace, snapshot, rows, request)
        return tuple(itertools.islice(served, INDEX_RECORDS))
    finally:
        catalogue.close()


def read_projection(workspace: Workspace, path: str) -> str | None:
    """Returns the text of a projection as it lies there; ``None`` when it cannot be read."""
    try:
        content = workspace.store.read_working(path)
    except DataError:
        # A link or a folder in its place: it is not written over either.
        return None
    return None if content is None else content.decode("utf-8", errors="replace")


def watched_folders(workspace: Workspace) -> tuple[str, ...]:
    """Returns the folders whose files are records, as far as this build knows kinds, or pages."""
    kinds = {kind.folder.split("/")[0] for kind in workspace.registry}
    pages = (f"{VIEWS_FOLDER}/{name}" for name in PAGE_FOLDERS)
    return tuple(sorted({*kinds, *MANAGED_FOLDERS, *pages}))


def write_projection(workspace: Workspace, path: str, text: str) -> None:
    """Writes a projection, whole."""
    workspace.store.write_untracked(path, text.encode())
