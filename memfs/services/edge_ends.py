"""An edge is served with both its ends or not at all: it never tells that a hidden one is there.

Whoever may read an edge record learns two ids and how they relate; with an end that is withdrawn,
or not for this reader, the edge is as if it were not there, however it is asked for (A9).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.graph import EDGE_KIND, PREVIEW_CHARS
from memfs.model.ids import is_id, short_id
from memfs.model.kinds import Filing
from memfs.model.record import Record, StoredRecord
from memfs.policy.access import AccessRequest, may_read, read_right
from memfs.policy.graph_links import survivor_of
from memfs.policy.masking import visible_stored
from memfs.policy.relations import is_pressure, joined_by, phrase_of
from memfs.policy.withdrawal import is_withdrawn
from memfs.services.links import still_open
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.served_records import read_paths
from memfs.store.snapshot import Snapshot, TreeEntry

_CHAIN: Final = 64


@frozen
class Sight:
    """One reader and the ledger that they look at.

    Attributes:
        workspace: The store.
        snapshot: The ledger that is read.
        request: Who asks, and about which moment.
        head: The ledger as it is now, where ``snapshot`` is of the past; else ``None``.
    """

    workspace: Workspace
    snapshot: Snapshot
    request: AccessRequest
    head: Snapshot | None = None

    def end(self, name: str) -> StoredRecord | None:
        """Returns what may be seen of an end of an edge, or of what it was merged into.

        Where one namespace was asked for, it has to be of that: no other is looked into.
        """
        for _ in range(_CHAIN):
            found = next(_named(self.workspace, self.snapshot, name, self.head), None)
            if found is None:
                return None
            survivor = survivor_of(found.record)
            if not survivor:
                return self._seen(found)
            if not read_right(found.record, self.request).allowed:
                return None
            name = survivor
        return None

    def in_words(self, edge: StoredRecord) -> StoredRecord | None:
        """Returns an edge called by its ends, which its record names by id alone.

        ``None`` where one of them may not be seen. The names are kept nowhere.
        """
        ends = {name: self.end(name) for name in joined_by(edge.record)}
        seen = {name: end.record for name, end in ends.items() if end is not None}
        if len(seen) != 2:
            return None
        names = {name: called for name, end in seen.items() if (called := name_of_end(end))}
        note = " (likeness, no proof)" if is_pressure(edge.record) else ""
        title = f"{phrase_of(edge.record, names)}{note}"
        return replace(edge, record=replace(edge.record, title=title))

    def _seen(self, stored: StoredRecord) -> StoredRecord | None:
        seen = visible_stored(stored, self.request)
        now = self.head or self.snapshot
        if seen is None or rests_on_off_source(self.workspace, now, stored.record, self.request):
            return None
        if self.head is None:
            return seen
        return still_open(self.workspace, self.head, stored, seen, self.request)


def name_of_end(record: Record) -> str:
    """Returns what an end is called in an edge, as far as it is seen; empty for nothing."""
    title = " ".join(record.title.split())
    is_short = len(title) <= PREVIEW_CHARS
    return title if is_short else f"{title[: PREVIEW_CHARS - 1].rstrip()}…"


def has_hidden_end(
    workspace: Workspace,
    snapshot: Snapshot,
    record: Record,
    request: AccessRequest,
    *,
    is_past: bool = False,
) -> bool:
    """Tells whether ``record`` is an edge with an end that ``request`` may not see now.

    An end that was merged into another stands for the other. Where the reader asked for one
    namespace, an edge may lead into another of theirs.

    Args:
        workspace: The store.
        snapshot: The ledger as it is now.
        record: Any record.
        request: Who asks.
        is_past: The ledger of an earlier moment is asked: an end may have been replaced since.
    """
    if record.kind != EDGE_KIND:
        return False
    ends = joined_by(record)
    anywhere = replace(request, scopes=())
    is_open = partial(_is_open, workspace, snapshot, request=anywhere, is_past=is_past)
    return len(ends) != 2 or not all(map(is_open, ends))


def _is_open(
    workspace: Workspace, snapshot: Snapshot, name: str, *, request: AccessRequest, is_past: bool
) -> bool:
    for _ in range(_CHAIN):
        stored = next(_named(workspace, snapshot, name), None)
        if stored is None:
            return False
        found = stored.record
        survivor = survivor_of(found)
        if not survivor:
            is_known = is_past and not is_withdrawn(found)
            return (read_right if is_known else may_read)(found, request).allowed
        if not read_right(found, request).allowed:
            return False
        name = survivor
    return False


def _named(
    workspace: Workspace, snapshot: Snapshot, name: str, head: Snapshot | None = None
) -> Iterator[StoredRecord]:
    # What Git cannot read is not there: an edge is as closed by that as by an end that is hidden.
    for stored in read_paths(
        workspace, snapshot, (entry.path for entry in _files_of(workspace, snapshot, name))
    ):
        if stored.record.id == name:
            yield stored
    # A page that somebody wrote by hand is called as they called it.
    from memfs.services.catalogue import open_catalogue  # hardly any is

    with closing(open_catalogue(workspace, head or snapshot)) as catalogue:
        rows = catalogue.by_id(name)
    for stored in read_paths(workspace, snapshot, [row.path for row in rows]):
        if stored.record.id == name:
            yield stored


def _files_of(workspace: Workspace, snapshot: Snapshot, name: str) -> Iterator[TreeEntry]:
    """Yields files that an id names, those first where its kind is filed: there are few to look at.

    Each thing has a folder by the end of its id, and there may be a thousand of them.
    """
    for kind in workspace.registry:
        if is_id(name, kind.id_prefix):
            is_by_id = kind.filing is Filing.BY_ID
            folder = f"{kind.folder}/{name[-2:]}" if is_by_id else kind.folder
            yield from snapshot.find_part(folder, short_id(name))
    yield from snapshot.find_suffix(name)
