"""Forgetting: the file goes, a content-free tombstone stays, what rested on it is withheld.

Deleting a source is another thing than forgetting what was learned from it (A63): with an
envelope go the words that were kept of it, and the tombstone bars the source. With anything go
the edges that were drawn at it. The barrier around everything that rests on either is set where
every plan passes (see ``memfs.services.barrier``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing

from memfs.index.catalogue import Catalogue
from memfs.model.decision import Decision
from memfs.model.graph import EdgeSort
from memfs.model.operation import FileChange
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.policy.administration import decide_forget, decide_operation
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.ports import Workspace
from memfs.services.tombstones import SOURCE_KIND, tombstone_change, tombstone_of
from memfs.store.snapshot import Snapshot

EXCERPT_KIND = "excerpt"


def forget_changes(
    workspace: Workspace,
    snapshot: Snapshot,
    path: str,
    target: StoredRecord | None,
    actor: Actor,
) -> tuple[tuple[FileChange, ...], Decision]:
    """Returns the changes that forget the record at ``path``, and the decision on them.

    A path without an admitted record is only removed from the branch; it leaves no tombstone.
    """
    if target is not None:
        return forget_each(workspace, snapshot, (target,), actor)
    decision = decide_operation("record.forget", actor, workspace.settings)
    tip = snapshot.raw_entry(path)
    if not decision.is_admitted or tip is None:
        return (), decision
    return (FileChange(path=path, content=None, expected=tip.blob, decision=decision),), decision


def forget_each(
    workspace: Workspace, snapshot: Snapshot, targets: Sequence[StoredRecord], actor: Actor
) -> tuple[tuple[FileChange, ...], Decision]:
    """Returns the changes that forget several records at once, and the decision on them.

    One that may not be forgotten keeps all of them; the decision is the one about it.
    """
    changes: list[FileChange] = []
    decision = decide_operation("record.forget", actor, workspace.settings)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        whole = with_words(workspace, snapshot, catalogue, targets)
        for target in with_edges(workspace, snapshot, catalogue, whole):
            decision = decide_forget(actor, target.record, workspace.settings)
            if not decision.is_admitted:
                return (), decision
            changes.extend(removal(workspace, snapshot, catalogue, target, decision))
    return tuple(changes), decision


def removal(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    target: StoredRecord,
    decision: Decision,
) -> tuple[FileChange, ...]:
    """Returns the two changes that forget one record: its file, and its tombstone."""
    tombstone = tombstone_of(workspace, snapshot, catalogue, target.record)
    grave = tombstone_change(snapshot, tombstone, decision)
    tip = snapshot.raw_entry(target.path)
    if tip is None:
        return (grave,)
    return (
        FileChange(path=target.path, content=None, expected=tip.blob, decision=decision),
        grave,
    )


def with_words(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    targets: Iterable[StoredRecord],
) -> tuple[StoredRecord, ...]:
    """Returns the targets, and with each source the excerpts that keep its words, each once."""
    found: dict[str, StoredRecord] = {}
    for target in targets:
        found.setdefault(target.path, target)
        if target.record.kind != SOURCE_KIND:
            continue
        rows = [row for row in catalogue.dependents([target.record.id]) if row.kind == EXCERPT_KIND]
        for excerpt in read_entries(workspace, snapshot, rows):
            found.setdefault(excerpt.path, excerpt)
    return tuple(found.values())


def with_edges(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    targets: Sequence[StoredRecord],
) -> tuple[StoredRecord, ...]:
    """Returns the targets and the edges that would lead to them and nowhere then (M18)."""
    found = {target.path: target for target in targets}
    ids = {target.record.id for target in targets}
    links = catalogue.links_of(ids, sorts=[EdgeSort.ASSERTED])
    # An edge that leads to what a target was merged into stays: it leads somewhere.
    paths = {link.path for link in links if ids & {link.start, link.end}}
    rows = [row for path in sorted(paths) if (row := catalogue.by_path(path)) is not None]
    for edge in read_entries(workspace, snapshot, rows):
        found.setdefault(edge.path, edge)
    return tuple(found.values())
