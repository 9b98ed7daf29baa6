"""Issues: what is asked of them is recorded, in one commit (C15, C18).

A run records what it found together with itself, from :func:`plan_issues`; everybody else comes
through :func:`record_issues`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from memfs.domains.runs.issue_plan import plan_issues
from memfs.domains.runs.issue_requests import IssueChange, IssuePlan, IssueRequest
from memfs.model.issue import EventKind
from memfs.model.operation import OperationKind
from memfs.model.origin import Actor
from memfs.model.result import ResultStatus
from memfs.policy.reasons import reason
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided, commit_decided
from memfs.services.inbox import put_candidate, put_within_quota
from memfs.services.ports import Workspace
from memfs.services.proposals import plan_from
from memfs.services.propose import candidate_from, own_key
from memfs.store.snapshot import Snapshot

__all__ = [
    "IssueChange",
    "IssuePlan",
    "IssueRequest",
    "file_waiting",
    "plan_issues",
    "record_issues",
    "subject_of",
]


def record_issues(
    workspace: Workspace, requests: Sequence[IssueRequest], actor: Actor, *, key: str = ""
) -> tuple[tuple[IssueChange, ...], str]:
    """Carries requests out in one commit.

    Args:
        workspace: The store.
        requests: In the order in which they are carried out.
        actor: Who says so.
        key: Makes a repetition harmless.

    Returns:
        One change a request, and the transaction; empty when nothing was committed.

    Raises:
        UnknownIssueError: A request names no issue.
        HeldRecordError: A commit made by hand waits for a decision on one of them.
        UsageError: A request lacks its words.
    """
    asked = own_key(actor, key)

    def decide_on(snapshot: Snapshot) -> Decided[IssuePlan]:
        with closing(open_catalogue(workspace, snapshot)) as catalogue:
            planned = plan_issues(workspace, snapshot, catalogue, requests, actor)
        if not planned.drafts:
            return Decided(planned)
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RECORD,
            actor=actor,
            drafts=planned.drafts,
            subject=subject_of(planned),
            key=asked,
        )
        return Decided(planned, plan)

    committed = commit_decided(workspace, decide_on)
    commit = committed.commit
    changes = file_waiting(workspace, committed.outcome)
    if commit is None or not commit.is_replay:
        return changes, commit.transaction if commit is not None else ""
    nothing = (
        replace(item, event=None, is_new=False, status=ResultStatus.NOTHING)
        if item.status is ResultStatus.DONE
        else item
        for item in changes
    )
    return tuple(nothing), commit.transaction


def file_waiting(workspace: Workspace, planned: IssuePlan) -> tuple[IssueChange, ...]:
    """Files what waits for review and returns all changes, those with their candidates."""
    waiting = iter(planned.waiting)
    changes = []
    for item in planned.changes:
        if item.status is not ResultStatus.WAITING:
            changes.append(item)
            continue
        candidate = candidate_from(workspace, next(waiting))
        is_person = candidate.origin.principal.is_person
        put = put_candidate if is_person else put_within_quota
        filed = put(workspace, candidate)
        if filed is None:
            full = reason("bounds.quota")
            item = replace(item, status=ResultStatus.REFUSED, reasons=(full, *item.reasons))
        changes.append(replace(item, candidate=filed.id if filed is not None else ""))
    return tuple(changes)


def subject_of(planned: IssuePlan) -> str:
    """Returns the commit subject of a plan of issues: opaque where an issue is."""
    done = [item for item in planned.changes if item.event is not None]
    opaque = {draft.record.id for draft in planned.drafts if draft.record.sensitivity.is_opaque}
    first = done[0]
    title = first.id if first.id in opaque else first.title
    others = f" (+{len(done) - 1})" if len(done) > 1 else ""
    verb = first.event.kind if first.event is not None else EventKind.NOTED
    return f"issue {verb}: {title}{others}"
