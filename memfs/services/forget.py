"""Forgetting one record: its file goes, a content-free tombstone stays.

The tombstone carries a keyed fingerprint, so that import, sync or extraction cannot bring
the same claim back. The closure over what was derived from it, and erasure of history, are
planned on this seam and not built here.
"""

from __future__ import annotations

import json

from memfs.model.decision import Decision, Verdict
from memfs.model.instants import format_instant
from memfs.model.operation import FileChange
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.policy.administration import decide_forget, decide_operation
from memfs.services.admission_view import tombstone_fingerprint, tombstone_name
from memfs.services.ports import Workspace
from memfs.store.snapshot import Snapshot


def forget_changes(
    workspace: Workspace,
    snapshot: Snapshot,
    path: str,
    target: StoredRecord | None,
    actor: Actor,
) -> tuple[tuple[FileChange, ...], Decision]:
    """Returns the changes that withdraw the record at ``path``, and the decision on them.

    A path without an admitted record is only removed from the branch; it leaves no tombstone.
    """
    decision = (
        decide_operation("record.forget", actor, workspace.settings)
        if target is None
        else decide_forget(actor, target.record, workspace.settings)
    )
    if decision.verdict is not Verdict.ACTIVATE:
        return (), decision
    changes: list[FileChange] = []
    tip = snapshot.raw_entry(path)
    if tip is not None:
        changes.append(FileChange(path=path, content=None, expected=tip.blob, decision=decision))
    if target is not None:
        changes.append(_tombstone(workspace, snapshot, target, decision))
    return tuple(changes), decision


def _tombstone(
    workspace: Workspace, snapshot: Snapshot, target: StoredRecord, decision: Decision
) -> FileChange:
    fingerprint = tombstone_fingerprint(workspace, target.record)
    name = tombstone_name(fingerprint)
    standing = snapshot.raw_entry(name)
    content = {
        "id": target.record.id,
        "kind": target.record.kind,
        "at": format_instant(workspace.clock.now()),
        "fingerprint": fingerprint,
    }
    return FileChange(
        path=name,
        content=(json.dumps(content, indent=2) + "\n").encode(),
        expected=standing.blob if standing else None,
        decision=decision,
    )
