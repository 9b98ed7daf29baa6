"""``views/issues.jsonl``: every issue as one line of JSON, ordered by id, for other programs.

It is derived: the same ledger gives the same bytes, whether it was brought up issue by issue or
made anew. Only what a person on this machine is served stands in it, and nothing confidential.
"""

from __future__ import annotations

import json
from bisect import insort
from collections.abc import Iterable, Iterator
from typing import Final

from memfs.domains.runs.issue_views import issue_value, view_of
from memfs.errors import DataError, StoreError
from memfs.model.authority import Sink
from memfs.model.issue import ISSUE_KIND
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.record import StoredRecord
from memfs.policy.masking import visible_stored
from memfs.services.gate import access_request
from memfs.services.issues_view import (
    ISSUES_FOLDER,
    ISSUES_VIEW,
    drop_stamp,
    is_view_current,
    read_stamp,
    stamp_of,
    view_digest,
    write_stamp,
)
from memfs.services.ports import Workspace
from memfs.services.projection_source import read_projection, write_projection
from memfs.services.served_records import read_records
from memfs.store.snapshot import Snapshot

_FOLDER: Final = f"{ISSUES_FOLDER}/"
_PATH: Final = '"path":'


def refresh_issue_view(workspace: Workspace, *, is_anew: bool = False) -> int | None:
    """Brings the view up to the ledger; reads only the issues that changed.

    Args:
        workspace: The store.
        is_anew: Read every issue again and believe nothing that is there.

    Returns:
        How many issues it lists; ``None`` where nothing was to do or it could not be written,
        and the next writer does it.
    """
    if is_anew:
        drop_stamp(workspace)
    elif is_view_current(workspace):
        return None
    snapshot = workspace.store.snapshot()
    try:
        if not snapshot.folder_id(ISSUES_FOLDER):
            workspace.store.remove_untracked(ISSUES_VIEW)
            drop_stamp(workspace)
            return 0
        lines = _brought_up(workspace, snapshot)
        if lines is None:
            lines = sorted(_lines(workspace, snapshot, _all(snapshot)))
        write_projection(workspace, ISSUES_VIEW, "".join(f"{line}\n" for line in lines))
    except (OSError, StoreError, DataError):
        return None
    write_stamp(workspace, stamp_of(workspace, snapshot))
    return len(lines)


def _brought_up(workspace: Workspace, snapshot: Snapshot) -> list[str] | None:
    """Returns all lines, those of changed issues made anew; ``None`` to make all anew."""
    stamp = read_stamp(workspace)
    if stamp is None or stamp.digest != view_digest(workspace):
        return None
    if stamp.rules != stamp_of(workspace, snapshot).rules:
        return None
    older = workspace.store.snapshot_or_none(stamp.commit)
    text = read_projection(workspace, ISSUES_VIEW)
    if older is None or text is None:
        return None
    changes = [item for item in snapshot.changes_since(older) if item.path.startswith(_FOLDER)]
    # A line ends with the path of its issue.
    changed = tuple(f"{_PATH}{_quoted(item.path)}}}" for item in changes)
    lines = [line for line in text.split("\n") if line and not line.endswith(changed)]
    places = ((item.path, item.new) for item in changes if item.new)
    for line in _lines(workspace, snapshot, places):
        insort(lines, line)
    return lines


def _all(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    return ((entry.path, entry.blob) for entry in snapshot.entries(_FOLDER))


def _lines(
    workspace: Workspace, snapshot: Snapshot, places: Iterable[tuple[str, str]]
) -> Iterator[str]:
    request = access_request(workspace, SYSTEM_ACTOR, sink=Sink.PERSON)
    for stored in read_records(workspace, snapshot, places):
        if stored.record.kind != ISSUE_KIND or stored.record.sensitivity.is_opaque:
            continue
        seen = visible_stored(stored, request)
        if seen is not None:
            yield _line(seen)


def _line(stored: StoredRecord) -> str:
    return json.dumps(issue_value(view_of(stored)), ensure_ascii=False, separators=(",", ":"))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
