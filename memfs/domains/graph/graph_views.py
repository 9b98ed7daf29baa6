"""``views/graph/entities.jsonl`` and ``edges.jsonl``: the graph as lines, for other programs.

Each is ordered by id and derived: the same ledger gives the same bytes, brought up record by
record or made anew. Only what a person on this machine is served stands there, what was replaced
with its mark, and nothing confidential; an edge stands there with both its ends or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing
from datetime import datetime
from typing import Final

from memfs.domains.graph.lines import own_line
from memfs.domains.graph.view_stamp import (
    EDGES_VIEW,
    ENTITIES_VIEW,
    GRAPH_FOLDER,
    Stamp,
    drop_stamp,
    has_graph,
    is_current,
    read_stamp,
    write_stamp,
)
from memfs.errors import DataError, StoreError
from memfs.model.authority import Sink
from memfs.model.graph import EDGE_KIND, ENTITY_KIND
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.record import Record, StoredRecord
from memfs.policy.masking import visible_stored
from memfs.policy.relations import joined_by
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.projection_source import read_projection, write_projection
from memfs.services.served_records import read_paths, read_records, served_places
from memfs.services.view_notes import rules_of
from memfs.store.layout import is_record_path
from memfs.store.snapshot import Snapshot

_MANY: Final = 500
"""From so many changed files on, all lines are made anew."""
_START: Final = '{"id":"'
Lines = dict[str, str]
Views = Mapping[str, Lines]


def refresh_graph_views(workspace: Workspace, *, is_anew: bool = False) -> int | None:
    """Brings both views up to the ledger; reads only what changed where that is enough.

    Args:
        workspace: The store.
        is_anew: Read everything again and believe nothing that is there.

    Returns:
        How many lines they have together; ``None`` where nothing was to do or they could not be
        written, and the next writer does it.
    """
    snapshot = workspace.store.snapshot()
    if not is_anew and is_current(workspace, snapshot):
        return None
    stamp = None if is_anew else read_stamp(workspace)
    maker = _Maker(workspace, snapshot)
    try:
        if not has_graph(snapshot):
            for path in (ENTITIES_VIEW, EDGES_VIEW):
                workspace.store.remove_untracked(path)
            drop_stamp(workspace)
            return None if stamp is None else 0
        found = maker.brought_up(stamp) if stamp is not None else None
        if found is None:
            found, stamp = maker.all_lines(), None
        digests = {path: _written(workspace, path, lines, stamp) for path, lines in found.items()}
    except (OSError, StoreError, DataError):
        drop_stamp(workspace)
        return None
    known = stamp.until if stamp is not None else None
    write_stamp(
        workspace,
        Stamp(
            rules=rules_of(workspace, snapshot),
            commit=snapshot.commit,
            until=min(filter(None, (known, maker.until)), default=None),
            digests=digests,
        ),
    )
    return sum(map(len, found.values()))


def _written(workspace: Workspace, path: str, lines: Lines, stamp: Stamp | None) -> str:
    """Writes a view where it is another one than before, and returns the digest of the file."""
    text = "".join(f"{lines[name]}\n" for name in sorted(lines))
    before = read_projection(workspace, path) if stamp is not None else None
    if before != text:
        write_projection(workspace, path, text)
    return workspace.store.working_digest(path) or ""


class _Maker:
    """Makes lines of one state of the ledger."""

    def __init__(self, workspace: Workspace, snapshot: Snapshot) -> None:
        self._workspace = workspace
        self._snapshot = snapshot
        self._request = access_request(
            workspace, SYSTEM_ACTOR, sink=Sink.PERSON, sees_replaced=True
        )
        self.until: datetime | None = None
        """When the first of the records that were looked at expires."""

    def all_lines(self) -> Views:
        """Returns all lines of both views, by id."""
        places = served_places(self._snapshot, GRAPH_FOLDER)
        records = [item.record for item in read_records(self._workspace, self._snapshot, places)]
        entities = [record for record in records if record.kind == ENTITY_KIND]
        edges = [record for record in records if record.kind == EDGE_KIND]
        return {
            ENTITIES_VIEW: _by_id(filter(self._is_shown, entities)),
            EDGES_VIEW: _by_id(self._with_ends(filter(self._is_shown, edges), entities)),
        }

    def brought_up(self, stamp: Stamp) -> Views | None:
        """Returns the lines with those of changed records made anew; ``None`` to make all."""
        older = self._workspace.store.snapshot_or_none(stamp.commit)
        if older is None or stamp.rules != rules_of(self._workspace, self._snapshot):
            return None
        if stamp.until is not None and stamp.until <= self._request.now:
            return None
        changes = [it for it in self._snapshot.changes_since(older) if is_record_path(it.path)]
        if len(changes) > _MANY:
            return None
        views = {path: _read(self._workspace, path, stamp) for path in (ENTITIES_VIEW, EDGES_VIEW)}
        entities, edges = views[ENTITIES_VIEW], views[EDGES_VIEW]
        if entities is None or edges is None:
            return None
        gone = self._read(older, ((it.path, it.old) for it in changes if it.old))
        came = self._read(self._snapshot, ((it.path, it.new) for it in changes if it.new))
        if self._may_hide_edges(gone, came):
            return None
        for name in gone:
            entities.pop(name, None)
            edges.pop(name, None)
        shown = [record for record in came.values() if self._is_shown(record)]
        entities |= _by_id(record for record in shown if record.kind == ENTITY_KIND)
        changed = [record for record in shown if record.kind == EDGE_KIND]
        edges |= _by_id(self._with_ends(changed, came.values()))
        return {ENTITIES_VIEW: entities, EDGES_VIEW: edges}

    def _may_hide_edges(self, gone: Mapping[str, Record], came: Mapping[str, Record]) -> bool:
        """Tells whether something that is no edge came into sight, or went out of it.

        What was not there before is no end of an edge that was.
        """
        return any(
            self._is_shown(record) != (name in came and self._is_shown(came[name]))
            for name, record in gone.items()
            if record.kind != EDGE_KIND
        )

    def _read(self, snapshot: Snapshot, places: Iterable[tuple[str, str]]) -> dict[str, Record]:
        found = read_records(self._workspace, snapshot, places)
        return {stored.record.id: stored.record for stored in found}

    def _is_shown(self, record: Record) -> bool:
        if record.sensitivity.is_opaque:
            return False
        if record.expires is not None and record.expires > self._request.now:
            self.until = min(self.until or record.expires, record.expires)
        seen = visible_stored(StoredRecord(record=record, path="-", blob=""), self._request)
        return seen is not None and bool(seen.path)

    def _with_ends(self, edges: Iterable[Record], known: Iterable[Record]) -> Iterator[Record]:
        """Yields the edges whose ends both stand where a person may see them."""
        chosen = list(edges)
        ends = {edge.id: joined_by(edge) for edge in chosen}
        wanted = {name for names in ends.values() for name in names}
        shown = self._shown_of(wanted, {record.id: record for record in known})
        for edge in chosen:
            if len(ends[edge.id]) == 2 and shown.issuperset(ends[edge.id]):
                yield edge

    def _shown_of(self, wanted: Collection[str], known: Mapping[str, Record]) -> frozenset[str]:
        records = {name: known[name] for name in wanted if name in known}
        missing = [name for name in wanted if name not in records]
        if missing:
            with closing(open_catalogue(self._workspace, self._snapshot)) as catalogue:
                paths = [row.path for row in catalogue.by_ids(missing)]
            for stored in read_paths(self._workspace, self._snapshot, paths):
                records[stored.record.id] = stored.record
        return frozenset(name for name, record in records.items() if self._is_shown(record))


def _by_id(records: Iterable[Record]) -> Lines:
    return {record.id: _line(record) for record in records}


def _line(record: Record) -> str:
    return json.dumps(own_line(record), ensure_ascii=False, separators=(",", ":"))


def _read(workspace: Workspace, path: str, stamp: Stamp) -> Lines | None:
    """Returns the lines of a view as they lie there; ``None`` where somebody wrote in them."""
    if workspace.store.working_digest(path) != stamp.digests.get(path):
        return None
    lines = (read_projection(workspace, path) or "").split("\n")
    return {_id_of(line): line for line in lines if line}


def _id_of(line: str) -> str:
    return line.removeprefix(_START).partition('"')[0]
