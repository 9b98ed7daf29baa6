"""Read-back: what was acknowledged is read from the ledger again and checked (A51).

A commit that cannot be read back as it was decided is a fault of memfs, of Git or of the
disk. It is named at once, with the paths, instead of being found when somebody asks.
"""

from __future__ import annotations

from typing import Final

from memfs.errors import DataError, MemfsError, StoreError
from memfs.formats.record_codec import read_record
from memfs.model.authority import Sink
from memfs.model.digests import blob_id
from memfs.model.ids import CommitId
from memfs.model.operation import Commit, FileChange, Plan
from memfs.model.origin import SYSTEM_ACTOR
from memfs.policy.access import AccessRequest, may_read
from memfs.policy.withdrawal import is_pending
from memfs.services.ports import Workspace
from memfs.store.layout import is_record_path
from memfs.store.snapshot import Snapshot

DECODED: Final = 100
"""Of a larger plan every path is compared, and so many files are decoded as well."""


class ReadBackError(MemfsError):
    """The ledger does not have what was just committed to it."""

    code = "ledger.read-back"


def read_back(workspace: Workspace, plan: Plan, commit: Commit) -> None:
    """Checks that the ledger serves what ``plan`` put there.

    A repeated key commits nothing and is not read back.

    Raises:
        ReadBackError: A path has other bytes, cannot be decoded, or would not be served.
    """
    if commit.is_replay:
        return
    snapshot = workspace.store.snapshot(CommitId(commit.id))
    faults = [
        f"{change.path}: {fault}"
        for number, change in enumerate(plan.changes)
        if (fault := _fault(workspace, snapshot, change, is_decoded=number < DECODED))
    ]
    if faults:
        raise ReadBackError(
            f"{commit.transaction} is committed but does not read back: {'; '.join(faults[:5])}",
            hint="run: memfs doctor",
        )


def _fault(
    workspace: Workspace, snapshot: Snapshot, change: FileChange, *, is_decoded: bool
) -> str:
    """Returns what is wrong with one path; empty when it is as it should be."""
    try:
        entry = snapshot.raw_entry(change.path)
        if change.content is None:
            return "" if entry is None else "it was removed and is still there"
        if entry is None or entry.blob != blob_id(change.content):
            return "the ledger has other bytes"
        if not is_decoded or not is_record_path(change.path):
            return ""
        if snapshot.entry(change.path) is None:
            return "it is not served"
        content = snapshot.read_blob(entry.blob)
        record = read_record(content, path=change.path, registry=workspace.registry)
    except (DataError, StoreError) as error:
        return f"{error.code}: {error.message}"
    scope = record.scope or workspace.scope
    # Asked as whoever may see most: what nobody at all would be served is the fault.
    request = AccessRequest(
        actor=SYSTEM_ACTOR,
        sink=Sink.PERSON if Sink.PERSON in record.sinks else min(record.sinks, default=Sink.PERSON),
        now=workspace.clock.now(),
        project=workspace.scope,
        scopes=(scope,),
        memberships=frozenset({scope}),
        is_history=True,
    )
    decision = may_read(record, request)
    if is_pending(record):
        return "it was withdrawn and is served" if decision.allowed else ""
    if not decision.allowed:
        return f"policy does not serve it: {decision.reason.code if decision.reason else ''}"
    return ""
