"""Reads tasks and their trees as one reader may see them.

The way through a tree follows the files that are there, whoever may read them; their words go
through the read gate step by step, so that what is closed shows in nothing but its absence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing

from memfs.domains.execution.kinds import STEP
from memfs.domains.execution.records import before_of, step_from, task_from
from memfs.errors import ConflictError
from memfs.index.catalogue import Catalogue, CatalogueFilter
from memfs.model.candidate import Submission
from memfs.model.execution import STEP_KIND, TASK_KIND, Move, Step, Task
from memfs.model.execution_tree import Tree
from memfs.model.frozen import frozen
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.policy.access import AccessRequest
from memfs.policy.authority import capture_origin
from memfs.policy.verification import is_nothing_more
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.reading import find_record, served_at, served_from
from memfs.services.served_records import read_records
from memfs.store.layout import subject_prefix
from memfs.store.snapshot import Snapshot


class NoTaskError(ConflictError):
    """The reference names a record that is no task."""

    code = "conflict.no-task"


@frozen
class TaskView:
    """A task as one reader may see it.

    Attributes:
        stored: Its record.
        tree: Its steps.
        effects: How each linked effect stands, as its own record says now; by id, and only of
            those that the reader may see.
        holds: Of each step that names something to be looked up, whether it is found now.
        commit: Commit of the project that is checked out now; empty when unknown.
        rules: What has to hold now, as the reader may see it.
    """

    stored: StoredRecord
    tree: Tree
    effects: Mapping[str, str]
    holds: Mapping[str, bool]
    commit: str = ""
    rules: tuple[str, ...] = ()


def find_task(
    workspace: Workspace, snapshot: Snapshot, reference: str, request: AccessRequest
) -> StoredRecord:
    """Finds the one task that ``reference`` names and that the reader may see whole.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        AmbiguousRecordError: More than one does.
        NoTaskError: It names something else.
    """
    stored = find_record(workspace, snapshot, reference, request)
    if stored.record.kind != TASK_KIND or not stored.path:
        raise NoTaskError(
            f"expected a task, got the {stored.record.kind} {stored.record.id}",
            hint="see: memfs exec list",
        )
    return stored


def read_tree(
    workspace: Workspace, snapshot: Snapshot, stored: StoredRecord, request: AccessRequest
) -> Tree:
    """Reads the steps of a task."""
    task = task_from(stored.record)
    entries = {entry.path: entry.blob for entry in snapshot.entries(subject_prefix(STEP, task.id))}
    steps: dict[str, Step] = {}
    lineage: dict[str, tuple[str, ...]] = {}
    for path, record in _served(workspace, snapshot, entries, request):
        step = step_from(record) if _is_step(record, task) else None
        if step is not None:
            steps[step.id] = step
            lineage[step.id] = step.before
            entries.pop(path, None)
    # What the reader may not see is there all the same: the way goes through it.
    for unseen in read_records(workspace, snapshot, entries.items()):
        if _is_step(unseen.record, task):
            lineage[unseen.record.id] = before_of(unseen.record)
    return Tree(task=task, steps=steps, lineage=lineage)


def _served(
    workspace: Workspace, snapshot: Snapshot, paths: Iterable[str], request: AccessRequest
) -> Iterator[tuple[str, Record]]:
    for stored in served_at(workspace, snapshot, tuple(paths), request):
        if stored.path:
            yield stored.path, stored.record


def _is_step(record: Record, task: Task) -> bool:
    return record.kind == STEP_KIND and record.subject == task.id


def list_tasks(workspace: Workspace, actor: Actor, *, is_all: bool = False) -> tuple[Task, ...]:
    """Lists tasks that the actor may see, newest first: the open ones, or all of them."""
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        rows = catalogue.listing(CatalogueFilter(kinds=(TASK_KIND,)))
        served = tuple(served_from(workspace, snapshot, rows, request))
    tasks = (task_from(stored.record) for stored in served if stored.path)
    return tuple(task for task in tasks if is_all or not task.state.is_closed)


def found_now(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    steps: Iterable[Step],
    request: AccessRequest,
) -> Mapping[str, bool]:
    """Looks up what steps name: a field is found where its value is what was looked up, alone."""
    from memfs.services.verifiers import verified  # most tasks name nothing to look up

    found: dict[str, bool] = {}
    for step in steps:
        if step.move is not Move.MAINTAIN or not step.checks:
            continue
        rows = catalogue.by_ids(step.evidence)
        evidence = {
            stored.record.id: stored.record
            for stored in served_from(workspace, snapshot, rows, request)
        }
        claim = Record(kind="fact", body=step.value)
        origin = capture_origin(request.actor, step.value)
        submission = Submission(draft=claim, origin=origin, checks=step.checks)
        answers = verified(workspace, submission, evidence)
        holds = all(answer.holds for answer in answers)
        found[step.id] = holds and is_nothing_more(claim, answers)
    return found
