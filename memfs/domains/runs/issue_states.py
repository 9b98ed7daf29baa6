"""Which issues are open, without reading all of them again at every question.

A state follows from the bytes of an issue alone, so that it is kept by their blob id: no word
and no name of an issue stands in the file, which is disposable and private like every cache.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import Final

from memfs.formats.issue_log import parse_log
from memfs.index.port import IndexHit
from memfs.model.issue import ISSUE_KIND, IssueState
from memfs.model.issue_fold import fold
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.query import Query
from memfs.model.record import Record
from memfs.services.ports import Workspace
from memfs.services.served_records import record_from
from memfs.services.shelf import shelf
from memfs.store.snapshot import Snapshot

STATES_FILE: Final = "issue-states.json"
MOST_ISSUES: Final = 10_000
"""So many issues, newest first, are looked at."""
_SPARE: Final = 1_000
"""Others see other issues: so many states more than one asker needs are kept."""
_VERSION: Final = 1


def open_hits(
    workspace: Workspace, snapshot: Snapshot, hits: Sequence[IndexHit]
) -> tuple[IndexHit, ...]:
    """Returns those of ``hits`` whose issues are open, in their order."""
    known = _kept(workspace)
    unknown = {hit.blob: hit.path for hit in hits if hit.blob not in known}
    if unknown:
        read = {
            blob: _is_open(workspace, unknown[blob], blob, content)
            for blob, content in snapshot.read_blobs(list(unknown))
        }
        known = {**known, **dict.fromkeys(unknown, False), **read}
        if len(known) > 2 * len(hits) + _SPARE:
            known = {hit.blob: known[hit.blob] for hit in hits}
        _keep(workspace, known)
    return tuple(hit for hit in hits if known[hit.blob])


def count_open(workspace: Workspace) -> int:
    """Returns how many issues are open in all, and knows the state of each afterwards.

    Raises:
        IndexUnavailableError: There is no index and none can be made.
    """
    snapshot = workspace.store.snapshot()
    query = Query(text="", actor=SYSTEM_ACTOR, kinds=(ISSUE_KIND,), limit=MOST_ISSUES)
    return len(open_hits(workspace, snapshot, shelf(workspace, snapshot, query).hits))


def is_open(record: Record) -> bool:
    """Tells whether an issue is open by its events."""
    return fold(parse_log(record.body).events).state is IssueState.OPEN


def _is_open(workspace: Workspace, path: str, blob: str, content: bytes) -> bool:
    stored = record_from(workspace, path, blob, content)
    return stored is not None and is_open(stored.record)


def _kept(workspace: Workspace) -> Mapping[str, bool]:
    try:
        content = (workspace.cache_dir / STATES_FILE).read_bytes()
        values = json.loads(content)
    except (OSError, ValueError, RecursionError):
        return {}
    match values:
        case {"v": 1, "open": [*opened], "closed": [*closed]}:
            return {
                str(blob): blob_is for names, blob_is in _pairs(opened, closed) for blob in names
            }
        case _:
            return {}


def _pairs(opened: list[object], closed: list[object]) -> tuple[tuple[list[object], bool], ...]:
    return (opened, True), (closed, False)


def _keep(workspace: Workspace, states: Mapping[str, bool]) -> None:
    """Writes the states whole; where that is not possible, they are read again next time."""
    values = {
        "v": _VERSION,
        "open": sorted(blob for blob, is_ in states.items() if is_),
        "closed": sorted(blob for blob, is_ in states.items() if not is_),
    }
    place = workspace.cache_dir / STATES_FILE
    aside = place.with_suffix(f".{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with contextlib.suppress(OSError):
        workspace.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(aside, flags, 0o600)
        try:
            os.write(descriptor, json.dumps(values, separators=(",", ":")).encode("ascii"))
        finally:
            os.close(descriptor)
        aside.replace(place)
