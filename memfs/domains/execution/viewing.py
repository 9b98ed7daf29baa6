"""A task as one reader sees it now: its tree, how its effects stand, what can still be found.

Nothing of that is kept anywhere: it is read and looked up each time, so that it is the same after
a crash, in another working tree and after the project moved to another commit (A64, A67).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from memfs.domains.execution.effects import effects_now
from memfs.domains.execution.reading import TaskView, find_task, found_now, read_tree
from memfs.index.catalogue import Catalogue
from memfs.model.execution_tree import Tree
from memfs.model.ids import is_id, prefix_of
from memfs.model.record import Record, StoredRecord
from memfs.policy.access import AccessRequest
from memfs.services.catalogue import open_catalogue
from memfs.services.ports import Workspace
from memfs.services.project_head import project_commit
from memfs.services.reading import served_from
from memfs.store.snapshot import Snapshot

_SUCCESSORS = 16


def view_task(workspace: Workspace, reference: str, request: AccessRequest) -> TaskView:
    """Returns one task as the reader may see it now.

    Raises:
        UnknownRecordError: There is none, or none that may be seen.
        NoTaskError: It is something else.
    """
    snapshot = workspace.store.snapshot()
    stored = find_task(workspace, snapshot, reference, request)
    tree = read_tree(workspace, snapshot, stored, request)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        return TaskView(
            stored=stored,
            tree=tree,
            effects=effects_now(workspace, snapshot, catalogue, _linked(tree), request),
            holds=found_now(workspace, snapshot, catalogue, tree.path, request),
            commit=project_commit(workspace),
            rules=tuple(_rules(workspace, snapshot, catalogue, stored, request)),
        )


def _linked(tree: Tree) -> Iterator[str]:
    for step in tree.steps.values():
        yield from step.effects


def _rules(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    stored: StoredRecord,
    request: AccessRequest,
) -> Iterator[str]:
    """Yields what has to hold: words as they are, and what the records that are named say now.

    A record that was replaced counts as what took its place; one that was taken back, or that the
    reader may not see, says nothing any more.
    """
    constraints = stored.record.fields.get("constraints")
    for text in constraints if isinstance(constraints, list | tuple) else ():
        if not isinstance(text, str):
            continue
        if not (is_id(text) and prefix_of(text)):
            yield text
            continue
        record = _newest(workspace, snapshot, catalogue, text, request)
        if record is not None:
            yield f"{record.title or record.body.strip()} ({record.reference})"


def _newest(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    name: str,
    request: AccessRequest,
) -> Record | None:
    from memfs.services.catalogue import read_entries  # hardly any constraint names a record

    seen: set[str] = set()
    while name and name not in seen and len(seen) < _SUCCESSORS:
        seen.add(name)
        rows = catalogue.by_id(name)
        served = tuple(served_from(workspace, snapshot, rows, request))
        if served:
            return served[0].record
        replaced = read_entries(workspace, snapshot, rows)
        name = replaced[0].record.superseded_by if replaced else ""
    return None
