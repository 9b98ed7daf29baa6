"""Puts an intention in the place of another, in one commit; the older one stays, superseded."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final

from memfs.domains.intentions.marking import moved_draft
from memfs.domains.intentions.views import UnknownIntentionError, found_intention
from memfs.model.candidate import Submission
from memfs.model.decision import Reason
from memfs.model.ids import split_version
from memfs.model.intention import INTENTION_PREFIX
from memfs.model.operation import Commit, OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.model.status import Status
from memfs.policy.administration import decide_supersede
from memfs.policy.intention_moves import Action, answered, check_live, check_row
from memfs.policy.intention_triggers import intention_from
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided, commit_decided
from memfs.services.gate import access_request
from memfs.services.judgement import judge_with
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, new_file, plan_from, require_free
from memfs.services.propose import own_key
from memfs.services.served_records import read_path
from memfs.store.snapshot import Snapshot

ACTION: Final = "intention add"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Replaced:
    """The new intention; ``None`` where nothing is replaced, and then why."""

    new: Draft | None = None
    reasons: tuple[Reason, ...] = ()


def replace_intention(
    workspace: Workspace, reference: str, submission: Submission, actor: Actor
) -> Result:
    """States an intention in the place of the one that ``reference`` names.

    Raises:
        UnknownIntentionError: There is none, or none that ``actor`` may see.
        HeldRecordError: A commit made by hand waits for a decision on it.
    """
    live = check_live(actor)
    if live is not None:
        return refused(workspace, ACTION, "", (live,))
    key = own_key(actor, submission.key)

    def decide_on(snapshot: Snapshot) -> Decided[_Replaced]:
        old = whole_intention(workspace, snapshot, reference, actor)
        with closing(open_catalogue(workspace, snapshot)) as catalogue:
            judgement = judge_with(workspace, snapshot, catalogue, submission)
        decision = judgement.decision
        reasons = decision.reasons if not decision.is_admitted else _denials(workspace, old, actor)
        if not decision.is_admitted or reasons:
            return Decided(_Replaced(reasons=reasons))
        identifier = workspace.ids.new_id(INTENTION_PREFIX)
        draft = replace(judgement.submission.draft, id=identifier, supersedes=(old.record.id,))
        new = new_file(workspace, snapshot, draft, decision)
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.SUPERSEDE,
            actor=actor,
            drafts=(new, _over(workspace, snapshot, old, new.record, actor)),
            key=key,
        )
        return Decided(_Replaced(new=new), plan)

    committed = commit_decided(workspace, decide_on)
    new, commit = committed.outcome.new, committed.commit
    if new is None or commit is None:
        return refused(workspace, ACTION, "", committed.outcome.reasons)
    return _result(workspace, new, commit)


def whole_intention(
    workspace: Workspace, snapshot: Snapshot, reference: str, actor: Actor
) -> StoredRecord:
    """Returns an intention that ``actor`` sees whole, as the ledger has it, free to be changed.

    Raises:
        UnknownIntentionError: There is none, or none that they see whole.
        HeldRecordError: A commit made by hand waits for a decision on it.
    """
    # One that was replaced is found too: that it moves no more is said, and not that it is unknown.
    request = access_request(workspace, actor, sees_replaced=actor.is_person)
    seen = found_intention(workspace, snapshot, reference, request)
    stored = read_path(workspace, snapshot, seen.path) if seen.path else None
    if stored is None:
        raise UnknownIntentionError(
            f"expected an intention that is seen whole, got a part of {seen.record.id}",
            hint="see: memfs intention list",
        )
    require_free(snapshot, stored)
    return stored


def refused(workspace: Workspace, action: str, target: str, reasons: tuple[Reason, ...]) -> Result:
    """Returns the answer to what is not done."""
    message = reasons[0].message if reasons else f"{action} was refused"
    return Result(
        action=action,
        target=target,
        status=ResultStatus.REFUSED,
        message=message,
        store=str(workspace.store.root),
        reasons=reasons,
    )


def _denials(workspace: Workspace, old: StoredRecord, actor: Actor) -> tuple[Reason, ...]:
    illegal = check_row(intention_from(old.record).state, Action.REPLACE)
    if illegal is not None:
        return (illegal,)
    decision = decide_supersede(actor, old.record, workspace.settings)
    return () if decision.is_admitted else decision.reasons


def _over(
    workspace: Workspace, snapshot: Snapshot, old: StoredRecord, new: Record, actor: Actor
) -> Draft:
    """Lays out the older intention: superseded, by its own account and by the ledger's."""
    decision = decide_supersede(actor, old.record, workspace.settings)
    over = answered(intention_from(old.record), Action.REPLACE).after
    marked = replace(
        old, record=replace(old.record, status=Status.SUPERSEDED, superseded_by=new.id)
    )
    return moved_draft(workspace, snapshot, marked, over, decision)


def _result(workspace: Workspace, new: Draft, commit: Commit) -> Result:
    replay = commit.is_replay
    name = commit.records[0] if replay and commit.records else new.record.reference
    return Result(
        action=ACTION,
        target=split_version(name)[0],
        status=ResultStatus.NOTHING if replay else ResultStatus.DONE,
        message=f"this key was used before; nothing new was written ({name})"
        if replay
        else f"recorded as {name} in the place of {new.record.supersedes[0]}",
        operation=commit.transaction,
        store=str(workspace.store.root),
        data={"reference": name, "path": new.path},
    )
