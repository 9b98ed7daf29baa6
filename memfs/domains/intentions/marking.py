"""Finds what is due and marks it so, once; nothing is done but that it is asked about (A70).

An occurrence is marked by one commit whose key follows from the intention and the occurrence
alone: a second process, a restart between two steps and a clock that runs twice through the same
hour come to the same key, and the ledger takes it once. Until a person answers, it stays due and
is listed, so that a process which ends between the mark and its telling loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from memfs.domains.intentions.owner import Owners
from memfs.domains.intentions.sighting import Look
from memfs.errors import ConflictError
from memfs.model.decision import Decision
from memfs.model.intention import (
    INTENTION_FOLDER,
    INTENTION_KIND,
    OPEN_STATES,
    Intention,
    IntentionState,
)
from memfs.model.operation import OperationKind
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.record import StoredRecord
from memfs.policy.administration import decide_operation
from memfs.policy.intention_moves import Move, next_move
from memfs.policy.intention_triggers import intention_fields, intention_from
from memfs.policy.recurrence import TriggerError
from memfs.services.door import Decided, commit_decided
from memfs.services.modes import is_taking
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, edited_file, is_held, plan_from
from memfs.services.served_records import read_path, read_records, served_places
from memfs.store.snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What one look came to.

    Attributes:
        asked: Ids of the intentions that became due now, in order.
        moved: How many moved in another way: blocked, gone by, expired.
        unreadable: Ids of those that cannot be read here, such as for want of a zone.
    """

    asked: tuple[str, ...] = ()
    moved: int = 0
    unreadable: tuple[str, ...] = ()


def mark_due(workspace: Workspace) -> Marks:
    """Marks everything that is due now, each occurrence once, ever.

    Where the store takes nothing in, nothing is marked.
    """
    if not is_taking(workspace):
        return Marks()
    asked: list[str] = []
    unreadable: list[str] = []
    moved = 0
    snapshot, now = workspace.store.snapshot(), workspace.clock.now()
    owners = Owners(workspace)
    for stored in open_intentions(workspace, snapshot, owners):
        try:
            # Most of them wait: for those nothing is begun.
            if _next(workspace, snapshot, stored, owners, now) is None:
                continue
            move = _marked(workspace, stored.path, now)
        except TriggerError:
            unreadable.append(stored.record.id)
            continue
        except ConflictError:
            # Another writer is faster all the time: the next look comes to it.
            continue
        if move is None:
            continue
        if move.after.state is IntentionState.DUE and move.key:
            asked.append(stored.record.id)
        else:
            moved += 1
    return Marks(asked=tuple(asked), moved=moved, unreadable=tuple(unreadable))


def open_intentions(
    workspace: Workspace, snapshot: Snapshot, owners: Owners
) -> Iterator[StoredRecord]:
    """Yields the intentions that still wait for something, by id."""
    places = served_places(snapshot, INTENTION_FOLDER)
    found = (
        stored
        for stored in read_records(workspace, snapshot, places)
        if stored.record.kind == INTENTION_KIND
        and stored.record.fields.get("state") in OPEN_STATES
        and owners.is_served(stored)
    )
    yield from sorted(found, key=lambda stored: stored.record.id)


def moved_draft(
    workspace: Workspace,
    snapshot: Snapshot,
    stored: StoredRecord,
    after: Intention,
    decision: Decision,
) -> Draft:
    """Lays out an intention as it stands after a move; what it says stays, and so its version."""
    record = replace(stored.record, fields=intention_fields(after))
    return edited_file(workspace, stored, snapshot.read_blob(stored.blob), record, decision)


def move_subject(stored: StoredRecord, state: IntentionState) -> str:
    """Returns the commit subject of a move: opaque where the intention is."""
    record = stored.record
    return f"intention {state}: {record.id if record.sensitivity.is_opaque else record.title}"


def _next(
    workspace: Workspace,
    snapshot: Snapshot,
    stored: StoredRecord,
    owners: Owners,
    now: datetime,
) -> Move | None:
    request = owners.request(stored.record)
    if request is None or is_held(snapshot, stored):
        return None
    intention = intention_from(stored.record)
    look = Look(workspace=workspace, snapshot=snapshot, request=request, now=now)
    return next_move(intention, look.sighted(intention), now, is_free=look.is_free(intention))


def _marked(workspace: Workspace, path: str, now: datetime) -> Move | None:
    """Makes the move that is due for one intention; ``None`` where there is none, or it was made.

    Raises:
        TriggerError: It cannot be read here.
    """

    def decide_on(snapshot: Snapshot) -> Decided[Move | None]:
        stored = read_path(workspace, snapshot, path)
        # Asked anew: what the owner may see can have changed with the head.
        owners = Owners(workspace)
        if stored is None or not owners.is_served(stored):
            return Decided(None)
        move = _next(workspace, snapshot, stored, owners, now)
        decision = decide_operation("intention.mark", SYSTEM_ACTOR, workspace.settings)
        if move is None or not decision.is_admitted:
            return Decided(None)
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RECORD,
            actor=SYSTEM_ACTOR,
            drafts=(moved_draft(workspace, snapshot, stored, move.after, decision),),
            subject=move_subject(stored, move.after.state),
            key=move.key,
        )
        return Decided(move, plan)

    committed = commit_decided(workspace, decide_on)
    if committed.commit is None or committed.commit.is_replay:
        return None
    return committed.outcome
