"""Asking the action gate about records of a store: reads them and the approval, decides nothing."""

from __future__ import annotations

from contextlib import closing

from memfs.index.catalogue import Catalogue
from memfs.model.decision import Reason
from memfs.model.evidence import EXCERPT_KIND
from memfs.model.ids import split_version
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from memfs.policy.action_gate import ACTION_AUTHORITY, Approval, may_act
from memfs.policy.reasons import reason
from memfs.policy.withdrawal import is_standing
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.reading import AmbiguousRecordError, UnknownRecordError, find_record
from memfs.store.snapshot import Snapshot


def may_act_on(
    workspace: Workspace, reference: str, action: str, actor: Actor, *, approval: str = ""
) -> Result:
    """Tells whether a consequential call may use arguments that come from a record.

    Args:
        workspace: The store.
        reference: The record.
        action: The call in words, as a person would be asked about it.
        actor: Who asks.
        approval: Id of the evidence of what a person just said.

    Returns:
        Done when a person approved it just now and in these words, refused with reasons in
        every other case. Memory itself never permits anything.
    """
    snapshot = workspace.store.snapshot()
    try:
        request = access_request(workspace, actor)
        influence = find_record(workspace, snapshot, reference, request).record
    except (UnknownRecordError, AmbiguousRecordError):
        return _refused(workspace, reference, (reason("action.no-memory"),))
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        offered = _approval(workspace, snapshot, catalogue, approval) if approval else None
    if approval and offered is None:
        return _refused(workspace, influence.reference, (reason("action.not-evidence"),))
    decision = may_act((influence,), action, approval=offered, now=workspace.clock.now())
    if not decision.allowed:
        return _refused(workspace, influence.reference, decision.reasons)
    return Result(
        action="act",
        target=influence.reference,
        status=ResultStatus.DONE,
        message="a person approved it just now; memory itself permits nothing",
        store=str(workspace.store.root),
        data={"authority": ACTION_AUTHORITY.label, "approval": approval},
    )


def _approval(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, approval: str
) -> Approval | None:
    """Reads the evidence and its words from the ledger; ``None`` where there is none of that id."""
    identifier = split_version(approval.strip())[0]
    envelopes = read_entries(workspace, snapshot, catalogue.by_id(identifier))
    if len(envelopes) != 1:
        return None
    dependents = read_entries(workspace, snapshot, catalogue.dependents([identifier]))
    words = tuple(item.record.body for item in dependents if _is_excerpt(item.record))
    return Approval(envelope=envelopes[0].record, words=words)


def _is_excerpt(record: Record) -> bool:
    return record.kind == EXCERPT_KIND and is_standing(record)


def _refused(workspace: Workspace, target: str, reasons: tuple[Reason, ...]) -> Result:
    return Result(
        action="act",
        target=target,
        status=ResultStatus.REFUSED,
        message=reasons[0].message,
        store=str(workspace.store.root),
        reasons=reasons,
        data={"authority": ACTION_AUTHORITY.label},
    )
