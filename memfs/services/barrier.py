"""The barrier: what takes a record back withholds all that rests on it, in the same commit (A14).

Every plan passes here on its way through the door, so that no operation, whoever planned it,
can correct, replace, retract or remove a record and leave something of it in service. Only the
status line of a descendant changes. A plan that only adds costs nothing, and one that takes back
something on which nothing rests costs one look at the catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import field, replace
from typing import Final

from memfs.errors import DataError
from memfs.formats.hold_codec import encode_hold
from memfs.formats.record_codec import update_record
from memfs.model.frozen import frozen
from memfs.model.hold import Hold
from memfs.model.operation import FileChange, OperationKind, Plan
from memfs.model.record import Record, StoredRecord
from memfs.model.values import JsonValue
from memfs.policy.administration import decide_withdraw
from memfs.policy.withdrawal import (
    PENDING_STATUS,
    goes_with_its_source,
    is_added_to,
    is_retracted,
    is_taken_over,
    takes_back,
)
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.ports import Workspace
from memfs.services.proposals import NAMED_RECORDS
from memfs.services.served_records import read_strictly, record_from
from memfs.store.layout import hold_path, is_record_path
from memfs.store.snapshot import Snapshot


@frozen
class Withdrawal:
    """What one operation took back, as it stood before.

    Attributes:
        operation: Its kind, such as ``forget``.
        transaction: ``tx_…``.
        removed: Records that were removed for good.
        retracted: Records that a person took back.
        replaced: Records that say something else now, or gave way to another.
        withheld: What rested on any of them and waits for repair.
    """

    operation: str
    transaction: str
    removed: tuple[StoredRecord, ...] = ()
    retracted: tuple[StoredRecord, ...] = ()
    replaced: tuple[StoredRecord, ...] = ()
    withheld: tuple[StoredRecord, ...] = ()

    @property
    def roots(self) -> tuple[StoredRecord, ...]:
        """Everything that the operation itself took back."""
        return (*self.removed, *self.retracted, *self.replaced)

    @property
    def is_demanded(self) -> bool:
        """Whether somebody asked for it to be gone, so that a receipt is due in any case."""
        return bool(self.removed or self.retracted)

    @property
    def is_followed(self) -> bool:
        """Whether anything follows: a correction on which nothing rests needs nothing."""
        return self.is_demanded or bool(self.withheld)


@frozen
class Aftermath:
    """What became of a withdrawal.

    Attributes:
        receipt: ``rcp_…``; empty when none was due.
        restored: References of what was supported and is served again.
        withheld: Ids of what stays behind the barrier.
        details: What the receipt says.
        trouble: Code of what kept the repair from ending; it can be taken up again.
    """

    receipt: str = ""
    restored: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    details: Mapping[str, JsonValue] = field(default_factory=dict)
    trouble: str = ""

    @property
    def words(self) -> str:
        """What followed, to be put behind what was done; empty for nothing."""
        parts = []
        if self.restored:
            parts.append(f"{len(self.restored)} that rested on it still stand without it")
        if self.withheld:
            parts.append(f"{len(self.withheld)} that rested on it are withheld")
        if self.trouble:
            parts.append(f"repair did not end ({self.trouble}): memfs doctor --fix")
        return "".join(f"; {part}" for part in parts)


NOTHING_FOLLOWED: Final = Aftermath()


def with_barrier(
    workspace: Workspace, snapshot: Snapshot, plan: Plan
) -> tuple[Plan, Withdrawal | None]:
    """Returns the plan with the barrier that it needs, and what it takes back, if anything.

    Args:
        workspace: The store.
        snapshot: The served records that the plan was decided on.
        plan: What is about to be committed.
    """
    withdrawal = _taken_back(workspace, snapshot, plan)
    if withdrawal is None:
        return plan, None
    planned = frozenset(change.path for change in plan.changes)
    withheld = [
        stored
        for stored in descendants_of(workspace, snapshot, withdrawal.roots)
        if stored.path not in planned and hold_path(stored.path) not in planned
    ]
    changes = tuple(barred_change(workspace, snapshot, stored) for stored in withheld)
    names = tuple(stored.record.reference for stored in withheld)
    is_named = len(plan.records) + len(names) <= NAMED_RECORDS
    return (
        replace(
            plan,
            changes=(*plan.changes, *changes),
            records=(*plan.records, *names) if is_named else plan.records,
        ),
        replace(withdrawal, withheld=tuple(withheld)),
    )


def descendants_of(
    workspace: Workspace, snapshot: Snapshot, roots: tuple[StoredRecord, ...]
) -> tuple[StoredRecord, ...]:
    """Returns everything that a withdrawal of ``roots`` would withhold, ordered by id."""
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        rows = catalogue.descendants(stored.record.id for stored in roots)
    reached = read_entries(workspace, snapshot, rows)
    return tuple(stored for stored in reached if goes_with_its_source(stored.record))


def _taken_back(workspace: Workspace, snapshot: Snapshot, plan: Plan) -> Withdrawal | None:
    removed: list[StoredRecord] = []
    retracted: list[StoredRecord] = []
    replaced: list[StoredRecord] = []
    heirs = _heirs(workspace, plan)
    changes = {change.path: change for change in plan.changes if is_record_path(change.path)}
    for old in read_strictly(workspace, snapshot, changes):
        change = changes[old.path]
        new = _planned(workspace, change)
        if not takes_back(old.record, new) or (new and _is_merged(old.record, new, heirs)):
            continue
        if new is None:
            removed.append(old)
        elif is_retracted(new):
            retracted.append(old)
        else:
            replaced.append(old)
    if removed:
        moved = _arriving(workspace, plan)
        removed = [stored for stored in removed if stored.record.id not in moved]
    if not (removed or retracted or replaced):
        return None
    return Withdrawal(
        operation=str(plan.operation),
        transaction=plan.transaction,
        removed=tuple(removed),
        retracted=tuple(retracted),
        replaced=tuple(replaced),
    )


def _heirs(workspace: Workspace, plan: Plan) -> Mapping[str, Record]:
    """Returns what a merge leaves behind, by id; nothing for any other operation."""
    if plan.operation is not OperationKind.MERGE:
        return {}
    planned = (_planned(workspace, change) for change in plan.changes if _is_record(change))
    return {record.id: record for record in planned if record is not None}


def _is_merged(old: Record, new: Record, heirs: Mapping[str, Record]) -> bool:
    """Whether a merge takes nothing of ``old`` back: it took others over, or was taken over."""
    if new.superseded_by in heirs:
        return is_taken_over(old, heirs[new.superseded_by])
    return bool(heirs) and is_added_to(old, new, heirs.keys())


def _planned(workspace: Workspace, change: FileChange) -> Record | None:
    if change.content is None:
        return None
    stored = record_from(workspace, change.path, "", change.content)
    return stored.record if stored is not None else None


def _arriving(workspace: Workspace, plan: Plan) -> frozenset[str]:
    """Returns the ids that the plan puts somewhere: a file that moves is not taken back."""
    planned = (_planned(workspace, change) for change in plan.changes if _is_record(change))
    return frozenset(record.id for record in planned if record is not None)


def _is_record(change: FileChange) -> bool:
    return change.content is not None and is_record_path(change.path)


def _pending_content(
    workspace: Workspace, snapshot: Snapshot, stored: StoredRecord
) -> bytes | None:
    """Returns the file with its new status alone; ``None`` where that cannot be written."""
    pending = replace(stored.record, status=PENDING_STATUS)
    try:
        before = snapshot.read_blob(stored.blob)
        return update_record(before, pending, path=stored.path, registry=workspace.registry)
    except DataError:  # too large to read, or more would change than its status
        return None


def barred_change(workspace: Workspace, snapshot: Snapshot, stored: StoredRecord) -> FileChange:
    """Withholds one descendant: by its status, or by its path where its file is not ours."""
    hold = snapshot.raw_entry(hold_path(stored.path))
    decision = decide_withdraw(stored.record, workspace.settings)
    content = _pending_content(workspace, snapshot, stored) if hold is None else None
    if content is not None:
        return FileChange(
            path=stored.path, content=content, expected=stored.blob, decision=decision
        )
    # A commit made by hand waits here: the person's text stays, the admitted one is withheld.
    standing = snapshot.holds().get(stored.path)
    tip = snapshot.raw_entry(stored.path)
    barred = Hold(
        path=stored.path,
        admitted="",
        found=standing.found if standing else (tip.blob if tip else ""),
        candidate=standing.candidate if standing else "",
    )
    return FileChange(
        path=hold_path(stored.path),
        content=encode_hold(barred),
        expected=hold.blob if hold else None,
        decision=decision,
    )
