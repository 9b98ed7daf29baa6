"""Review of many candidates at once, and editing one in the person's editor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memfs.model.candidate import Candidate
from memfs.model.origin import Actor
from memfs.model.result import Result, ResultStatus
from memfs.services.batches import BatchReport, accept_batch, is_batchable
from memfs.services.inbox import find_candidate
from memfs.services.modes import is_taking
from memfs.services.ports import Workspace
from memfs.services.review import (
    accept_each,
    replace_proposal,
    require_decidable,
    require_person,
    waiting,
)


def accept_all(workspace: Workspace, actor: Actor) -> tuple[Result, ...]:
    """Accepts everything that waits: a batch in one commit, the rest one commit each.

    Raises:
        MayNotReviewError: The actor is not a person.
    """
    require_person(actor)
    batches: dict[str, list[Candidate]] = {}
    single: list[Candidate] = []
    for candidate in waiting(workspace, actor):
        if is_batchable(candidate) and is_taking(workspace):
            batches.setdefault(candidate.batch, []).append(candidate)
        else:
            single.append(candidate)
    results = [
        _batch_result(workspace, accept_batch(workspace, members, actor, batch=batch))
        for batch, members in batches.items()
    ]
    results.extend(accept_each(workspace, single, actor))
    return tuple(results)


def _batch_result(workspace: Workspace, report: BatchReport) -> Result:
    parts = [
        f"{len(report.activated)} recorded",
        f"{report.known} known already" if report.known else "",
        f"{len(report.refused)} refused" if report.refused else "",
        f"{len(report.waiting)} still wait" if report.waiting else "",
    ]
    return Result(
        action="accept",
        target=report.batch,
        status=ResultStatus.PROBLEMS if report.refused else ResultStatus.DONE,
        message=", ".join(part for part in parts if part),
        operation=report.transaction,
        store=str(workspace.store.root),
        data={
            "recorded": list(report.activated),
            "waiting": list(report.waiting),
            "known": report.known,
            "refused": [
                {"source": source, "code": code, "message": message}
                for source, code, message in report.refused
            ],
        },
    )


def edit_candidate(
    workspace: Workspace,
    reference: str,
    actor: Actor,
    edit_text: Callable[[bytes, str], bytes],
) -> Result:
    """Opens what a candidate proposes in the editor and keeps what was saved.

    Raises:
        MayNotReviewError: The actor is not a person.
        UnknownCandidateError: No candidate matches.
        CandidateUnreadableError: The new text is not a valid record; nothing is changed.
    """
    require_person(actor)
    candidate = find_candidate(workspace, reference, actor)
    require_decidable(workspace, candidate)
    saved = edit_text(candidate.content, Path(candidate.path).suffix)
    if saved == candidate.content:
        return _edited(workspace, candidate.id, ResultStatus.NOTHING, "nothing was changed")
    replace_proposal(workspace, candidate, actor, saved)
    return _edited(
        workspace, candidate.id, ResultStatus.DONE, f"{candidate.id} proposes the new text"
    )


def _edited(workspace: Workspace, target: str, status: ResultStatus, message: str) -> Result:
    return Result(
        action="edit",
        target=target,
        status=status,
        message=message,
        store=str(workspace.store.root),
    )
