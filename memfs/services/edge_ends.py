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

from memfs.model.graph import EDGE_KIND
from memfs.model.record import Record
from memfs.policy.access import AccessRequest, may_read, read_right
from memfs.policy.graph_links import survivor_of
from memfs.policy.relations import joined_by
from memfs.policy.withdrawal import is_withdrawn
from memfs.services.ports import Workspace
from memfs.services.served_records import record_from
from memfs.store.snapshot import Snapshot

_CHAIN: Final = 64


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
        found = next(_named(workspace, snapshot, name), None)
        if found is None:
            return False
        survivor = survivor_of(found)
        if not survivor:
            is_known = is_past and not is_withdrawn(found)
            return (read_right if is_known else may_read)(found, request).allowed
        if not read_right(found, request).allowed:
            return False
        name = survivor
    return False


def _named(workspace: Workspace, snapshot: Snapshot, name: str) -> Iterator[Record]:
    for entry in snapshot.find_suffix(name):
        stored = record_from(workspace, entry.path, entry.blob, snapshot.read_blob(entry.blob))
        if stored is not None and stored.record.id == name:
            yield stored.record
    # A page that somebody wrote by hand is called as they called it.
    from memfs.services.catalogue import open_catalogue, read_entries  # hardly any is

    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        rows = catalogue.by_id(name)
    yield from (stored.record for stored in read_entries(workspace, snapshot, rows))
