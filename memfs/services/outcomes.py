"""Records how using a record turned out: a person's word, or what was observed or looked up.

What a program says of a record's worth is never kept, however often it cites the record (A41).
It may point at what the host observed or name something to be looked up; memfs looks, and what
it finds is memfs's own account. Nothing of it holds a word of anybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memfs.errors import ConflictError
from memfs.model.authority import Sensitivity
from memfs.model.candidate import Submission
from memfs.model.decision import Decision, Reason
from memfs.model.digests import content_digest
from memfs.model.evidence import Check
from memfs.model.frozen import frozen
from memfs.model.ids import OUTCOME_PREFIX, TRANSACTION_PREFIX
from memfs.model.operation import OperationKind
from memfs.model.origin import SYSTEM_ACTOR, Actor, Origin
from memfs.model.outcome import NO_UTILITY, OUTCOME_KIND, UseResult
from memfs.model.procedure import PROCEDURE_KIND, round_of
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.policy.administration import decide_operation
from memfs.policy.authority import capture_origin, default_authority
from memfs.policy.procedure_uses import ProcedureUse, check_use
from memfs.policy.reasons import reason
from memfs.policy.sources import is_switched_off
from memfs.policy.utility import OutcomeCase, check_outcome, counts_as_observation, is_known
from memfs.services.answers import refused
from memfs.services.correct import target_of
from memfs.services.door import Decided, commit_decided
from memfs.services.gate import access_request, polluted_namespaces
from memfs.services.ports import Workspace
from memfs.services.procedure_uses import same_runs, stage_fields, use_fields
from memfs.services.proposals import Draft, is_held, place_new, plan_from
from memfs.services.reading import find_record
from memfs.services.utility import outcomes_of, utilities
from memfs.services.verifiers import verified
from memfs.store.snapshot import Snapshot

if TYPE_CHECKING:
    from memfs.services.procedure_moves import Move
    from memfs.services.procedure_uses import UseWish

MOST_EVIDENCE: Final = 8


@frozen
class _Wish:
    """What one outcome asks for."""

    result: UseResult
    evidence: tuple[str, ...]
    checks: tuple[Check, ...]
    use: ProcedureUse | None = None


@frozen
class _Outcome:
    stored: StoredRecord
    reasons: tuple[Reason, ...] = ()
    outcome: str = ""
    result: UseResult = UseResult.SUCCESS
    move: Move | None = None


def record_outcome(
    workspace: Workspace,
    reference: str,
    result: UseResult | None,
    actor: Actor,
    *,
    evidence: Sequence[str] = (),
    checks: Sequence[Check] = (),
    use: UseWish | None = None,
) -> Result:
    """Records how using a record turned out, where a person or something objective says so.

    Args:
        workspace: The store.
        reference: The record that was used.
        result: How it is said to have turned out; ``None`` for what the episode says.
        actor: Who says so.
        evidence: Ids of what the host observed, at most eight.
        checks: What is to be looked up; the record has to speak of it.
        use: The episode that tells of the use, of a procedure.

    Returns:
        Done, duplicate where it was counted already, refused with reasons otherwise.

    Raises:
        UnknownRecordError: No record matches, or none that may be seen.
        AmbiguousRecordError: More than one does.
    """
    said = _Wish(
        result=result or UseResult.FAILURE,
        evidence=tuple(dict.fromkeys(evidence))[:MOST_EVIDENCE],
        checks=tuple(dict.fromkeys(checks)),
    )
    decision = decide_operation("outcome.record", actor, workspace.settings)
    if not decision.is_admitted:
        return refused(workspace, "outcome", reference, decision.reasons)

    def decide_on(snapshot: Snapshot) -> Decided[_Outcome]:
        stored = target_of(workspace, reference, actor)
        wish = said if use is None else _wish_of(workspace, snapshot, stored.record, use, actor)
        return _decided(workspace, snapshot, stored, wish, actor, decision)

    committed = commit_decided(workspace, decide_on)
    outcome, commit = committed.outcome, committed.commit
    if outcome.reasons:
        return refused(workspace, "outcome", outcome.stored.record.reference, outcome.reasons)
    return _answer(workspace, outcome, commit.transaction if commit else "")


def _wish_of(
    workspace: Workspace, snapshot: Snapshot, record: Record, use: UseWish, actor: Actor
) -> _Wish:
    """Takes from an episode how the use ended, and what was observed of it."""
    from memfs.services.procedure_uses import cited_by, use_of

    found = use_of(workspace, snapshot, record, use, actor)
    return _Wish(
        result=found.result, evidence=cited_by(found)[:MOST_EVIDENCE], checks=(), use=found
    )


def _decided(
    workspace: Workspace,
    snapshot: Snapshot,
    stored: StoredRecord,
    wish: _Wish,
    actor: Actor,
    decision: Decision,
) -> Decided[_Outcome]:
    case = _case(workspace, snapshot, stored.record, wish, actor)
    faults = (
        _closed(workspace, snapshot, stored.record, case.origin)
        or (check_use(wish.use) if wish.use else ())
        or check_outcome(case)
    )
    if faults:
        return Decided(_Outcome(stored=stored, reasons=faults))
    seen = tuple(item for item in case.evidence if counts_as_observation(case, item))
    digests = tuple(_digest(check) for check in wish.checks)
    if wish.use is not None and not case.is_word:
        digests = same_runs(stored.record, seen, wish.use)
    grounds = tuple(item.id for item in seen)
    if is_known(case, frozenset((*grounds, *digests))):
        return Decided(_Outcome(stored=stored, result=wish.result))
    draft = _laid_out(workspace, case, grounds, digests, decision, wish.use)
    return _planned(workspace, snapshot, stored, draft, wish, actor)


def _planned(
    workspace: Workspace,
    snapshot: Snapshot,
    stored: StoredRecord,
    draft: Draft,
    wish: _Wish,
    actor: Actor,
) -> Decided[_Outcome]:
    """Plans an outcome, and with it what it moves: a harmful use is one commit with its end."""
    transaction = workspace.ids.new_id(TRANSACTION_PREFIX)
    drafts: tuple[Draft, ...] = (draft,)
    move = None
    # While a commit made by hand waits, the outcome alone is kept: what did harm is not handed
    # out from then on, and the next look moves it.
    if stored.record.kind == PROCEDURE_KIND and not is_held(snapshot, stored):
        from memfs.services.procedure_moves import move_by_outcome, move_drafts

        move = move_by_outcome(workspace, snapshot, stored, draft.record)
        if move is not None:
            moved = move_drafts(workspace, snapshot, stored, move, transaction=transaction)
            drafts = (draft, *moved)
    plan = plan_from(
        workspace,
        snapshot,
        operation=OperationKind.RECORD,
        actor=actor,
        drafts=drafts,
        subject=f"{stored.record.reference} {wish.result}",
    )
    outcome = _Outcome(stored=stored, outcome=draft.record.id, result=wish.result, move=move)
    return Decided(outcome, replace(plan, transaction=transaction))


def _closed(
    workspace: Workspace, snapshot: Snapshot, record: Record, origin: Origin
) -> tuple[Reason, ...]:
    """Takes nothing from a source that is switched off, nor into a polluted namespace."""
    if is_switched_off(origin, workspace.settings.sources_off):
        return (reason("source.off"),)
    if (record.scope or workspace.scope) in polluted_namespaces(workspace, snapshot):
        return (reason("namespace.polluted"),)
    return ()


def _case(
    workspace: Workspace, snapshot: Snapshot, record: Record, wish: _Wish, actor: Actor
) -> OutcomeCase:
    request = access_request(workspace, actor)
    found: dict[str, Record] = {}
    missing: list[str] = []
    for name in wish.evidence:
        try:
            item = find_record(workspace, snapshot, name, request).record
        except ConflictError:
            missing.append(name)
        else:
            found[item.id] = item
    asked = Submission(
        draft=record, origin=capture_origin(actor, record.reference), checks=wish.checks
    )
    own = outcomes_of(workspace, snapshot, record.id)
    return OutcomeCase(
        record=record,
        kind=workspace.registry.get(record.kind),
        result=wish.result,
        origin=asked.origin,
        project=workspace.scope,
        evidence=tuple(found.values()),
        missing=tuple(missing),
        verifications=verified(workspace, asked, found),
        known=tuple(item for item in own if item.about == record.reference),
        is_harmful=wish.use is not None and wish.use.did_harm,
        is_use=wish.use is not None,
        round=round_of(record),
    )


def _laid_out(
    workspace: Workspace,
    case: OutcomeCase,
    evidence: tuple[str, ...],
    digests: tuple[str, ...],
    decision: Decision,
    use: ProcedureUse | None,
) -> Draft:
    """Lays out the file: kept as closely as what it is about, and without a word of it."""
    about = case.record
    origin = case.origin
    if not case.is_word:
        names = sorted({"observation" if evidence else "", *(v.name for v in case.verifications)})
        source = f"check:{'+'.join(name for name in names if name)}"
        origin = capture_origin(SYSTEM_ACTOR, about.reference, source=source)
    record = Record(
        kind=OUTCOME_KIND,
        id=workspace.ids.new_id(OUTCOME_PREFIX),
        subject=about.id,
        scope=about.scope or workspace.scope,
        record_class=about.record_class,
        observed=workspace.clock.now(),
        origin=origin,
        sensitivity=min(about.sensitivity, Sensitivity.SECRET),
        sinks=about.sinks,
        evidence=evidence,
        fields={
            "about": about.reference,
            "result": str(case.result),
            **({"checks": list(digests)} if digests else {}),
            **(stage_fields(about) if about.kind == PROCEDURE_KIND else {}),
            **(use_fields(use) if use else {}),
        },
    )
    own = Decision(
        verdict=decision.verdict,
        rule=decision.rule,
        policy=decision.policy,
        authority=default_authority(origin.origin_class),
    )
    # Filed by what it is about: no folder has a month, and none is counted.
    return place_new(workspace, record, own, shards={})


def _digest(check: Check) -> str:
    return content_digest("check", f"{check.kind}:{check.value}".encode("utf-8", "replace"))


def _answer(workspace: Workspace, outcome: _Outcome, operation: str) -> Result:
    record = outcome.stored.record
    found = utilities(workspace, workspace.store.snapshot(), (record,))
    utility = found.get(record.reference, NO_UTILITY)
    is_new = bool(outcome.outcome)
    said = "recorded" if is_new else "counted already"
    move = outcome.move
    moved = f"; {move.row.summary}: {move.start} to {move.row.end}" if move else ""
    return Result(
        action="outcome",
        target=record.reference,
        status=ResultStatus.DONE if is_new else ResultStatus.DUPLICATE,
        message=f"{outcome.result} of {record.reference} {said}; {utility}{moved}",
        operation=operation,
        store=str(workspace.store.root),
        data={
            "outcome": outcome.outcome,
            "result": str(outcome.result),
            "success": utility.success,
            "partial": utility.partial,
            "failure": utility.failure,
            "worth": round(utility.value, 3),
            **({"stage": str(move.row.end), "row": move.row.code} if move else {}),
        },
    )
