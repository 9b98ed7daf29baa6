"""Restore: a person serves a retracted record again; what was forgotten never comes back."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from memfs.errors import ConflictError
from memfs.model.decision import Decision, Verdict
from memfs.model.ids import is_id, split_version
from memfs.model.operation import OperationKind
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.model.status import Status
from memfs.policy.administration import decide_restore
from memfs.policy.closure import inputs_of, is_supported
from memfs.policy.conflicts import compare
from memfs.policy.reasons import reason
from memfs.policy.withdrawal import is_pending, is_standing
from memfs.services.catalogue import fingerprint_of, open_catalogue, read_entries
from memfs.services.door import Committed, Decided, commit_decided
from memfs.services.guard_retracted import note_restored
from memfs.services.ports import Workspace
from memfs.services.proposals import plan_from
from memfs.services.repair import Repaired, repair
from memfs.services.tombstones import claim_mark, is_forgotten
from memfs.services.withdraw import moved_to, targets_named
from memfs.store.snapshot import Snapshot

_Outcome = tuple[Decision, tuple[StoredRecord, ...]]


class ForgottenError(ConflictError):
    """What was forgotten does not come back."""

    code = "conflict.forgotten"


def restore(workspace: Workspace, reference: str, actor: Actor) -> Result:
    """Serves a retracted record again, and what rests on it where it is supported.

    What was forgotten never comes back. What waits for repair comes back by its support, which
    is looked at again.

    Raises:
        ForgottenError: A tombstone bars it.
        UnknownRecordError: Nothing matches, or nothing that may be seen.
        AmbiguousRecordError: Several match.
    """

    def decide_on(snapshot: Snapshot) -> Decided[_Outcome]:
        (target,) = targets_named(workspace, snapshot, (reference,), actor)
        decision = decide_restore(actor, target.record, workspace.settings)
        if is_standing(target.record) or is_pending(target.record) or not decision.is_admitted:
            return Decided((decision, (target,)))
        decision = decided_anew(workspace, snapshot, target, decision, actor)
        if not decision.is_admitted:
            return Decided((decision, (target,)))
        draft = moved_to(workspace, snapshot, target, Status.ACTIVE, decision)
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RESTORE,
            actor=actor,
            drafts=(draft,),
            subject=target.record.id,
        )
        return Decided((decision, (target,)), plan)

    _check_not_forgotten(workspace, reference)
    committed = commit_decided(workspace, decide_on)
    decision, (target,) = committed.outcome
    stands = committed.commit is not None or is_standing(target.record)
    if stands and decision.is_admitted:
        note_restored(workspace, [target.record.id])
    repaired = Repaired()
    if decision.is_admitted and (committed.commit is not None or is_pending(target.record)):
        waiting = descendants_with(workspace, target)
        repaired = repair(workspace, only=waiting)
    return _restored(workspace, committed, repaired)


def descendants_with(workspace: Workspace, target: StoredRecord) -> frozenset[str]:
    """Returns the ids of a record and of everything that rests on it, whatever its state."""
    with closing(open_catalogue(workspace, workspace.store.snapshot())) as catalogue:
        rows = catalogue.descendants([target.record.id])
    return frozenset({target.record.id, *(row.id for row in rows)})


def _check_not_forgotten(workspace: Workspace, reference: str) -> None:
    name, _ = split_version(reference.strip())
    with closing(open_catalogue(workspace, workspace.store.snapshot())) as catalogue:
        is_gone = is_id(name) and not catalogue.by_id(name) and is_forgotten(catalogue, name)
    if is_gone:
        raise ForgottenError(
            f"{name} was forgotten and does not come back",
            hint="what is true now can be stated anew: memfs remember",
        )


def decided_anew(
    workspace: Workspace,
    snapshot: Snapshot,
    target: StoredRecord,
    decision: Decision,
    actor: Actor,
) -> Decision:
    """Lets a record come back only where it could still be admitted beside what stands now."""
    record = target.record
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        others = read_entries(
            workspace,
            snapshot,
            (
                *catalogue.by_subject(record.subject, str(record.scope or "")),
                *catalogue.by_fingerprint(fingerprint_of(record)),
            ),
        )
        is_gone = bool(catalogue.tombstones_with([claim_mark(workspace, record), record.id]))
        inputs = read_entries(
            workspace,
            snapshot,
            [row for source in inputs_of(record) for row in catalogue.by_id(source)],
        )
    found = compare(
        record,
        others,
        registry=workspace.registry,
        project=workspace.scope,
        ignored=record.id,
    )
    if is_gone:
        return _not_now(decision, "tombstone.matches")
    if found.repeated:
        return _not_now(decision, "duplicate.same-claim", found.repeated[0].record.id)
    if found.contradicted:
        return _not_now(decision, "conflict.contradiction", found.contradicted[0].record.id)
    standing = {stored.record.id for stored in inputs if is_standing(stored.record)}
    gone = frozenset(inputs_of(record)) - standing
    return decide_restore(
        actor, record, workspace.settings, is_supported=is_supported(record, gone)
    )


def _bare(reference: str) -> str:
    return split_version(reference)[0]


def _not_now(decision: Decision, code: str, detail: str = "") -> Decision:
    return replace(decision, verdict=Verdict.REJECT, reasons=(reason(code, detail),))


def _restored(workspace: Workspace, committed: Committed[_Outcome], repaired: Repaired) -> Result:
    decision, targets = committed.outcome
    first = targets[0].record
    answer = Result(
        action="restore",
        target=first.id,
        status=ResultStatus.DONE,
        message=f"{first.reference} is served again",
        operation=committed.commit.transaction if committed.commit else "",
        store=str(workspace.store.root),
        reasons=decision.reasons,
        data={"restored": list(repaired.restored), "withheld": list(repaired.withheld)},
    )
    more = len(repaired.restored)
    if not decision.is_admitted:
        message = decision.reasons[0].message if decision.reasons else decision.rule
        return replace(answer, status=ResultStatus.REFUSED, message=message)
    if is_pending(first):
        is_back = any(_bare(item) == first.id for item in repaired.restored)
        if not is_back:
            refused = reason("restore.unsupported", first.id)
            return replace(
                answer, status=ResultStatus.REFUSED, message=refused.message, reasons=(refused,)
            )
        return answer
    if committed.commit is None:
        return replace(answer, status=ResultStatus.NOTHING, message=f"{first.reference} is served")
    words = f", and {more} that rest on it" if more else ""
    return replace(answer, message=f"{answer.message}{words}")
