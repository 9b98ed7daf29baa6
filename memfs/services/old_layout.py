"""An older layout of a store, and the one commit that brings it up to the present one (O62).

Older stores keep all tombstones in one folder, which makes every operation on them slower as they
grow. They are moved, byte for byte, to where they are kept now; both places are read, so that
nothing is served at any moment that a tombstone bars. The history keeps the old places.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from memfs.model.operation import FileChange, OperationKind
from memfs.model.origin import SYSTEM_ACTOR
from memfs.policy.administration import decide_tombstone
from memfs.services.door import Decided, commit_decided
from memfs.services.ports import Workspace
from memfs.services.proposals import plan_from
from memfs.store.layout import TOMBSTONE_FOLDER, tombstone_path
from memfs.store.snapshot import Snapshot

_PARTS = 2


def old_places(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Yields each path of an older layout with the one that it has now, sorted."""
    for entry in snapshot.raw_entries(f"{TOMBSTONE_FOLDER}/"):
        place = PurePosixPath(entry.path)
        moved = tombstone_path(place.stem)
        is_old = len(place.parts) == _PARTS and place.suffix == ".json"
        if is_old and snapshot.raw_entry(moved) is None:
            yield entry.path, moved


def move_layout(workspace: Workspace) -> int:
    """Moves what stands at old places, in one commit; returns how much that was."""

    def decide_on(snapshot: Snapshot) -> Decided[int]:
        decision = decide_tombstone(workspace.settings)
        changes: list[FileChange] = []
        moved = 0
        for old, new in old_places(snapshot):
            standing = snapshot.raw_entry(old)
            if standing is None:
                continue
            moved += 1
            content = snapshot.read_blob(standing.blob)
            changes += (
                FileChange(path=old, content=None, expected=standing.blob, decision=decision),
                FileChange(path=new, content=content, expected=None, decision=decision),
            )
        if not changes:
            return Decided(0)
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.REPAIR,
            actor=SYSTEM_ACTOR,
            drafts=(),
            subject=f"{moved} files of an older layout",
            extra=tuple(changes),
        )
        return Decided(moved, plan)

    return commit_decided(workspace, decide_on).outcome
