"""Conflicts: what stands against what, and the ends that a person or a check puts to it (A15).

Sets are kept by ``memfs.services.conflict_upkeep`` in the commit of whatever changes them. A
resolution only says which records give way; the set ends with the contradiction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Final

from memfs.errors import ConflictError
from memfs.model.conflict import Conflict, conflict_from
from memfs.model.decision import Decision, Reason
from memfs.model.frozen import frozen
from memfs.model.graph import EDGE_KIND
from memfs.model.ids import short_id
from memfs.model.operation import Commit, OperationKind, Plan
from memfs.model.origin import SYSTEM_ACTOR, Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.model.status import Status
from memfs.policy.access import AccessRequest
from memfs.policy.administration import decide_resolution, decide_retract, decide_supersede
from memfs.policy.conflicts import is_contradiction
from memfs.policy.reasons import reason
from memfs.policy.relations import ends_of_edge
from memfs.policy.resolution import check_resolution, verified_side
from memfs.policy.screening import screen
from memfs.policy.verification import Verification
from memfs.services.answers import refused
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided, commit_decided
from memfs.services.edge_words import in_words
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, edited_file, plan_from, require_free, superseded
from memfs.services.reading import (
    AmbiguousRecordError,
    UnknownRecordError,
    find_record,
    served_from,
)
from memfs.services.served_records import read_records
from memfs.services.withdraw import moved_to
from memfs.store.snapshot import Snapshot

CONFLICT_FOLDER: Final = "conflicts/"

Verify = Callable[[Record], Verification | None]
"""Checks one side without judgement; ``None`` where it has nothing to look up."""


class UnknownConflictError(ConflictError):
    """No conflict has this id."""

    code = "conflict.unknown-conflict"


@frozen
class StandingConflict:
    """An open conflict as one reader may see it.

    Attributes:
        conflict: The set, with the sides alone that may be seen.
        sides: Its members as they may be seen, ordered by id; two or more.
    """

    conflict: Conflict
    sides: tuple[StoredRecord, ...]


@frozen
class _Wish:
    """What one resolution asks for."""

    kept: tuple[str, ...]
    note: str
    is_retracted: bool


@frozen
class _Outcome:
    conflict: Conflict
    reasons: tuple[Reason, ...] = ()
    kept: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


def open_conflicts(workspace: Workspace, actor: Actor) -> tuple[StandingConflict, ...]:
    """Returns the conflicts of which ``actor`` may see two sides, oldest first.

    Of a side that may not be seen nothing is told, not even that there is one.
    """
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    places = ((entry.path, entry.blob) for entry in snapshot.entries(CONFLICT_FOLDER))
    read = (conflict_from(item.record) for item in read_records(workspace, snapshot, places))
    standing = sorted(
        (item for item in read if item is not None and item.is_open), key=lambda item: item.id
    )
    found = []
    for conflict in standing:
        sides = tuple(_sides(workspace, snapshot, conflict.member_ids, request))
        if len(sides) > 1:
            names = tuple(stored.record.reference for stored in sides)
            seen = replace(conflict, members=names, subject=sides[0].record.subject)
            found.append(StandingConflict(conflict=seen, sides=sides))
    return _in_words(workspace, snapshot, found, request)


def _in_words(
    workspace: Workspace,
    snapshot: Snapshot,
    found: Sequence[StandingConflict],
    request: AccessRequest,
) -> tuple[StandingConflict, ...]:
    """Returns conflicts with edges called by the names of their ends, all looked up at once."""
    every = [side for item in found for side in item.sides if side.record.kind == EDGE_KIND]
    if not every:
        return tuple(found)
    told = {side.record.id: side for side in in_words(workspace, snapshot, every, request)}
    worded = []
    for item in found:
        sides = tuple(told.get(side.record.id, side) for side in item.sides)
        conflict = replace(item.conflict, subject=_subject_of(sides[0].record))
        worded.append(StandingConflict(conflict=conflict, sides=sides))
    return tuple(worded)


def _subject_of(side: Record) -> str:
    """Returns what a side is about; of an edge in words, where it starts and how it leads on."""
    if side.kind != EDGE_KIND:
        return side.subject
    _, relation, _ = ends_of_edge(side)
    start, _, _ = side.title.partition(f" {relation} ")
    return f"{start} {relation}"


def sides_against(
    workspace: Workspace, stored: StoredRecord, actor: Actor
) -> tuple[StoredRecord, ...]:
    """Returns the records that say otherwise than ``stored``, those that ``actor`` may see."""
    if not stored.record.conflicts:
        return ()
    request = access_request(workspace, actor)
    snapshot = workspace.store.snapshot()
    sides = _sides(workspace, snapshot, stored.record.conflicts, request)
    return in_words(workspace, snapshot, sides, request)


def _sides(
    workspace: Workspace, snapshot: Snapshot, names: Iterable[str], request: AccessRequest
) -> list[StoredRecord]:
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        rows = [row for name in sorted(set(names)) for row in catalogue.by_id(name)]
    return list(served_from(workspace, snapshot, rows, request))


def resolve(
    workspace: Workspace,
    reference: str,
    keep: Sequence[str],
    actor: Actor,
    *,
    note: str = "",
    is_retracted: bool = False,
) -> Result:
    """Keeps some sides of a conflict; the others are replaced by them, or taken back.

    Args:
        workspace: The store.
        reference: The conflict: its id, or the end of it.
        keep: Members that stay, by id or the end of it.
        actor: Who decides.
        note: A word of the person's, kept with the conflict.
        is_retracted: The others were wrong and are retracted instead of superseded.

    Raises:
        UnknownConflictError: No conflict has this id.
        AmbiguousRecordError: More than one does.
        HeldRecordError: A commit made by hand waits on one of the sides.
    """
    faults = decide_resolution(actor, workspace.settings).reasons
    if not faults and note:
        faults = screen(note, is_person=actor.is_person).rejects
    if faults:
        return refused(workspace, "resolve", reference, faults)

    def decide_on(snapshot: Snapshot) -> Decided[_Outcome]:
        stored, conflict = _find(workspace, snapshot, reference, actor)
        chosen = tuple(_member(conflict, name) for name in dict.fromkeys(keep))
        wish = _Wish(kept=chosen, note=note, is_retracted=is_retracted)
        return _decided(workspace, snapshot, stored, conflict, wish, actor)

    return _committed(workspace, decide_on)


def resolve_by_verifier(workspace: Workspace, reference: str, verify: Verify) -> Result:
    """Keeps the one side of a conflict that a deterministic check holds for, and no other.

    Nothing happens where the check holds for none or several, or cannot look at one of them.

    Raises:
        UnknownConflictError: No conflict has this id.
        HeldRecordError: A commit made by hand waits on one of the sides.
    """

    def decide_on(snapshot: Snapshot) -> Decided[_Outcome]:
        stored, conflict = _find(workspace, snapshot, reference, SYSTEM_ACTOR)
        request = access_request(workspace, SYSTEM_ACTOR)
        sides = _sides(workspace, snapshot, conflict.member_ids, request)
        checks = {side.record.id: verify(side.record) for side in sides}
        side = verified_side(checks) if len(checks) == len(conflict.members) else None
        if side is None:
            denial = reason("conflict.not-verified")
            return Decided(_Outcome(conflict=conflict, reasons=(denial,)))
        wish = _Wish(kept=(side,), note="", is_retracted=False)
        return _decided(workspace, snapshot, stored, conflict, wish, SYSTEM_ACTOR)

    return _committed(workspace, decide_on)


def _find(
    workspace: Workspace, snapshot: Snapshot, reference: str, actor: Actor
) -> tuple[StoredRecord, Conflict]:
    request = access_request(workspace, actor, is_history=True)
    unknown = UnknownConflictError(
        f"no conflict matches {reference!r}", hint="see: memfs conflicts"
    )
    try:
        stored = find_record(workspace, snapshot, reference, request)
    except UnknownRecordError:
        raise unknown from None
    conflict = conflict_from(stored.record)
    if conflict is None:
        raise unknown
    return stored, conflict


def _member(conflict: Conflict, name: str) -> str:
    """Returns the id of the member that is meant; anything else as it was written."""
    asked = name.strip().partition("@")[0].lower()
    found = [item for item in conflict.member_ids if asked in (item, short_id(item))]
    if len(found) > 1:
        raise AmbiguousRecordError(f"{name!r} is the end of several sides: {', '.join(found)}")
    return found[0] if found else asked


def _decided(
    workspace: Workspace,
    snapshot: Snapshot,
    stored: StoredRecord,
    conflict: Conflict,
    wish: _Wish,
    actor: Actor,
) -> Decided[_Outcome]:
    decision = decide_resolution(actor, workspace.settings)
    faults = decision.reasons or check_resolution(conflict, wish.kept)
    if faults:
        return Decided(_Outcome(conflict=conflict, reasons=faults))
    request = access_request(workspace, actor)
    sides = {
        side.record.id: side for side in _sides(workspace, snapshot, conflict.member_ids, request)
    }
    outcome = _Outcome(
        conflict=conflict,
        kept=wish.kept,
        gone=tuple(name for name in sides if name not in wish.kept),
    )
    plan = _plan(workspace, snapshot, stored, sides, wish, actor, decision)
    return Decided(outcome, plan)


def _plan(
    workspace: Workspace,
    snapshot: Snapshot,
    stored: StoredRecord,
    sides: dict[str, StoredRecord],
    wish: _Wish,
    actor: Actor,
    decision: Decision,
) -> Plan:
    kept = [sides[name] for name in wish.kept if name in sides]
    drafts: list[Draft] = []
    heirs: dict[str, list[str]] = {}
    for name, side in sides.items():
        if name in wish.kept:
            continue
        if wish.is_retracted:
            taken = decide_retract(actor, side.record, workspace.settings)
            drafts.append(moved_to(workspace, snapshot, side, Status.RETRACTED, taken))
            continue
        heir = _heir(workspace, side, kept)
        replaced = decide_supersede(actor, side.record, workspace.settings)
        drafts.append(superseded(workspace, snapshot, side, heir.record, replaced))
        heirs.setdefault(heir.record.id, []).append(name)
    for side in kept:
        names = heirs.get(side.record.id)
        if names:
            supersedes = tuple(sorted({*side.record.supersedes, *names}))
            record = replace(side.record, supersedes=supersedes)
            drafts.append(_edited(workspace, snapshot, side, record, decision))
    if wish.note:
        record = replace(stored.record, summary=wish.note)
        drafts.append(_edited(workspace, snapshot, stored, record, decision))
    return plan_from(
        workspace,
        snapshot,
        operation=OperationKind.RESOLVE,
        actor=actor,
        drafts=tuple(drafts),
        subject=f"{stored.record.id} keeps {', '.join(short_id(name) for name in wish.kept)}",
    )


def _heir(workspace: Workspace, side: StoredRecord, kept: Sequence[StoredRecord]) -> StoredRecord:
    """Returns the kept side that stands in the place of ``side``: one that contradicts it."""
    for other in kept:
        if is_contradiction(
            side.record, other.record, registry=workspace.registry, project=workspace.scope
        ):
            return other
    return kept[0]


def _edited(
    workspace: Workspace,
    snapshot: Snapshot,
    stored: StoredRecord,
    record: Record,
    decision: Decision,
) -> Draft:
    require_free(snapshot, stored)
    return edited_file(workspace, stored, snapshot.read_blob(stored.blob), record, decision)


def _committed(workspace: Workspace, decide_on: Callable[[Snapshot], Decided[_Outcome]]) -> Result:
    committed = commit_decided(workspace, decide_on)
    outcome = committed.outcome
    if outcome.reasons:
        return refused(workspace, "resolve", outcome.conflict.id, outcome.reasons)
    return _done(workspace, outcome, committed.commit)


def _done(workspace: Workspace, outcome: _Outcome, commit: Commit | None) -> Result:
    left = _is_left(workspace, outcome.kept)
    rest = "; what was kept still disagrees and stays marked" if left else ""
    return Result(
        action="resolve",
        target=outcome.conflict.id,
        status=ResultStatus.DONE,
        message=f"{', '.join(outcome.kept)} stays, {', '.join(outcome.gone)} gave way{rest}",
        operation=commit.transaction if commit else "",
        store=str(workspace.store.root),
        data={"kept": list(outcome.kept), "gone": list(outcome.gone), "is_open": left},
    )


def _is_left(workspace: Workspace, kept: Collection[str]) -> bool:
    """Tells whether sides that were kept still stand against each other."""
    if len(kept) < 2:
        return False
    request = access_request(workspace, SYSTEM_ACTOR)
    sides = _sides(workspace, workspace.store.snapshot(), kept, request)
    return any(set(side.record.conflicts) & set(kept) for side in sides)
