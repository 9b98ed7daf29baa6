"""Commits what takes long to decide, without deciding again under the store's lock.

The one door decides again under the lock when the ledger moved (see ``door``), which is right for
what is decided in a moment. What takes longer is decided while everybody else goes on writing;
under the lock it is only looked at whether what came in between bears on it. Where it does, the
lock is let go, and it is decided anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Generic, TypeVar

from memfs.errors import DataError, StoreError
from memfs.formats.record_codec import read_record
from memfs.model.operation import Plan
from memfs.model.record import Record
from memfs.services.door import Committed, Decided, commit_decided
from memfs.services.ports import Workspace
from memfs.services.settle import ContendedError
from memfs.store.layout import SETTINGS_PATH, is_record_path, is_reserved_path
from memfs.store.snapshot import Snapshot, TreeChange

BRIEF_S: Final = 0.5
"""Seconds of work; what is decided in less is decided again under the lock."""
MOST_CHANGES: Final = 500
"""So many changes are looked at under the lock; after more it is decided anew."""
_TRIES: Final = 5

Outcome = TypeVar("Outcome")
Bears = Callable[[Record, bool], bool]
"""Tells of a record that came, changed or went in between whether a decision rests on it.

The second argument says whether it is a new one.
"""


class _OvertakenError(Exception):
    """What came in between bears on what was decided."""


def commit_apart(
    workspace: Workspace, decide: Callable[[Snapshot], Decided[Outcome]], bears: Bears
) -> Committed[Outcome]:
    """Decides and commits like the one door; what takes long is decided without the lock alone.

    Args:
        workspace: The store.
        decide: As for ``commit_decided``.
        bears: What a decision rests on. A record that the plan names, a barrier, a hold and the
            settings always bear on it, and so does what cannot be read.

    Raises:
        ContendedError: What it rests on changed every time.
    """
    for _ in range(_TRIES):
        try:
            return commit_decided(workspace, _Apart(workspace, decide, bears).decided)
        except _OvertakenError:
            continue
    raise ContendedError(
        "what it was decided on changed every time before it could be written",
        hint="try again when less is written; nothing was written",
    )


@dataclass(slots=True)
class _Apart(Generic[Outcome]):
    """One decision, and what it was made on."""

    workspace: Workspace
    decide: Callable[[Snapshot], Decided[Outcome]]
    bears: Bears
    made: Decided[Outcome] | None = None
    on: Snapshot | None = None

    def decided(self, snapshot: Snapshot) -> Decided[Outcome]:
        """Decides; a second time takes what was decided over where that holds."""
        made, on = self.made, self.on
        if made is None or on is None or made.plan is None:
            began = time.thread_time()
            self.made = self.decide(snapshot)
            self.on = snapshot if time.thread_time() - began >= BRIEF_S else None
            if self.on is None:
                made, self.made = self.made, None
                return made
            return self.made
        if self._is_overtaken(made.plan, on, snapshot):
            raise _OvertakenError
        return replace(made, plan=replace(made.plan, base=snapshot.commit))

    def _is_overtaken(self, plan: Plan, on: Snapshot, snapshot: Snapshot) -> bool:
        changes = tuple(islice(snapshot.raw_changes_since(on), MOST_CHANGES + 1))
        if len(changes) > MOST_CHANGES:
            return True
        text = b"\n".join(change.content or b"" for change in plan.changes)
        planned = {change.path for change in plan.changes}
        return any(
            change.path in planned or self._does_bear(change, snapshot, text) for change in changes
        )

    def _does_bear(self, change: TreeChange, snapshot: Snapshot, text: bytes) -> bool:
        if change.path == SETTINGS_PATH or is_reserved_path(change.path):
            return True
        if not is_record_path(change.path):
            return False
        try:
            records = tuple(self._read(change, snapshot))
        except (DataError, StoreError):
            return True
        is_new = change.old is None
        return any(item.id.encode() in text or self.bears(item, is_new) for item in records)

    def _read(self, change: TreeChange, snapshot: Snapshot) -> Iterator[Record]:
        for blob in (change.old, change.new):
            if blob is not None:
                content = snapshot.read_blob(blob)
                yield read_record(content, path=change.path, registry=self.workspace.registry)
