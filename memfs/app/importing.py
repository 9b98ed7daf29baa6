"""Import: a foreign memory becomes candidates or, accepted by a person, one commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import replace
from pathlib import Path
from typing import Final

from memfs.domains.graph.placing import placed_graph
from memfs.domains.nodes.imported import relate_imported, relations_said
from memfs.domains.runs.tracker_import import placed_issues
from memfs.errors import AccessError, UsageError
from memfs.interop.pipeline import ImportBatch, read_items, submissions_from
from memfs.model.candidate import Submission
from memfs.model.instants import format_instant
from memfs.model.origin import Actor
from memfs.model.problem import Problem, Severity
from memfs.model.result import Result, ResultStatus
from memfs.model.status import Status
from memfs.policy.administration import decide_import_accept
from memfs.services.batches import BatchReport, admit_batch
from memfs.services.import_marks import marked_import, records_from
from memfs.services.modes import require_taking
from memfs.services.placed_ids import placed_ids
from memfs.services.ports import Workspace
from memfs.store.discovery import store_around

_SHOWN: Final = 20


class MayNotAcceptImportError(AccessError):
    """Only a person accepts a batch at once."""

    code = "access.import-needs-person"


class StoreIsNoSourceError(UsageError):
    """The files of a store are no source: among them is what was withdrawn, and what waits."""

    code = "import.store"


def import_path(
    workspace: Workspace,
    path: Path,
    actor: Actor,
    *,
    format_name: str = "auto",
    accept: bool = False,
    dry_run: bool = False,
    name: str = "",
) -> Result:
    """Imports the file or folder at ``path``; the source is only read.

    Args:
        workspace: The store.
        path: A file or folder.
        actor: Who imports.
        format_name: Name of an importer, or ``auto`` to recognise it.
        accept: Take the whole batch in one commit; for a person only.
        dry_run: Read and judge nothing, write nothing, show what would be imported.
        name: Name of the batch; by default one made of the time and the format.

    Returns:
        Counts, the first titles as a preview, and every malformed item with its place.

    Raises:
        MayNotAcceptImportError: An agent asked to accept.
        MemoryModeError: The store takes nothing in.
        StoreIsNoSourceError: The path is a store of memfs, or in one.
        ImportSourceError: The path cannot be read as any known format.
    """
    check_import(workspace, actor, accept=accept, dry_run=dry_run)
    require_no_store(path)
    batch = read_items(path, format_name)
    return import_batch(workspace, batch, actor, accept=accept, dry_run=dry_run, name=name)


def require_no_store(path: Path) -> None:
    """Lets nobody read the files of a store as if they were notes.

    Raises:
        StoreIsNoSourceError: The path is a store of memfs, or in one.
    """
    store = store_around(path)
    if store is not None:
        raise StoreIsNoSourceError(
            "expected what another system kept, got a store of memfs",
            path=str(path),
            hint=f"what may leave it is moved with: memfs migrate {store}",
        )


def check_import(workspace: Workspace, actor: Actor, *, accept: bool, dry_run: bool) -> None:
    """Lets nobody import where nothing is taken in, and nobody but a person accept at once.

    Raises:
        MayNotAcceptImportError: An agent asked to accept.
        MemoryModeError: The store takes nothing in.
    """
    if not dry_run:
        require_taking(workspace)
    if accept and not decide_import_accept(actor, workspace.settings).is_admitted:
        raise MayNotAcceptImportError(
            f"expected a person to accept an import, got {actor}",
            hint="import without --accept; a person accepts it with memfs review",
        )


def import_batch(
    workspace: Workspace,
    batch: ImportBatch,
    actor: Actor,
    *,
    accept: bool = False,
    dry_run: bool = False,
    name: str = "",
    known: Container[str] = (),
) -> Result:
    """Imports what was read; see :func:`import_path`. Whether that may be was checked before.

    ``known`` are digests of items that came in before, whatever became of them since.
    """
    path, passed = batch.path, 0
    submissions: list[Submission] = []
    problems: list[Problem] = []
    for item in submissions_from(batch, actor=actor, now=workspace.clock.now()):
        if isinstance(item, Submission) and item.key in known:
            passed += 1
        elif isinstance(item, Submission):
            submissions.append(replace(item, is_confirmed=accept) if accept else item)
        else:
            problems.extend(item.problems)
    placed = placed_issues(workspace, submissions, actor)
    named = placed_ids(workspace, placed_graph(workspace, placed.submissions, actor))
    submissions, problems = _ending(list(named.submissions)), [*problems, *placed.problems]
    if dry_run:
        return _preview(workspace, path, batch.format, submissions, problems)
    name = name or f"import-{format_instant(workspace.clock.now())}-{batch.format}"
    related = [item.key for item in submissions if relations_said(item.draft)]
    if accept and related:
        report = _admitted_with_edges(workspace, submissions, actor, path, name, related)
    else:
        report = admit_batch(workspace, submissions, actor, batch=name)
    report = replace(report, known=report.known + placed.known + named.known + passed)
    return _result(workspace, path, batch.format, report, problems)


def _admitted_with_edges(
    workspace: Workspace,
    submissions: list[Submission],
    actor: Actor,
    path: Path,
    name: str,
    related: list[str],
) -> BatchReport:
    """Admits a batch, and makes edges of what its nodes related to once both ends are there."""
    with marked_import(workspace, path) as is_unfinished:
        report = admit_batch(workspace, submissions, actor, batch=name)
        ends = records_from(workspace, related) if is_unfinished else report.activated
        relate_imported(workspace, ends, actor, is_confirmed=True)
    return report


def _ending(submissions: list[Submission]) -> list[Submission]:
    """Takes marks away by which things would have replaced each other in a circle."""
    heirs = {item.draft.id: item.draft.superseded_by for item in submissions if item.draft.id}
    found: list[Submission] = []
    for item in submissions:
        start, heir, passed = item.draft.id, item.draft.superseded_by, set[str]()
        while heir and heir != start and heir not in passed:
            passed.add(heir)
            heir = heirs.get(heir, "")
        if heir and heir == start:
            stands = replace(item.draft, status=Status.ACTIVE, superseded_by="")
            item = replace(item, draft=stands)
        found.append(item)
    return found


def _counts(submissions: list[Submission]) -> dict[str, int]:
    return dict(sorted(Counter(item.draft.kind for item in submissions).items()))


def _preview(
    workspace: Workspace,
    path: Path,
    format_name: str,
    submissions: list[Submission],
    problems: list[Problem],
) -> Result:
    return Result(
        action="import",
        target=str(path),
        status=ResultStatus.NOTHING,
        message=f"would import {len(submissions)} claims as {format_name}; nothing was written",
        store=str(workspace.store.root),
        data={
            "format": format_name,
            "kinds": _counts(submissions),
            "items": len(submissions),
            "preview": [item.draft.title for item in submissions[:_SHOWN]],
            "problems": [str(problem) for problem in problems],
        },
    )


def _result(
    workspace: Workspace,
    path: Path,
    format_name: str,
    report: BatchReport,
    problems: list[Problem],
) -> Result:
    parts = [
        f"{len(report.activated)} recorded" if report.activated else "",
        f"{len(report.waiting)} wait for review" if report.waiting else "",
        f"{report.known} known already" if report.known else "",
        f"{len(report.refused)} refused" if report.refused else "",
        f"{len(problems)} problems" if problems else "",
    ]
    has_errors = any(problem.severity is Severity.ERROR for problem in problems)
    status = ResultStatus.DONE
    if has_errors or report.refused:
        status = ResultStatus.PROBLEMS
    elif not report.activated and not report.waiting:
        status = ResultStatus.NOTHING
    return Result(
        action="import",
        target=str(path),
        status=status,
        message=", ".join(part for part in parts if part) or "nothing to import",
        operation=report.transaction,
        store=str(workspace.store.root),
        data={
            "format": format_name,
            "batch": report.batch,
            "recorded": list(report.activated),
            "waiting": list(report.waiting),
            "known": report.known,
            "refused": [
                {"source": source, "code": code, "message": message}
                for source, code, message in report.refused
            ],
            "problems": [str(problem) for problem in problems],
        },
    )
