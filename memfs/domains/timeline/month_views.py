"""``views/timeline/2026-11.jsonl``: the events of a month, a line each, for other programs.

An event stands in the file of the month in which it happened (O1), a month of UTC, in the order
in which memory learned of events: what is told later is added at the end, and what is told anew
marks the older line and keeps it (O7). All of it is derived: the same ledger gives the same
bytes, brought up event by event or made anew. Only what a person on this machine is served stands
there, and nothing confidential.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TypeAlias

from memfs.domains.timeline.events import UNKNOWN_TIME, happened
from memfs.domains.timeline.lines import own_line
from memfs.domains.timeline.view_stamp import (
    Stamp,
    drop_stamp,
    folder_of,
    has_files,
    is_current,
    read_stamp,
    view_of_month,
    write_stamp,
)
from memfs.errors import DataError, StoreError
from memfs.model.authority import Sink
from memfs.model.event import EVENT_KIND, TIMELINE_FOLDER
from memfs.model.instants import month_of, parse_instant
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.record import Record, StoredRecord
from memfs.policy.masking import visible_stored
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.projection_source import read_projection, write_projection
from memfs.services.served_records import read_records, served_places
from memfs.services.view_notes import rules_of
from memfs.store.snapshot import Snapshot

Order: TypeAlias = tuple[datetime, str]
Months: TypeAlias = dict[str, dict[Order, str]]
"""Lines by month and by what orders them: when memory learned of the event, and its id."""


def refresh_timeline_views(workspace: Workspace, *, is_anew: bool = False) -> int | None:
    """Brings the months up to the ledger; reads only the events that changed.

    Args:
        workspace: The store.
        is_anew: Read every event again and believe nothing that is there.

    Returns:
        How many months were written; ``None`` where nothing was to do or it could not be
        written, and the next writer does it.
    """
    snapshot = workspace.store.snapshot()
    if not is_anew and is_current(workspace, snapshot):
        return None
    stamp = read_stamp(workspace)
    try:
        is_usable = not is_anew and stamp is not None and has_files(workspace, stamp)
        found = _brought_up(workspace, snapshot, stamp) if is_usable and stamp else None
        if found is None or stamp is None:
            drop_stamp(workspace)
            every = _every(workspace, snapshot)
            gone = set(stamp.months if stamp is not None else ()) - set(every)
            kept: Mapping[str, str] = {}
            found = {**{month: {} for month in gone}, **every}
        else:
            kept = stamp.months
        months = dict(kept)
        for month, lines in found.items():
            months.pop(month, None)
            if digest := _write(workspace, month, lines):
                months[month] = digest
    except (OSError, StoreError, DataError):
        drop_stamp(workspace)
        return None
    write_stamp(
        workspace,
        Stamp(
            folder=folder_of(snapshot),
            rules=rules_of(workspace, snapshot),
            commit=snapshot.commit,
            months=months,
        ),
    )
    return len(found)


def _write(workspace: Workspace, month: str, lines: Mapping[Order, str]) -> str:
    """Writes the lines of a month and returns the digest of the file; empty for none."""
    path = view_of_month(month)
    if not lines:
        workspace.store.remove_untracked(path)
        return ""
    write_projection(workspace, path, "".join(f"{lines[order]}\n" for order in sorted(lines)))
    return workspace.store.working_digest(path) or ""


def _every(workspace: Workspace, snapshot: Snapshot) -> Months:
    months: Months = {}
    for stored in _shown(workspace, snapshot, served_places(snapshot, TIMELINE_FOLDER)):
        _put(months, stored.record)
    return months


def _brought_up(workspace: Workspace, snapshot: Snapshot, stamp: Stamp) -> Months | None:
    """Returns the months with a changed event; ``None`` where all have to be made anew."""
    if stamp.rules != rules_of(workspace, snapshot):
        return None
    older = workspace.store.snapshot_or_none(stamp.commit)
    if older is None:
        return None
    every = snapshot.changes_since(older)
    changes = [change for change in every if change.path.startswith(f"{TIMELINE_FOLDER}/")]
    before = [(it.path, it.old) for it in changes if it.old]
    after = [(it.path, it.new) for it in changes if it.new]
    gone = {
        stored.record.id: month_of(happened(stored.record))
        for stored in read_records(workspace, older, before)
    }
    came = list(_shown(workspace, snapshot, after))
    touched = {*gone.values(), *(month_of(happened(stored.record)) for stored in came)}
    months: Months = {}
    for month in touched:
        lines = _read(workspace, month, stamp)
        if lines is None:
            return None
        months[month] = {order: line for order, line in lines.items() if order[1] not in gone}
    for stored in came:
        _put(months, stored.record)
    return months


def _read(workspace: Workspace, month: str, stamp: Stamp) -> dict[Order, str] | None:
    """Returns the lines of a month as they lie there; ``None`` where somebody wrote in them."""
    digest, path = stamp.months.get(month), view_of_month(month)
    if digest is None:
        return {}
    if workspace.store.working_digest(path) != digest:
        return None
    lines = (read_projection(workspace, path) or "").split("\n")
    try:
        return {_order_of_line(json.loads(line)): line for line in lines if line}
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _order_of_line(line: Mapping[str, str]) -> Order:
    learned = line.get("ingestion_time")
    return (parse_instant(learned) if learned else UNKNOWN_TIME, line["id"])


def _put(months: Months, record: Record) -> None:
    order = (record.observed or UNKNOWN_TIME, record.id)
    text = json.dumps(own_line(record), ensure_ascii=False, separators=(",", ":"))
    months.setdefault(month_of(happened(record)), {})[order] = text


def _shown(
    workspace: Workspace, snapshot: Snapshot, places: Iterable[tuple[str, str]]
) -> Iterator[StoredRecord]:
    request = access_request(workspace, SYSTEM_ACTOR, sink=Sink.PERSON, sees_replaced=True)
    for stored in read_records(workspace, snapshot, places):
        if stored.record.kind != EVENT_KIND or stored.record.sensitivity.is_opaque:
            continue
        seen = visible_stored(stored, request)
        if seen is not None:
            yield seen
