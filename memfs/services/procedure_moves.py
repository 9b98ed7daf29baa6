"""Moves a procedure along its stages, in the commit of what moves it (A68).

The file of the procedure keeps its words and its version; its stage, its round and its pins are
memfs's own. Each move has a receipt with the row that it took, what was counted, and how uses
ended beside attempts without memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from memfs.formats.record_codec import update_record
from memfs.model.decision import Decision
from memfs.model.frozen import frozen
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.outcome import UseOutcome, outcome_from
from memfs.model.procedure import EPISODE_KIND, Stage, conditions_digest, round_of, stage_of
from memfs.model.record import Record, StoredRecord
from memfs.model.record_fields import texts_field
from memfs.model.values import JsonValue
from memfs.policy.administration import decide_operation
from memfs.policy.procedure_stages import Cause, Proof, StageRow, move_after, proof_of
from memfs.services.pins import drift_of
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, require_free
from memfs.services.receipts import receipt_draft
from memfs.services.served_records import read_path
from memfs.services.utility import outcomes_of
from memfs.store.snapshot import Snapshot

OPERATION: Final = "procedure"


@frozen
class Move:
    """One move of one procedure."""

    row: StageRow
    start: Stage
    proof: Proof
    by: str
    outcome: str = ""
    pins: tuple[str, ...] | None = None


def proof_here(
    workspace: Workspace, snapshot: Snapshot, record: Record, more: Sequence[UseOutcome] = ()
) -> Proof:
    """Returns what a procedure has to show in its round, with outcomes that are being recorded."""
    known = outcomes_of(workspace, snapshot, record.id)
    learned = learned_under(workspace, snapshot, record)
    return proof_of((*known, *more), record.reference, round_of(record), learned)


def harm_of(workspace: Workspace, snapshot: Snapshot, record: Record) -> str:
    """Returns the outcome of a harmful use in the round of a procedure; empty for none."""
    own = (record.reference, round_of(record))
    found = (
        item.id
        for item in outcomes_of(workspace, snapshot, record.id)
        if item.is_harmful and (item.about, item.round) == own
    )
    return next(found, "")


def learned_under(workspace: Workspace, snapshot: Snapshot, record: Record) -> frozenset[str]:
    """Returns digests of the conditions of the episodes that a procedure was made from."""
    from contextlib import closing

    from memfs.services.catalogue import open_catalogue

    if not record.derived_from:
        return frozenset()
    found: set[str] = set()
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        for name in record.derived_from:
            for entry in catalogue.by_id(name.partition("@")[0]):
                stored = read_path(workspace, snapshot, entry.path)
                if stored is not None and stored.record.kind == EPISODE_KIND:
                    found.add(conditions_digest(texts_field(stored.record, "conditions")))
    return frozenset(found - {""})


def move_by_outcome(
    workspace: Workspace, snapshot: Snapshot, stored: StoredRecord, outcome: Record
) -> Move | None:
    """Returns what an outcome that is about to be recorded moves its procedure by."""
    use = outcome_from(outcome)
    if use is None:
        return None
    record = stored.record
    known = outcomes_of(workspace, snapshot, record.id)
    # A person's newest word counts: what they said before is not there beside it.
    known = tuple(item for item in known if not _is_older_word(item, use))
    learned = learned_under(workspace, snapshot, record)
    proof = proof_of((*known, use), record.reference, round_of(record), learned)
    stage = stage_of(record)
    row = move_after(stage, proof, use, is_stale=bool(drift_of(workspace, record)))
    if row is None:
        return None
    return Move(row=row, start=stage, proof=proof, by="outcome", outcome=use.id)


def _is_older_word(known: UseOutcome, use: UseOutcome) -> bool:
    return not known.grounds and not use.grounds and known.origin.principal == use.origin.principal


def move_drafts(
    workspace: Workspace,
    snapshot: Snapshot,
    stored: StoredRecord,
    move: Move,
    *,
    transaction: str,
    decision: Decision | None = None,
) -> tuple[Draft, Draft]:
    """Lays out the procedure as it is after a move, and the receipt of the move.

    Raises:
        HeldRecordError: A commit made by hand changed it and waits for a decision.
    """
    require_free(snapshot, stored)
    allowed = decision or decide_operation("procedure.settle", SYSTEM_ACTOR, workspace.settings)
    record = replace(stored.record, fields=fields_after(stored.record, move))
    content = update_record(
        snapshot.read_blob(stored.blob), record, path=stored.path, registry=workspace.registry
    )
    marked = Draft(
        record=record,
        path=stored.path,
        content=content,
        expected=stored.blob,
        decision=allowed,
    )
    receipt = receipt_draft(
        workspace,
        snapshot,
        operation=OPERATION,
        transaction=transaction,
        targets=tuple(filter(None, (record.id, move.outcome))),
        details=account_of(stored.record, record, move),
        subject=record.id,
    )
    return marked, receipt


def fields_after(record: Record, move: Move) -> dict[str, JsonValue]:
    """Returns the fields of a procedure after a move."""
    row = move.row
    fields: dict[str, JsonValue] = {**record.fields, "stage": str(row.end)}
    if row.is_new_round:
        fields["round"] = round_of(record) + 1
        fields.pop("floor", None)
    if row.cause is Cause.TRIAL:
        fields.pop("harmed_by", None)
        fields.pop("pins", None)
        if move.pins:
            fields["pins"] = list(move.pins)
    if row.cause is Cause.HARM:
        fields["harmed_by"] = move.outcome
    if row.cause is Cause.PROMOTED or (row.end is Stage.CANARY and row.cause is Cause.FAILED):
        fields["floor"] = str(row.end)
    return fields


def account_of(before: Record, after: Record, move: Move) -> Mapping[str, JsonValue]:
    """Returns what a receipt says of a move: counts and names of this build, never words."""
    return {
        "row": move.row.code,
        "from": str(move.start),
        "to": str(move.row.end),
        "by": move.by,
        "round": round_of(before),
        "next_round": round_of(after),
        **move.proof.counts(),
    }
