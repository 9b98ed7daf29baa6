"""Issues as the JSON lines of a tracker, for whoever may have them outside of the store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from memfs.domains.runs.tracker_rows import row_of_issue
from memfs.formats.issue_log import parse_log
from memfs.model.authority import Sink
from memfs.model.issue import ISSUE_KIND
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.policy.access import may_read
from memfs.services.gate import access_request
from memfs.services.issues_view import ISSUES_FOLDER
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.served_records import read_records


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What an export hands out.

    Attributes:
        format: Name of the format.
        lines: One an item, without line ends.
        left_out: How many there are that may not leave the store; a program is not told.
    """

    format: str
    lines: tuple[str, ...] = ()
    left_out: int = 0


def export_tracker(workspace: Workspace, actor: Actor) -> Exported:
    """Returns every issue that ``actor`` may take out of the store, the first opened first.

    An issue that may be seen in part alone is no row of a tracker and is left out.
    """
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor, sink=Sink.EXPORT)
    places = ((entry.path, entry.blob) for entry in snapshot.entries(f"{ISSUES_FOLDER}/"))
    chosen: list[Record] = []
    left_out = 0
    for stored in read_records(workspace, snapshot, places):
        record = stored.record
        if record.kind != ISSUE_KIND:
            continue
        is_whole = may_read(record, request).is_whole
        if is_whole and not rests_on_off_source(workspace, snapshot, record, request):
            chosen.append(record)
        else:
            left_out += 1
    return Exported(
        format="tracker",
        lines=tuple(_lines(chosen)),
        left_out=left_out if actor.is_person else 0,
    )


def _lines(records: list[Record]) -> Iterator[str]:
    for record in sorted(records, key=_order):
        yield json.dumps(row_of_issue(record), ensure_ascii=False, separators=(",", ":"))


def _order(record: Record) -> tuple[float, str]:
    events = parse_log(record.body).events
    first = min((event.at.timestamp() for event in events), default=0.0)
    return first, record.id
