"""What people do to a procedure, and what memfs takes back by itself (A68).

A person lets it be tried, vouches for it or sets it aside. memfs only ever lowers: what is stale,
and what was promoted for outcomes that were taken back since. One operation is one commit with
its receipt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from memfs.model.decision import Decision, Reason
from memfs.model.frozen import frozen
from memfs.model.ids import TRANSACTION_PREFIX
from memfs.model.operation import OperationKind
from memfs.model.origin import SYSTEM_ACTOR, Actor
from memfs.model.procedure import PROCEDURE_KIND, TRIED, Stage, stage_of
from memfs.model.record import Record, StoredRecord
from memfs.model.record_fields import text_field
from memfs.model.result import Result, ResultStatus
from memfs.policy.administration import decide_operation
from memfs.policy.procedure_stages import (
    Cause,
    Proof,
    StageRow,
    check_stage_move,
    is_supported,
    row_for,
)
from memfs.policy.procedure_uses import check_pins
from memfs.policy.reasons import reason
from memfs.services.answers import refused
from memfs.services.correct import target_of
from memfs.services.door import Decided, commit_decided
from memfs.services.pins import drift_of, pins_of
from memfs.services.ports import Workspace
from memfs.services.procedure_moves import Move, harm_of, move_drafts, proof_here
from memfs.services.proposals import is_held, plan_from
from memfs.services.reading import list_records
from memfs.services.served_records import read_path
from memfs.services.utility import MOST_READ, outcomes_of
from memfs.store.snapshot import Snapshot

VERBS: Final[Mapping[str, Cause]] = MappingProxyType(
    {"trial": Cause.TRIAL, "promote": Cause.PROMOTED, "deprecate": Cause.DEPRECATED}
)
"""What a person says, and what it is in the table."""


@frozen
class _Moved:
    stored: StoredRecord
    reasons: tuple[Reason, ...] = ()
    move: Move | None = None


def move_procedure(workspace: Workspace, reference: str, verb: str, actor: Actor) -> Result:
    """Moves a procedure as a person says: ``trial``, ``promote`` or ``deprecate``.

    Raises:
        UnknownRecordError: No record matches, or none that may be seen.
        AmbiguousRecordError: More than one does.
    """
    decision = decide_operation(f"procedure.{verb}", actor, workspace.settings)
    if not decision.is_admitted:
        return refused(workspace, verb, reference, decision.reasons)

    def decide_on(snapshot: Snapshot) -> Decided[_Moved]:
        stored = target_of(workspace, reference, actor)
        move = _wanted(workspace, snapshot, stored.record, VERBS[verb])
        if not isinstance(move, Move):
            return Decided(_Moved(stored=stored, reasons=(move,)))
        return _planned(workspace, snapshot, stored, move, actor, decision)

    committed = commit_decided(workspace, decide_on)
    outcome = committed.outcome
    if outcome.move is None:
        return refused(workspace, verb, outcome.stored.record.reference, outcome.reasons)
    operation = committed.commit.transaction if committed.commit else ""
    return _answer(workspace, verb, outcome.stored.record, outcome.move, operation)


def settle_procedures(workspace: Workspace, actor: Actor) -> tuple[Result, ...]:
    """Lowers every procedure that is stale or stands on what was taken back; once each.

    Only procedures that ``actor`` may see are looked at.
    """
    served = list_records(workspace, actor, kinds=(PROCEDURE_KIND,))
    results = (_settled(workspace, stored.path) for stored in served if stored.path)
    return tuple(result for result in results if result is not None)


def lowering(workspace: Workspace, snapshot: Snapshot, record: Record) -> StageRow | None:
    """Returns the row by which a procedure loses its stage as things are, or ``None``.

    Harm on the ledger that moved nothing came from another clone, or while a commit waited.
    """
    stage = stage_of(record)
    if harm_of(workspace, snapshot, record):
        return row_for(stage, Cause.HARM)
    if stage not in TRIED:
        return None
    if drift_of(workspace, record):
        return row_for(stage, Cause.STALE)
    # Of very many outcomes the oldest are not read: nothing follows from missing them.
    is_whole = len(outcomes_of(workspace, snapshot, record.id)) < MOST_READ
    proof = proof_here(workspace, snapshot, record)
    if is_whole and not is_supported(stage, _floor(record), proof):
        return row_for(stage, Cause.UNSUPPORTED)
    return None


def _settled(workspace: Workspace, path: str) -> Result | None:
    def decide_on(snapshot: Snapshot) -> Decided[_Moved | None]:
        stored = read_path(workspace, snapshot, path)
        if stored is not None and is_held(snapshot, stored):
            return Decided(None)
        row = lowering(workspace, snapshot, stored.record) if stored is not None else None
        if stored is None or row is None:
            return Decided(None)
        proof = proof_here(workspace, snapshot, stored.record)
        outcome = harm_of(workspace, snapshot, stored.record) if row.cause is Cause.HARM else ""
        start = stage_of(stored.record)
        move = Move(row=row, start=start, proof=proof, by="memfs", outcome=outcome)
        planned = _planned(workspace, snapshot, stored, move, SYSTEM_ACTOR, None)
        return Decided(planned.outcome, planned.plan)

    committed = commit_decided(workspace, decide_on)
    outcome = committed.outcome
    if outcome is None or outcome.move is None:
        return None
    operation = committed.commit.transaction if committed.commit else ""
    return _answer(workspace, "check", outcome.stored.record, outcome.move, operation)


def _wanted(
    workspace: Workspace, snapshot: Snapshot, record: Record, cause: Cause
) -> Move | Reason:
    """Returns the move that a person asks for, or why there is none."""
    if record.kind != PROCEDURE_KIND:
        return reason("procedure.not-one")
    stage, pins = stage_of(record), None
    drift = drift_of(workspace, record)
    if cause is Cause.TRIAL:
        # What is stale has earned nothing that a new trial could take from it.
        stage = Stage.CANDIDATE if drift else stage
        here = pins_of(workspace, record)
        unpinned = check_pins(here.missing)
        if unpinned is not None:
            return unpinned
        pins = here.found
    if cause is Cause.PROMOTED and drift:
        return reason("procedure.stale", str(len(drift)))
    row = check_stage_move(stage, cause)
    if isinstance(row, Reason):
        return row
    proof: Proof = proof_here(workspace, snapshot, record)
    return Move(row=row, start=stage_of(record), proof=proof, by="person", pins=pins)


def _planned(
    workspace: Workspace,
    snapshot: Snapshot,
    stored: StoredRecord,
    move: Move,
    actor: Actor,
    decision: Decision | None,
) -> Decided[_Moved]:
    transaction = workspace.ids.new_id(TRANSACTION_PREFIX)
    drafts = move_drafts(
        workspace, snapshot, stored, move, transaction=transaction, decision=decision
    )
    plan = plan_from(
        workspace,
        snapshot,
        operation=OperationKind.RECORD,
        actor=actor,
        drafts=drafts,
        subject=f"{stored.record.reference} {move.row.end}",
    )
    return Decided(_Moved(stored=stored, move=move), replace(plan, transaction=transaction))


def _answer(workspace: Workspace, verb: str, record: Record, move: Move, operation: str) -> Result:
    row = move.row
    return Result(
        action=verb,
        target=record.reference,
        status=ResultStatus.DONE,
        message=f"{record.reference} goes from {move.start} to {row.end}: {row.summary}",
        operation=operation,
        store=str(workspace.store.root),
        data={"row": row.code, "from": str(move.start), "stage": str(row.end)},
    )


def _floor(record: Record) -> Stage | None:
    try:
        return Stage(text_field(record, "floor"))
    except ValueError:
        return None
