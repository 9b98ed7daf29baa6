"""Status and doctor: how the store stands, and what can be mended without losing anything."""

from __future__ import annotations

from typing import Final

from memfs.index.catalogue import Catalogue
from memfs.model.evidence import EVIDENCE_KIND
from memfs.model.origin import Actor
from memfs.model.problem import Problem, Severity
from memfs.model.result import Result, ResultStatus
from memfs.model.values import JsonValue
from memfs.services.aftermath import resume
from memfs.services.catalogue import open_catalogue
from memfs.services.counting import records_by_kind
from memfs.services.gate import access_request
from memfs.services.gathering import Gathered
from memfs.services.inbox import is_visible, read_inbox
from memfs.services.ports import Workspace
from memfs.services.queue import JobState, counts, waiting_s
from memfs.services.reindex import index_status, rebuild
from memfs.services.sealing import find_missing_keys
from memfs.services.settle import settle
from memfs.services.writer_status import writer_status

_DAY_S: Final = 86_400
_MOST_DAYS: Final = 7


def status(workspace: Workspace, problems: tuple[Problem, ...], actor: Actor) -> Result:
    """Tells how the store stands, without any content.

    Args:
        workspace: The store.
        problems: What the last pass over the working tree found.
        actor: Who asks; a program is told of what it may read, and of no file by name.
    """
    store = workspace.store
    snapshot = store.snapshot()
    active = records_by_kind(workspace, snapshot, actor)
    inbox = read_inbox(workspace)
    waiting = sum(is_visible(item, actor) for item in inbox.waiting)
    found = (*problems, *inbox.problems)
    index = index_status(workspace)
    data: dict[str, JsonValue] = {
        "store_id": workspace.store_id,
        "project": workspace.settings.project,
        "mode": str(workspace.settings.mode),
        "ledger": store.ledger_head() or "",
        "main": store.main_head() or "",
        "branch": store.head_branch(),
        "records": active,
        "waiting": waiting,
        "held": len(snapshot.holds()),
        "problems": [str(item) if actor.is_person else item.code for item in found],
        "index": {
            "state": str(index.state),
            "ledger": index.ledger,
            "records": index.records if actor.is_person else sum(active.values()),
        },
        "scripted": list(workspace.settings.trust.scripted),
        "writer": writer_status(workspace, actor).value,
        "polluted": sorted(map(str, access_request(workspace, actor).polluted)),
        "sources_off": sorted(workspace.settings.sources_off),
    }
    if actor.is_person and workspace.embedder is not None:
        from memfs.services.vector_status import vector_values  # hardly any store has vectors

        data["vectors"] = vector_values(workspace)
    total = sum(active.values())
    words = [f"{total} record{'s' * (total != 1)}", f"{waiting} waiting"]
    if snapshot.holds():
        words.append(f"{len(snapshot.holds())} held")
    if found:
        words.append(f"{len(found)} problems")
    return Result(
        action="status",
        target=workspace.settings.project,
        status=ResultStatus.DONE,
        message=", ".join(words),
        store=str(store.root),
        data=data,
    )


def examine(workspace: Workspace, *, fix: bool) -> tuple[Problem, ...]:
    """Examines the store, its Git repository and its caches; mends with ``fix``.

    Mending never touches a record: it finishes interrupted writes, settles commits made by
    hand, restores the store's own Git configuration and hooks, rebuilds caches, and finishes
    the repair after a withdrawal.

    Returns:
        What is wrong, after mending when that was asked for.
    """
    if fix:
        workspace.store.mend()
        settle(workspace)
        rebuild_caches(workspace)
        resume(workspace, everything=True)
    problems = list(workspace.store.health())
    index = index_status(workspace)
    if index.reason and index.reason != "index.missing":
        problems.append(
            Problem(
                "cache",
                0,
                0,
                "index.unusable",
                f"expected a readable search index, got {index.reason}",
                "memfs rebuild",
                Severity.WARNING,
            )
        )
    problems.extend(read_inbox(workspace).problems)
    problems.extend(find_missing_keys(workspace))
    problems.extend(_stuck_jobs(workspace))
    return tuple(problems)


def _stuck_jobs(workspace: Workspace) -> tuple[Problem, ...]:
    """Tells of put-off work that failed for good, or that nobody does; nobody waits for it."""
    found: list[Problem] = []
    dead = counts(workspace)[JobState.DEAD]
    if dead:
        message = f"{dead} job{'s' * (dead > 1)} failed for good"
        hint = "see them with: memfs jobs list; then memfs jobs retry ID or cancel ID"
        found.append(Problem("queue", 0, 0, "queue.dead-jobs", message, hint, Severity.WARNING))
    days = waiting_s(workspace) // _DAY_S
    if days >= _MOST_DAYS:
        message = f"jobs have been due for {days} days and nobody does them"
        hint = "do them with: memfs jobs run; memfs watch does them as they come"
        found.append(Problem("queue", 0, 0, "queue.waiting", message, hint, Severity.WARNING))
    return tuple(found)


def rebuild_caches(workspace: Workspace) -> Result:
    """Deletes and rebuilds every index from the ledger; reports what they hold."""
    Catalogue.discard(workspace.cache_dir)
    snapshot = workspace.store.snapshot()
    gathered = Gathered(workspace, snapshot)
    catalogue = open_catalogue(workspace, snapshot, gathered.along)
    try:
        counts = catalogue.counts().items()
        rows = sum(number for (kind, _), number in counts if kind != EVIDENCE_KIND)
    finally:
        catalogue.close()
    built = rebuild(workspace, gathered)
    return Result(
        action="rebuild",
        target=workspace.settings.project,
        status=ResultStatus.DONE,
        message=f"rebuilt from {built.ledger[:8]}: {rows} records, {built.records} searchable",
        store=str(workspace.store.root),
        data={"ledger": built.ledger, "records": rows, "searchable": built.records},
    )
