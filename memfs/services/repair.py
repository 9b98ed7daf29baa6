"""Repair: what stands behind a barrier and is still supported comes back as a new version.

Run after the barrier is in the ledger, never before, and as often as one likes: what waits is
read from the ledger itself, and each round is decided anew at its head. A repair that dies
leaves the barrier (A14).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Final

from memfs.errors import DataError
from memfs.formats.record_codec import update_record
from memfs.index.catalogue import Catalogue
from memfs.model.frozen import frozen
from memfs.model.ids import EVIDENCE_PREFIX, CommitId, split_version
from memfs.model.operation import OperationKind
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.record import Record, StoredRecord
from memfs.model.status import Status
from memfs.policy.administration import decide_rebuild
from memfs.policy.closure import inputs_of
from memfs.policy.repair import Input, rebuilt
from memfs.policy.withdrawal import PENDING_STATUS, has_given_way, is_pending, is_standing
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.door import Decided, commit_decided
from memfs.services.forget import EXCERPT_KIND
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, is_held, kind_of, plan_from
from memfs.services.served_records import record_from
from memfs.services.tombstones import claim_mark
from memfs.store.snapshot import Snapshot

BATCH: Final = 500
_SUCCESSORS: Final = 64

Before = Mapping[str, StoredRecord]
"""Records by id as they stood before a withdrawal."""


@frozen
class Repaired:
    """What a repair came to.

    Attributes:
        restored: References of what is served again.
        withheld: Ids of what stays behind the barrier.
    """

    restored: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()


def repair(
    workspace: Workspace, *, before: Before | None = None, only: Collection[str] | None = None
) -> Repaired:
    """Serves again what is still supported, and tells what is not.

    Args:
        workspace: The store.
        before: What was withdrawn, as it stood; without it the history is asked.
        only: Ids to look at; everything that waits when left out.
    """
    known = before or {}
    restored: list[str] = []
    while True:
        committed = commit_decided(
            workspace, lambda snapshot: _round(workspace, snapshot, known, only)
        )
        drafts, withheld = committed.outcome
        if committed.commit is None:
            return Repaired(restored=tuple(restored), withheld=withheld)
        restored.extend(draft.record.reference for draft in drafts)


def _round(
    workspace: Workspace, snapshot: Snapshot, before: Before, only: Collection[str] | None
) -> Decided[tuple[tuple[Draft, ...], tuple[str, ...]]]:
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        mender = _Mender(workspace, snapshot, catalogue, before)
        drafts, withheld = mender.mend(only)
    if not drafts:
        return Decided((drafts, withheld))
    plan = plan_from(
        workspace,
        snapshot,
        operation=OperationKind.REPAIR,
        actor=SYSTEM_ACTOR,
        drafts=drafts,
        subject=f"{len(drafts)} supported records are served again",
    )
    return Decided((drafts, withheld), plan)


class _Mender:
    """One look at everything that waits, inputs before what rests on them."""

    def __init__(
        self, workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, before: Before
    ) -> None:
        self._workspace = workspace
        self._snapshot = snapshot
        self._catalogue = catalogue
        self._before = before
        self._read: dict[str, StoredRecord | None] = {}
        self._words: dict[str, tuple[Record, ...]] = {}
        self._mended: dict[str, Record] = {}

    def mend(self, only: Collection[str] | None) -> tuple[tuple[Draft, ...], tuple[str, ...]]:
        """Returns the files of what comes back, at most a batch, and the ids of the rest."""
        rows = self._catalogue.with_status(str(PENDING_STATUS))
        chosen = [row for row in rows if only is None or row.id in only]
        waiting = {
            stored.record.id: stored
            for stored in read_entries(self._workspace, self._snapshot, chosen)
        }
        drafts: list[Draft] = []
        withheld: list[str] = []
        for stored in _inputs_first(waiting):
            draft = self._draft(stored) if len(drafts) < BATCH else None
            if draft is None:
                withheld.append(stored.record.id)
            else:
                self._mended[stored.record.id] = draft.record
                drafts.append(draft)
        return tuple(drafts), tuple(sorted(withheld))

    def _draft(self, stored: StoredRecord) -> Draft | None:
        record = stored.record
        if is_held(self._snapshot, stored) or self._is_forgotten(record):
            return None
        decision = decide_rebuild(record, self._workspace.settings)
        if not decision.is_admitted:
            return None
        was = self._status_before(stored)
        if was is PENDING_STATUS:
            return None
        references = dict.fromkeys((*record.derived_from, *record.evidence))
        mended = rebuilt(
            record,
            [self._input(reference, record.id) for reference in references],
            was=was,
            append_only=kind_of(self._workspace, record).append_only,
        )
        if mended is None:
            return None
        try:
            content = update_record(
                self._snapshot.read_blob(stored.blob),
                mended,
                path=stored.path,
                registry=self._workspace.registry,
            )
        except DataError:
            return None
        return Draft(
            record=mended,
            path=stored.path,
            content=content,
            expected=stored.blob,
            decision=decision,
        )

    def _is_forgotten(self, record: Record) -> bool:
        """Whether a tombstone that came from elsewhere bars the record itself."""
        marks = (record.id, claim_mark(self._workspace, record))
        return bool(self._catalogue.tombstones_with(marks))

    def _input(self, reference: str, heir: str) -> Input:
        identifier = split_version(reference)[0]
        present = self._taken_over(identifier, heir) or self._present(identifier)
        return Input(
            reference=reference,
            record=present,
            excerpts=self._excerpts(identifier) if present is not None else (),
            lost=self._lost(identifier, present),
        )

    def _taken_over(self, identifier: str, heir: str) -> Record | None:
        """Returns an input that gave way to the record itself: merged, its words still stand."""
        record = self._record(identifier)
        if record is None or not has_given_way(record, heir):
            return None
        return replace(record, status=Status.ACTIVE)

    def _present(self, identifier: str) -> Record | None:
        """Returns what stands in the place of an input; what superseded it included."""
        seen: set[str] = set()
        record = self._record(identifier)
        while record is not None and record.superseded_by and len(seen) < _SUCCESSORS:
            if record.superseded_by in seen:
                return None
            seen.add(record.superseded_by)
            record = self._record(record.superseded_by)
        return record

    def _record(self, identifier: str) -> Record | None:
        if identifier in self._mended:
            return self._mended[identifier]
        if identifier not in self._read:
            found = read_entries(self._workspace, self._snapshot, self._catalogue.by_id(identifier))
            self._read[identifier] = found[0] if len(found) == 1 else None
        stored = self._read[identifier]
        return stored.record if stored is not None else None

    def _excerpts(self, identifier: str) -> tuple[Record, ...]:
        if not identifier.startswith(f"{EVIDENCE_PREFIX}_"):
            return ()
        if identifier not in self._words:
            rows = [
                row for row in self._catalogue.dependents([identifier]) if row.kind == EXCERPT_KIND
            ]
            found = read_entries(self._workspace, self._snapshot, rows)
            self._words[identifier] = tuple(stored.record for stored in found)
        return self._words[identifier]

    def _lost(self, identifier: str, present: Record | None) -> tuple[Record, ...] | None:
        """Returns what was withdrawn in the place of an input, as far as it is known."""
        before = self._before.get(identifier)
        if before is not None:
            words = (
                stored.record
                for stored in self._before.values()
                if stored.record.kind == EXCERPT_KIND and identifier in inputs_of(stored.record)
            )
            return (before.record, *words)
        standing = self._record(identifier)
        if standing is None:
            return None
        # Withheld or replaced, and still there to be read; or never touched at all.
        return () if present is standing and is_standing(standing) else (standing,)

    def _status_before(self, stored: StoredRecord) -> Status:
        before = self._before.get(stored.record.id)
        if before is not None:
            return before.record.status
        if stored.record.superseded_by:
            return Status.SUPERSEDED
        for item in self._workspace.store.file_versions(stored.path):
            content = self._workspace.store.snapshot(CommitId(item.commit.id)).read(item.path)
            found = content and record_from(self._workspace, item.path, "", content)
            if found and not is_pending(found.record):
                return found.record.status
        return PENDING_STATUS


def _inputs_first(waiting: Mapping[str, StoredRecord]) -> list[StoredRecord]:
    """Orders records so that each comes after what it rests on; a cycle has no right order."""
    ordered: list[StoredRecord] = []
    entered: set[str] = set()
    for first in sorted(waiting):
        stack = [(first, False)]
        while stack:
            identifier, is_done = stack.pop()
            if is_done:
                ordered.append(waiting[identifier])
                continue
            if identifier in entered:
                continue
            entered.add(identifier)
            stack.append((identifier, True))
            stack.extend(
                (source, False)
                for source in inputs_of(waiting[identifier].record)
                if source in waiting and source not in entered
            )
    return ordered
