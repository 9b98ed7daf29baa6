"""Lays out the files of a batch: each memory once, however many operations touch it, and receipts.

A receipt is content-free: the operation, ids, counts and why in one word. It stands in the scope
of the role, so that nobody else learns what the role was about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memfs.domains.roles.loading import Loaded
from memfs.domains.roles.view import Planned
from memfs.model.decision import Decision
from memfs.model.frozen import frozen
from memfs.model.origin import SYSTEM_ACTOR, Actor
from memfs.model.record import Record
from memfs.model.role import role_scope
from memfs.model.role_operation import OperationName
from memfs.model.values import JsonValue
from memfs.policy.administration import decide_receipt
from memfs.policy.authority import authority_of, capture_origin, default_authority, labelled
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, edited_file, kind_of, place_new, require_free
from memfs.services.receipts import receipt_record
from memfs.store.snapshot import Snapshot

if TYPE_CHECKING:
    from memfs.domains.roles.desk import Applied


@frozen
class Piece:
    """A new memory or edge with the decision that admits it."""

    record: Record
    decision: Decision


@frozen
class _Taken:
    """One admitted operation of the batch."""

    name: OperationName
    planned: Planned


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a batch is decided on: the store at one commit, what was read, and who applies it."""

    workspace: Workspace
    snapshot: Snapshot
    loaded: Loaded
    decision: Decision
    actor: Actor


class Laying:
    """Collects what a batch makes and changes, and lays it out in the end."""

    def __init__(self, setting: Setting) -> None:
        self.workspace = setting.workspace
        self.snapshot = setting.snapshot
        self.loaded = setting.loaded
        self.decision = setting.decision
        self.actor = setting.actor
        self.role = setting.loaded.view.role
        self._pieces: dict[str, Piece] = {}
        self._changed: dict[str, Record] = {}
        self._taken: list[_Taken] = []
        self._shards: dict[str, dict[str, int]] = {}

    def take(self, name: OperationName | None, planned: Planned, pieces: Iterable[Piece]) -> None:
        """Takes in one admitted operation; moves without a name leave no receipt of their own."""
        self._pieces.update({piece.record.id: piece for piece in pieces})
        for record in planned.changed:
            standing = self._pieces.get(record.id)
            if standing is not None:
                # Made by an operation before it in the same batch: one file, one version.
                kept = replace(record, origin=standing.record.origin)
                self._pieces[record.id] = replace(standing, record=kept)
            else:
                self._changed[record.id] = record
        if name is not None:
            self._taken.append(_Taken(name=name, planned=planned))

    def laid_out(
        self, steps: tuple[Applied, ...], transaction: str
    ) -> tuple[tuple[Applied, ...], tuple[Draft, ...]]:
        """Returns the steps with what they did, and the files.

        Raises:
            HeldRecordError: A commit made by hand waits on one of the memories.
        """
        if not (self._taken or self._pieces or self._changed):
            return steps, ()
        made = [self._placed(one.record, one.decision) for one in self._pieces.values()]
        blobs = [self.loaded.stored[name].blob for name in self._changed]
        contents = dict(self.snapshot.read_blobs(blobs))
        changed = [self._edited(record, contents) for record in self._changed.values()]
        drafts = {draft.record.id: draft for draft in (*made, *changed)}
        taken = iter(self._taken)
        told: list[Applied] = []
        receipts: list[Draft] = []
        for step in steps:
            if step.outcome != "applied":
                told.append(step)
                continue
            one = next(taken)
            receipt = self._receipt(one, drafts, transaction)
            receipts.append(receipt)
            told.append(_told(step, one, drafts, receipt))
        return tuple(told), (*drafts.values(), *receipts)

    def _placed(self, record: Record, decision: Decision) -> Draft:
        folder = kind_of(self.workspace, record).folder
        counts = self._shards.get(folder)
        if counts is None:
            counts = self._shards[folder] = dict(self.snapshot.shard_sizes(folder))
        return place_new(self.workspace, record, decision, shards=counts)

    def _edited(self, record: Record, contents: Mapping[str, bytes]) -> Draft:
        """Lays out a memory that stands, labelled by whoever changes it, its version raised."""
        stored = self.loaded.stored[record.id]
        require_free(self.snapshot, stored)
        changed = record
        if record.body != stored.record.body or record.tags != stored.record.tags:
            origin = capture_origin(self.actor, record.title)
            marked = labelled(record, origin, ())
            worth = min(authority_of(stored.record), default_authority(origin.origin_class))
            changed = replace(marked, origin=stored.record.origin, authority=worth)
        changed = replace(changed, version=stored.record.version + 1)
        decision = replace(self.decision, authority=authority_of(changed))
        return edited_file(self.workspace, stored, contents[stored.blob], changed, decision)

    def _receipt(
        self,
        taken: _Taken,
        drafts: dict[str, Draft],
        transaction: str,
    ) -> Draft:
        planned = taken.planned
        details: dict[str, JsonValue] = {
            "role": self.role,
            "because": planned.because,
            "made": [drafts[item.id].record.reference for item in planned.made],
            "changed": [drafts[item.id].record.reference for item in planned.changed],
            "edges": [item.id for item in planned.edges],
            "by": str(self.actor.principal),
            **planned.details,
        }
        targets = (*planned.made, *planned.changed)
        return self.account(
            taken.name,
            transaction,
            [drafts[item.id].record.reference for item in targets],
            {name: value for name, value in details.items() if value not in ("", [])},
        )

    def account(
        self,
        operation: str,
        transaction: str,
        targets: Sequence[str],
        details: Mapping[str, JsonValue],
        subject: str = "",
    ) -> Draft:
        """Lays out a receipt in the scope of the role; ``subject`` is what it is found by."""
        record = receipt_record(
            self.workspace,
            operation=operation,
            transaction=transaction,
            targets=targets,
            details=details,
            subject=subject,
        )
        record = replace(record, scope=role_scope(self.role))
        return self._placed(record, decide_receipt(self.workspace.settings, SYSTEM_ACTOR))


def _told(step: Applied, taken: _Taken, drafts: dict[str, Draft], receipt: Draft) -> Applied:
    planned = taken.planned
    records = tuple(drafts[item.id].record for item in (*planned.made, *planned.changed))
    return replace(
        step,
        made=tuple(drafts[item.id].record.reference for item in planned.made),
        changed=tuple(drafts[item.id].record.reference for item in planned.changed),
        edges=tuple(item.id for item in planned.edges),
        receipt=receipt.record.id,
        records=records,
    )
