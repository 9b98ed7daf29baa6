"""Effects: what was done outside, told by records of their own; here they are only linked (A67).

How an effect ended is read from its record each time. No step holds a copy of it, and nothing
that is done to a task changes it: what makes up for an effect is another effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from memfs.formats.issue_log import parse_log
from memfs.index.catalogue import Catalogue
from memfs.model.evidence import EVIDENCE_KIND
from memfs.model.issue import ISSUE_KIND
from memfs.model.issue_fold import fold
from memfs.model.record import Record
from memfs.model.run import RUN_KIND
from memfs.policy.access import AccessRequest
from memfs.services.ports import Workspace
from memfs.services.reading import served_from
from memfs.store.snapshot import Snapshot

LINKED_KINDS: Final = frozenset({RUN_KIND, EVIDENCE_KIND, ISSUE_KIND})
"""Kinds of records that tell of an effect."""


def effects_now(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    ids: Iterable[str],
    request: AccessRequest,
) -> Mapping[str, str]:
    """Returns how effects stand, by id; one that the reader may not see is left out."""
    wanted = tuple(dict.fromkeys(ids))
    if not wanted:
        return {}
    rows = catalogue.by_ids(wanted)
    served = (stored.record for stored in served_from(workspace, snapshot, rows, request))
    return {record.id: stands(record) for record in served if record.kind in LINKED_KINDS}


def stands(record: Record) -> str:
    """Returns how an effect ended, in a word, as its own record says."""
    match record.kind:
        case "issue":
            return str(fold(parse_log(record.body).events).state)
        case "run":
            return str(record.fields.get("state", "")) or "unknown"
        case _:
            return str(record.fields.get("outcome", "")) or "unknown"
