"""Issues as the JSON lines of a tracker, for whoever may have them outside of the store."""

from __future__ import annotations

import json
from collections.abc import Iterator

from memfs.domains.runs.tracker_rows import row_of_issue
from memfs.formats.issue_log import parse_log
from memfs.model.issue import ISSUE_KIND
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.services.exported import Exported, Leaving
from memfs.services.issues_view import ISSUES_FOLDER
from memfs.services.ports import Workspace


def export_tracker(workspace: Workspace, actor: Actor) -> Exported:
    """Returns every issue that ``actor`` may take out of the store, the first opened first.

    An issue that may be seen in part alone is no row of a tracker and is left out.
    """
    leaving = Leaving(workspace, actor)
    chosen = [stored.record for stored in leaving.records(ISSUES_FOLDER, (ISSUE_KIND,))]
    return leaving.exported("tracker", _lines(chosen))


def _lines(records: list[Record]) -> Iterator[str]:
    for record in sorted(records, key=_order):
        yield json.dumps(row_of_issue(record), ensure_ascii=False, separators=(",", ":"))


def _order(record: Record) -> tuple[float, str]:
    events = parse_log(record.body).events
    first = min((event.at.timestamp() for event in events), default=0.0)
    return first, record.id
