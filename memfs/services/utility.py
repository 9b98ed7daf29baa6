"""Reads from the ledger how records turned out; recall needs it of a handful of them.

Imports nothing that a question does not need, and reads nothing where nobody said anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from memfs.model.record import Record, StoredRecord
from memfs.services.ports import Workspace
from memfs.services.served_records import read_records
from memfs.store.layout import subject_prefix
from memfs.store.snapshot import Snapshot

if TYPE_CHECKING:
    from memfs.model.outcome import UseOutcome, Utility

_KIND: Final = "outcome"
MOST_READ: Final = 200
"""Of one record so many outcomes are read; whoever uses one that often knows it by then."""


def outcomes_of(
    workspace: Workspace, snapshot: Snapshot, identifier: str
) -> tuple[UseOutcome, ...]:
    """Returns the outcomes that count of all versions of one record, oldest first."""
    records = [stored.record for stored in _read(workspace, snapshot, identifier)]
    if not records:
        return ()
    from memfs.policy.utility import standing_outcomes  # of hardly any record is anything said

    return standing_outcomes(records)


def utilities(
    workspace: Workspace, snapshot: Snapshot, records: Iterable[Record]
) -> dict[str, Utility]:
    """Returns what records have proved to be good for, by reference; without those of no use."""
    found = {}
    for record in records:
        outcomes = outcomes_of(workspace, snapshot, record.id)
        if not outcomes:
            continue
        from memfs.policy.utility import utility_of

        utility = utility_of(outcomes, record.reference)
        if utility.count:
            found[record.reference] = utility
    return found


def _read(workspace: Workspace, snapshot: Snapshot, identifier: str) -> Iterator[StoredRecord]:
    kind = workspace.registry.get(_KIND)
    if kind is None or not identifier:
        return
    entries = list(snapshot.entries(subject_prefix(kind, identifier)))[-MOST_READ:]
    if entries:
        places = ((entry.path, entry.blob) for entry in entries)
        yield from read_records(workspace, snapshot, places)
