"""What projections are made of: the records that may stand in a file on this machine."""

from __future__ import annotations

from memfs.errors import DataError
from memfs.model.authority import Sink
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.record import StoredRecord
from memfs.policy.access import may_read
from memfs.services.catalogue import read_all, snapshot_paths
from memfs.services.ports import Workspace
from memfs.services.reading import access_request
from memfs.store.layout import MANAGED_FOLDERS


def projected_records(workspace: Workspace) -> tuple[StoredRecord, ...]:
    """Returns every record that a person on this machine is served, ordered by path."""
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, SYSTEM_ACTOR, sink=Sink.PERSON)
    return tuple(
        stored
        for stored in read_all(workspace, snapshot, snapshot_paths(snapshot))
        if may_read(stored.record, request).allowed
    )


def read_projection(workspace: Workspace, path: str) -> str | None:
    """Returns the text of a projection as it lies there; ``None`` when it cannot be read."""
    try:
        content = workspace.store.read_working(path)
    except DataError:
        # A link or a folder in its place: it is not written over either.
        return None
    return None if content is None else content.decode("utf-8", errors="replace")


def watched_folders(workspace: Workspace) -> tuple[str, ...]:
    """Returns the folders whose files are records, as far as this build knows kinds."""
    kinds = {kind.folder.split("/")[0] for kind in workspace.registry}
    return tuple(sorted({*kinds, *MANAGED_FOLDERS}))


def write_projection(workspace: Workspace, path: str, text: str) -> None:
    """Writes a projection, whole."""
    workspace.store.write_untracked(path, text.encode())
