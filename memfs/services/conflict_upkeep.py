"""Keeps conflict sets and marks true to the records, in the commit that changes them (A15).

Every plan passes here on its way through the door, after its barrier, so that no operation,
whoever planned it, can leave a contradiction unmarked or a mark without a contradiction. Only
the keys that a plan touches are looked at; a plan that touches none costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from memfs.errors import DataError
from memfs.formats.record_codec import update_record
from memfs.index.catalogue import Catalogue
from memfs.model.conflict import CONFLICT_KIND, Conflict, Resolution, conflict_from
from memfs.model.decision import Decision
from memfs.model.limits import LIST_ITEMS
from memfs.model.operation import FileChange, Plan
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.record import Record, StoredRecord
from memfs.model.status import Status
from memfs.policy.administration import decide_conflict_settlement
from memfs.policy.authority import capture_origin, derive_sensitivity, derive_sinks
from memfs.policy.conflict_sets import (
    ClaimKey,
    conflict_groups,
    continued,
    contradictions,
    key_of,
    resolution_of,
)
from memfs.policy.withdrawal import is_standing
from memfs.services.catalogue import open_catalogue, read_entries, same_subject_entries
from memfs.services.ports import Workspace
from memfs.services.proposals import NAMED_RECORDS, kind_of, place_new
from memfs.services.served_records import read_strictly, record_from
from memfs.store.layout import hold_path, is_record_path
from memfs.store.snapshot import Snapshot

_MENTIONS: Final = (b"subject:", b'"subject"')


def with_conflict_sets(workspace: Workspace, snapshot: Snapshot, plan: Plan) -> Plan:
    """Returns the plan with every change that the conflicts of its keys need.

    Args:
        workspace: The store.
        snapshot: The served records that the plan was decided on.
        plan: What is about to be committed, its barrier included.
    """
    before, after = _records_of(workspace, snapshot, plan)
    keys = {
        key
        for record in (*before.values(), *after.values())
        if (key := key_of(record, registry=workspace.registry, project=workspace.scope))
    }
    if not keys:
        return plan
    upkeep = _Upkeep(workspace, snapshot, plan, after)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        for key in sorted(keys):
            upkeep.settle(catalogue, key)
    return upkeep.plan()


def _records_of(
    workspace: Workspace, snapshot: Snapshot, plan: Plan
) -> tuple[Mapping[str, Record], dict[str, Record]]:
    """Returns the records that a plan changes and makes, by path, those with a subject alone."""
    before: dict[str, Record] = {}
    after: dict[str, Record] = {}
    changes = [change for change in plan.changes if is_record_path(change.path)]
    for old in read_strictly(workspace, snapshot, (change.path for change in changes)):
        if old.record.subject:
            before[old.path] = old.record
    for change in changes:
        if change.content is None or not any(word in change.content for word in _MENTIONS):
            continue
        new = record_from(workspace, change.path, "", change.content)
        if new is not None and new.record.subject:
            after[change.path] = new.record
    return before, after


@dataclass(slots=True)
class _Upkeep:
    """What one plan makes of the conflicts of its keys."""

    workspace: Workspace
    snapshot: Snapshot
    given: Plan
    planned: dict[str, Record]
    changes: dict[str, FileChange] = field(default_factory=dict)
    touched: list[str] = field(default_factory=list)
    shards: dict[str, int] = field(default_factory=dict)
    of_key: dict[ClaimKey, list[str]] = field(default_factory=dict)
    now: datetime = field(init=False)
    decision: Decision = field(init=False)

    def __post_init__(self) -> None:
        self.changes = {change.path: change for change in self.given.changes}
        self.now = self.given.at
        self.decision = decide_conflict_settlement(self.workspace.settings)
        for path, record in self.planned.items():
            key = self._key(record)
            if key is not None:
                self.of_key.setdefault(key, []).append(path)

    def plan(self) -> Plan:
        """Returns the plan with what was settled."""
        names = tuple(dict.fromkeys((*self.given.records, *self.touched)))
        return replace(
            self.given,
            changes=tuple(self.changes.values()),
            records=names if len(names) <= NAMED_RECORDS else self.given.records,
        )

    def settle(self, catalogue: Catalogue, key: ClaimKey) -> None:
        """Brings marks and sets of one key up to what the plan leaves behind."""
        found = self._left_behind(catalogue, key)
        claims = {item.record.id: item for item in found if self._key(item.record) == key}
        sets = {
            conflict.id: (stored, conflict)
            for stored in found
            if (conflict := conflict_from(stored.record)) is not None
            and conflict.about_kind == key.kind
            and conflict.is_open
        }
        marks = contradictions(
            [item.record for item in claims.values()],
            registry=self.workspace.registry,
            project=self.workspace.scope,
            now=self.now,
        )
        for stored in claims.values():
            self._mark(stored, marks.get(stored.record.id, ()))
        groups = conflict_groups(marks)
        grouped = frozenset(name for group in groups for name in group)
        kept = continued(groups, [conflict for _, conflict in sets.values()])
        for group, conflict in zip(groups, kept, strict=True):
            members = [claims[name].record for name in group[:LIST_ITEMS]]
            if conflict is None:
                self._open(members)
            else:
                self._extend(sets.pop(conflict.id)[0], members)
        records = {name: item.record for name, item in claims.items()}
        for stored, conflict in sets.values():
            self._close(stored, conflict, records, grouped)

    def _key(self, record: Record) -> ClaimKey | None:
        workspace = self.workspace
        return key_of(record, registry=workspace.registry, project=workspace.scope)

    def _left_behind(self, catalogue: Catalogue, key: ClaimKey) -> list[StoredRecord]:
        """Returns the records of a key as the plan leaves them, conflicts among them."""
        rows = same_subject_entries(self.workspace, catalogue, key.subject, key.scope)
        standing = {item.path: item for item in read_entries(self.workspace, self.snapshot, rows)}
        left = {path: item for path, item in standing.items() if path not in self.changes}
        of_sets = (path for path in standing if self._plans_set(path))
        for path in (*self.of_key.get(key, ()), *of_sets):
            blob = standing[path].blob if path in standing else ""
            left[path] = StoredRecord(record=self.planned[path], path=path, blob=blob)
        return [left[path] for path in sorted(left)]

    def _plans_set(self, path: str) -> bool:
        return path in self.planned and self.planned[path].kind == CONFLICT_KIND

    def _mark(self, stored: StoredRecord, others: tuple[str, ...]) -> None:
        if stored.record.conflicts != others:
            self._write(stored, replace(stored.record, conflicts=others))

    def _open(self, members: list[Record]) -> None:
        first = members[0]
        names = tuple(record.reference for record in members)
        record = Record(
            kind=CONFLICT_KIND,
            scope=first.scope or self.workspace.scope,
            subject=first.subject,
            observed=self.now,
            origin=capture_origin(SYSTEM_ACTOR, " ".join(names)),
            fields={"members": list(names), "about_kind": first.kind},
        )
        record = _labelled(record, members)
        kind = kind_of(self.workspace, record)
        shards = self.shards or dict(self.snapshot.shard_sizes(kind.folder))
        self.shards = shards
        draft = place_new(self.workspace, record, self.decision, shards=shards)
        self.touched.append(draft.record.reference)
        self.changes[draft.path] = FileChange(
            path=draft.path, content=draft.content, expected=None, decision=self.decision
        )

    def _extend(self, stored: StoredRecord, members: list[Record]) -> None:
        names = [record.reference for record in members]
        record = _labelled(stored.record, [stored.record, *members])
        record = replace(record, fields={**record.fields, "members": names})
        if record != stored.record:
            self._write(stored, record)

    def _close(
        self,
        stored: StoredRecord,
        conflict: Conflict,
        records: Mapping[str, Record],
        grouped: frozenset[str],
    ) -> None:
        """Ends a set; what it was about is not told any longer, it may have been forgotten."""
        ended = resolution_of(
            conflict, records, grouped, operation=self.given.operation, actor=self.given.actor
        )
        kept = [
            name for name in conflict.member_ids if name in records and is_standing(records[name])
        ]
        fields = {**stored.record.fields, "resolution": str(ended)}
        if kept and ended is not Resolution.MERGED:
            fields["kept"] = kept
        self._write(
            stored, replace(stored.record, status=Status.EXPIRED, subject="", fields=fields)
        )

    def _write(self, stored: StoredRecord, record: Record) -> None:
        """Puts a new text of a file into the plan; a file that cannot be edited stays."""
        path, standing = stored.path, self.changes.get(stored.path)
        if standing is None and self.snapshot.raw_entry(hold_path(path)) is not None:
            # A commit made by hand waits here; deciding on it settles the key again.
            return
        before = standing.content if standing is not None else None
        try:
            content = update_record(
                before if before is not None else self.snapshot.read_blob(stored.blob),
                record,
                path=path,
                registry=self.workspace.registry,
            )
        except DataError:
            return
        # Every record that a commit touches is named by it: the audit asks for that.
        self.touched.append(record.reference)
        if standing is not None:
            self.changes[path] = replace(standing, content=content)
        else:
            self.changes[path] = FileChange(
                path=path, content=content, expected=stored.blob, decision=self.decision
            )


def _labelled(record: Record, members: Iterable[Record]) -> Record:
    """Returns a set kept as closely as the closest of its members."""
    chosen = tuple(members)
    return replace(
        record,
        sensitivity=derive_sensitivity(item.sensitivity for item in chosen),
        sinks=derive_sinks(item.sinks for item in chosen),
    )
