"""Records how using a record turned out: a person's word, or what was observed or looked up.

What a program says of a record's worth is never kept, however often it cites the record (A41).
It may point at what the host observed or name something to be looked up; memfs looks, and what
it finds is memfs's own account. Nothing of it holds a word of anybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memfs.errors import ConflictError
from memfs.model.authority import Sensitivity
from memfs.model.candidate import Submission
from memfs.model.decision import Decision, Reason
from memfs.model.digests import content_digest
from memfs.model.evidence import Check
from memfs.model.frozen import frozen
from memfs.model.ids import OUTCOME_PREFIX
from memfs.model.operation import OperationKind
from memfs.model.origin import SYSTEM_ACTOR, Actor, Origin
from memfs.model.outcome import NO_UTILITY, OUTCOME_KIND, UseResult
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.policy.administration import decide_operation
from memfs.policy.authority import capture_origin, default_authority
from memfs.policy.reasons import reason
from memfs.policy.sources import is_switched_off
from memfs.policy.utility import OutcomeCase, check_outcome, counts_as_observation, is_known
from memfs.services.answers import refused
from memfs.services.correct import target_of
from memfs.services.door import Decided, commit_decided
from memfs.services.gate import access_request, polluted_namespaces
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, place_new, plan_from
from memfs.services.reading import find_record
from memfs.services.utility import outcomes_of, utilities
from memfs.services.verifiers import verified
from memfs.store.snapshot import Snapshot

MOST_EVIDENCE: Final = 8


@frozen
class _Wish:
    """What one outcome asks for."""

    result: UseResult
    evidence: tuple[str, ...]
    checks: tuple[Check, ...]


@frozen
class _Outcome:
    stored: StoredRecord
    reasons: tuple[Reason, ...] = ()
    outcome: str = ""


def record_outcome(
    workspace: Workspace,
    reference: str,
    result: UseResult,
    actor: Actor,
    *,
    evidence: Sequence[str] = (),
    checks: Sequence[Check] = (),
) -> Result:
    """Records how using a record turned out, where a person or something objective says so.

    Args:
        workspace: The store.
        reference: The record that was used.
        result: How it is said to have turned out.
        actor: Who says so.
        evidence: Ids of what the host observed, at most eight.
        checks: What is to be looked up; the record has to speak of it.

    Returns:
        Done, duplicate where it was counted already, refused with reasons otherwise.

    Raises:
        UnknownRecordError: No record matches, or none that may be seen.
        AmbiguousRecordError: More than one does.
    """
    wish = _Wish(
        result=result,
        evidence=tuple(dict.fromkeys(evidence))[:MOST_EVIDENCE],
        checks=tuple(dict.fromkeys(checks)),
    )
    decision = decide_operation("outcome.record", actor, workspace.settings)
    if not decision.is_admitted:
        return refused(workspace, "outcome", reference, decision.reasons)

    def decide_on(snapshot: Snapshot) -> Decided[_Outcome]:
        stored = target_of(workspace, reference, actor)
        return _decided(workspace, snapshot, stored, wish, actor, decision)

    committed = commit_decided(workspace, decide_on)
    outcome, commit = committed.outcome, committed.commit
    if outcome.reasons:
        return refused(workspace, "outcome", outcome.stored.record.reference, outcome.reasons)
    return _answer(workspace, outcome, wish, commit.transaction if commit else "")


def _decided(
    workspace: Workspace,
    snapshot: Snapshot,
    stored: StoredRecord,
    wish: _Wish,
    actor: Actor,
    decision: Decision,
) -> Decided[_Outcome]:
    case = _case(workspace, snapshot, stored.record, wish, actor)
    faults = _closed(workspace, snapshot, stored.record, case.origin) or check_outcome(case)
    if faults:
        return Decided(_Outcome(stored=stored, reasons=faults))
    digests = tuple(_digest(check) for check in wish.checks)
    grounds = tuple(item.id for item in case.evidence if counts_as_observation(case, item))
    if is_known(case, frozenset((*grounds, *digests))):
        return Decided(_Outcome(stored=stored))
    draft = _laid_out(workspace, case, grounds, digests, decision)
    plan = plan_from(
        workspace,
        snapshot,
        operation=OperationKind.RECORD,
        actor=actor,
        drafts=(draft,),
        subject=f"{stored.record.reference} {wish.result}",
    )
    return Decided(_Outcome(stored=stored, outcome=draft.record.id), plan)


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
    own = (item for item in outcomes_of(workspace, snapshot, record.id))
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
    )


def _laid_out(
    workspace: Workspace,
    case: OutcomeCase,
    evidence: tuple[str, ...],
    digests: tuple[str, ...],
    decision: Decision,
) -> Draft:
    """Lays out the file: kept as closely as what it is about, and without a word of it."""
    about = case.record
    origin = case.origin
    if not case.is_of_person:
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


def _answer(workspace: Workspace, outcome: _Outcome, wish: _Wish, operation: str) -> Result:
    record = outcome.stored.record
    found = utilities(workspace, workspace.store.snapshot(), (record,))
    utility = found.get(record.reference, NO_UTILITY)
    is_new = bool(outcome.outcome)
    said = "recorded" if is_new else "counted already"
    return Result(
        action="outcome",
        target=record.reference,
        status=ResultStatus.DONE if is_new else ResultStatus.DUPLICATE,
        message=f"{wish.result} of {record.reference} {said}; {utility}",
        operation=operation,
        store=str(workspace.store.root),
        data={
            "outcome": outcome.outcome,
            "result": str(wish.result),
            "success": utility.success,
            "partial": utility.partial,
            "failure": utility.failure,
            "worth": round(utility.value, 3),
        },
    )
