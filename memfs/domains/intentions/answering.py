"""A person's answer to an intention: done, cancelled or put off; a table says which are legal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memfs.domains.intentions.marking import move_subject, moved_draft
from memfs.domains.intentions.owner import Owners
from memfs.domains.intentions.replacing import refused, whole_intention
from memfs.domains.intentions.sighting import Look
from memfs.errors import UsageError
from memfs.model.decision import Reason
from memfs.model.instants import format_instant
from memfs.model.intention import Intention, IntentionState
from memfs.model.operation import OperationKind
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.policy.administration import decide_operation
from memfs.policy.intention_moves import (
    Action,
    Move,
    answered,
    check_done,
    check_row,
    has_more_after,
)
from memfs.policy.intention_triggers import intention_from
from memfs.policy.recurrence import TriggerError
from memfs.services.door import Committed, Decided, commit_decided
from memfs.services.ports import Workspace
from memfs.services.proposals import plan_from
from memfs.services.propose import own_key
from memfs.store.snapshot import Snapshot

_VERBS: Final = {Action.DONE: "done", Action.CANCEL: "cancel", Action.SNOOZE: "snooze"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    """What an answer came to: the intention with its move, or why there is none."""

    stored: StoredRecord
    move: Move | None = None
    reasons: tuple[Reason, ...] = ()


def answer(
    workspace: Workspace,
    reference: str,
    action: Action,
    actor: Actor,
    *,
    until: datetime | None = None,
    key: str = "",
) -> Result:
    """Carries out what a person answers, in one commit; anybody else is refused.

    Args:
        workspace: The store.
        reference: The intention.
        action: ``DONE``, ``CANCEL`` or ``SNOOZE``.
        actor: Who answers.
        until: Until when it is put off.
        key: Makes a repetition harmless.

    Raises:
        UnknownIntentionError: There is none, or none that ``actor`` may see.
        UsageError: It cannot be read here, such as for want of its zone.
    """
    verb = f"intention {_VERBS[action]}"

    def decide_on(snapshot: Snapshot) -> Decided[_Answered]:
        stored = whole_intention(workspace, snapshot, reference, actor)
        decision = decide_operation("intention.answer", actor, workspace.settings)
        if not decision.is_admitted:
            return Decided(_Answered(stored=stored, reasons=decision.reasons))
        intention = _read(stored)
        is_done = action is Action.DONE
        denial = check_done(intention) if is_done else check_row(intention.state, action)
        if denial is not None:
            return Decided(_Answered(stored=stored, reasons=(denial,)))
        has_more = is_done and _has_more(workspace, snapshot, stored, intention)
        move = answered(intention, action, has_more=has_more, until=until)
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RECORD,
            actor=actor,
            drafts=(moved_draft(workspace, snapshot, stored, move.after, decision),),
            subject=move_subject(stored, move.after.state),
            key=own_key(actor, key),
        )
        return Decided(_Answered(stored=stored, move=move), plan)

    return _told_of(workspace, verb, commit_decided(workspace, decide_on))


def _told_of(workspace: Workspace, verb: str, committed: Committed[_Answered]) -> Result:
    outcome, commit = committed.outcome, committed.commit
    identifier = outcome.stored.record.id
    if outcome.move is None or commit is None:
        return refused(workspace, verb, identifier, outcome.reasons)
    after = outcome.move.after
    message = f"{identifier} is {_told(after)}"
    if commit.is_replay:
        message = "this key was used before; nothing new was written"
    return Result(
        action=verb,
        target=identifier,
        status=ResultStatus.NOTHING if commit.is_replay else ResultStatus.DONE,
        message=message,
        operation=commit.transaction,
        store=str(workspace.store.root),
        data={"state": str(after.state), "title": outcome.stored.record.title},
    )


def _read(stored: StoredRecord) -> Intention:
    try:
        return intention_from(stored.record)
    except TriggerError as error:
        raise UsageError(
            f"expected an intention that can be read here: {error}",
            hint=f"take it back with: memfs retract {stored.record.id}",
        ) from error


def _has_more(
    workspace: Workspace, snapshot: Snapshot, stored: StoredRecord, intention: Intention
) -> bool:
    """Tells whether it asks again after this; where that cannot be told, it does."""
    request = Owners(workspace).request(stored.record)
    if request is None or not intention.is_repeating:
        return False
    look = Look(workspace=workspace, snapshot=snapshot, request=request, now=workspace.clock.now())
    try:
        return has_more_after(intention, look.sighted(intention))
    except TriggerError:
        return True


def _told(intention: Intention) -> str:
    if intention.snoozed_until is not None:
        return f"put off until {format_instant(intention.snoozed_until)}"
    if intention.state is IntentionState.PENDING:
        return "done this time, and asks again"
    return str(intention.state)
