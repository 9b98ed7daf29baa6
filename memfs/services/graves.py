"""Tombstones where histories meet: what a foreign commit brings back, or brings as forgotten.

A record that a tombstone bars is taken out of the branch again, whoever merged, reverted or
restored it. A tombstone that arrives is kept, since a deletion that was asked for elsewhere is
honoured before it is discussed: what it bars is served no more, and a person decides about the
file (A62). A tombstone that is missing or was changed is put back, like everything that memfs
alone writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import cached_property

from memfs.errors import DataError
from memfs.formats.record_codec import decode_record
from memfs.formats.tombstone_codec import decode_tombstone
from memfs.model.operation import FileChange
from memfs.model.record import StoredRecord
from memfs.model.tombstone import Tombstone
from memfs.policy.administration import decide_tombstone
from memfs.services.barrier import barred_change, descendants_of
from memfs.services.catalogue import open_catalogue
from memfs.services.ports import Workspace
from memfs.services.tombstones import barred_records, claim_mark
from memfs.store.layout import hold_path, is_record_path, is_tombstone_path
from memfs.store.snapshot import Snapshot, TreeChange


class Graves:
    """What tombstones say to the difference between the ledger and the branch."""

    def __init__(
        self,
        workspace: Workspace,
        admitted: Snapshot,
        found: Snapshot,
        changes: Sequence[TreeChange],
    ) -> None:
        self._workspace = workspace
        self._admitted = admitted
        self._changed = frozenset(change.path for change in changes)
        self._arriving = _arriving(found, changes)
        self._withdrawn = self._hit() if self._arriving else {}
        self._barred = frozenset(
            change.path for change in changes if self._brings_back(found, change)
        )

    def is_arriving(self, change: TreeChange) -> bool:
        """Whether a change is a tombstone that is to be kept."""
        return change.path in self._arriving

    def is_barred(self, change: TreeChange) -> bool:
        """Whether a change brings back what was forgotten."""
        return change.path in self._barred

    def is_withdrawn(self, change: TreeChange) -> bool:
        """Whether an arriving tombstone bars the record that is served from this path."""
        return change.path in self._withdrawn

    def removal(self, change: TreeChange) -> FileChange:
        """Returns the change that takes a barred file out of the branch again."""
        return FileChange(
            path=change.path,
            content=None,
            expected=change.new,
            decision=decide_tombstone(self._workspace.settings),
        )

    def barriers(self) -> tuple[FileChange, ...]:
        """Withholds what an arriving tombstone bars, and all that rests on it."""
        return tuple(
            barred_change(self._workspace, self._admitted, stored) for stored in self._withheld
        )

    @property
    def names(self) -> tuple[str, ...]:
        """References of what the barriers withhold, for the trailers of the commit."""
        return tuple(stored.record.reference for stored in self._withheld)

    @cached_property
    def _withheld(self) -> tuple[StoredRecord, ...]:
        roots = tuple(self._withdrawn.values())
        if not roots:
            return ()
        reached = descendants_of(self._workspace, self._admitted, roots)
        return tuple(
            stored
            for stored in (*roots, *reached)
            if stored.path not in self._changed and hold_path(stored.path) not in self._changed
        )

    def _hit(self) -> dict[str, StoredRecord]:
        with closing(open_catalogue(self._workspace, self._admitted)) as catalogue:
            return {
                stored.path: stored
                for tombstone in self._arriving.values()
                for stored in barred_records(self._workspace, self._admitted, catalogue, tombstone)
            }

    def _brings_back(self, found: Snapshot, change: TreeChange) -> bool:
        if change.new is None or change.old is not None or not is_record_path(change.path):
            return False
        decoded = decode_record(
            found.read_blob(change.new),
            path=change.path,
            registry=self._workspace.registry,
            draft=True,
        )
        if decoded.record is None:
            return False
        marks = {decoded.record.id, claim_mark(self._workspace, decoded.record)} - {""}
        if any(marks.intersection(item.all_marks) for item in self._arriving.values()):
            return True
        with closing(open_catalogue(self._workspace, self._admitted)) as catalogue:
            return bool(catalogue.tombstones_with(marks))


def _arriving(found: Snapshot, changes: Sequence[TreeChange]) -> dict[str, Tombstone]:
    arriving = {}
    for change in changes:
        if change.new is None or change.old is not None or not is_tombstone_path(change.path):
            continue
        try:
            arriving[change.path] = decode_tombstone(found.read_blob(change.new), change.path)
        except DataError:
            continue
    return arriving
