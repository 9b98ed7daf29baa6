"""Review: a person decides what waits in the inbox, one candidate or many."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Final

from memfs.errors import AccessError, ConflictError, MemfsError
from memfs.formats.settings import decode_settings
from memfs.model.candidate import Candidate, CandidateAction, CandidateState
from memfs.model.decision import Verdict
from memfs.model.digests import blob_id
from memfs.model.graph import EDGE_KIND
from memfs.model.operation import Commit, FileChange, OperationKind
from memfs.model.origin import Actor
from memfs.model.result import Result, ResultStatus
from memfs.policy.administration import decide_reject, decide_release
from memfs.policy.authority import is_hand_edit
from memfs.policy.reasons import reason
from memfs.services.accept import Accepted, decide_candidate, release_changes
from memfs.services.acceptance import (
    CandidateUnreadableError,
    decoded_proposal,
    record_behind,
)
from memfs.services.candidate_view import seen_candidate
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided, commit_decided
from memfs.services.inbox import (
    find_candidate,
    is_visible,
    read_inbox,
    remove_candidate,
    write_candidate,
)
from memfs.services.judgement import StaleBaseError
from memfs.services.modes import require_taking
from memfs.services.ports import Workspace
from memfs.services.proposals import plan_from
from memfs.services.propose import activated, first_reason, with_aftermath
from memfs.services.secret_lines import secret_problems
from memfs.store.layout import hold_path
from memfs.store.purge_checks import is_merging
from memfs.store.snapshot import Snapshot

_ALWAYS_POSSIBLE: Final = frozenset({CandidateAction.SETTINGS, CandidateAction.FORGET})
"""What may be decided in every mode: how a mode is left, and what takes something back."""


class ProposalChangedError(ConflictError):
    """A candidate says something else than what the person was shown."""

    code = "conflict.proposal-changed"


class MergeUnderWayError(ConflictError):
    """The working tree is in the middle of a merge; what lies there is nobody's edit yet."""

    code = "conflict.merge-under-way"


class MayNotReviewError(AccessError):
    """Only a person accepts or rejects."""

    code = "access.review-needs-person"


def accept(
    workspace: Workspace, reference: str, actor: Actor, *, shown: str | None = None
) -> Result:
    """Accepts one candidate.

    Args:
        workspace: The store.
        reference: Id, end of the id, or file of the candidate.
        actor: Who decides.
        shown: Blob id of the text that the person was shown; nothing else is accepted then.

    Raises:
        MayNotReviewError: The actor is not a person.
        UnknownCandidateError: No candidate matches.
        CandidateUnreadableError: The proposed text is not a valid record.
        StaleBaseError: The record changed since; the candidate is a conflict from now on.
        HeldRecordError: A commit made by hand on another record has to be decided first.
        ProposalChangedError: The proposer changed it since it was shown.
        MergeUnderWayError: It is of the working tree, in the middle of a merge.
    """
    require_person(actor)
    candidate = find_candidate(workspace, reference, actor)
    if shown is not None and blob_id(candidate.content) != shown:
        raise ProposalChangedError(
            f"{candidate.id} says something else than what was shown", hint="look at it again"
        )
    return _accept(workspace, candidate, actor)


def _accept(workspace: Workspace, candidate: Candidate, actor: Actor) -> Result:
    require_decidable(workspace, candidate)
    if is_hand_edit(candidate.origin) and is_merging(workspace.store.git_dir):
        # What lies in the working tree is then another clone's, and comes with the merge.
        raise MergeUnderWayError(
            "expected no merge under way in the store, found one",
            hint="finish it with git commit, or leave it with git merge --abort, then review",
        )
    try:
        committed = commit_decided(
            workspace, lambda snapshot: decide_candidate(workspace, snapshot, candidate, actor)
        )
    except StaleBaseError:
        _file_as_conflict(workspace, candidate)
        raise
    accepted = _accepted(workspace, committed.outcome, committed.commit)
    return with_aftermath(accepted, committed.aftermath)


def _file_as_conflict(workspace: Workspace, candidate: Candidate) -> None:
    """Shows the proposal beside the version that it did not know; accepting it then counts."""
    snapshot = workspace.store.snapshot()
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        stored = record_behind(workspace, snapshot, catalogue, candidate)
    if stored is not None:
        conflict = replace(
            candidate,
            action=CandidateAction.CONFLICT,
            theirs=stored.blob,
            reasons=(reason("candidate.needs-person"),),
        )
        write_candidate(workspace, conflict, replaces=candidate)


def accept_each(
    workspace: Workspace, candidates: Sequence[Candidate], actor: Actor
) -> tuple[Result, ...]:
    """Accepts several candidates, one commit each; a fault in one leaves the others alone."""
    require_person(actor)
    results = []
    for candidate in candidates:
        try:
            results.append(_accept(workspace, candidate, actor))
        except MemfsError as error:
            results.append(_failed(workspace, "accept", candidate, error))
    return tuple(results)


def _failed(workspace: Workspace, action: str, candidate: Candidate, error: MemfsError) -> Result:
    problems = error.problems if isinstance(error, CandidateUnreadableError) else ()
    return Result(
        action=action,
        target=candidate.id,
        status=ResultStatus.PROBLEMS,
        message=error.message,
        store=str(workspace.store.root),
        data={"code": error.code, "problems": [str(item) for item in problems]},
    )


def require_person(actor: Actor) -> None:
    """Lets only a person decide; what a mode does not allow is told for each candidate.

    Raises:
        MayNotReviewError: The actor is not a person.
    """
    if actor.is_person:
        return
    raise MayNotReviewError(
        f"expected a person to decide, got {actor}",
        hint="run memfs review in a terminal, or as a scripted principal with --as and --yes",
    )


def require_decidable(workspace: Workspace, candidate: Candidate) -> None:
    """Lets a candidate be decided on where the mode allows what it would do.

    Raises:
        MemoryModeError: The store takes nothing in, and this would enter it.
    """
    if candidate.action not in _ALWAYS_POSSIBLE:
        require_taking(workspace)


def _accepted(workspace: Workspace, accepted: Accepted, commit: Commit | None) -> Result:
    decision, candidate = accepted.decision, accepted.candidate
    answer = Result(
        action="accept",
        target=accepted.reference.split("@")[0] or candidate.id,
        status=ResultStatus.DONE,
        message="",
        operation=commit.transaction if commit else "",
        store=str(workspace.store.root),
        reasons=decision.reasons,
        data={
            "candidate": candidate.id,
            "verdict": str(decision.verdict),
            "rule": decision.rule,
            "path": candidate.path,
            "reference": accepted.reference,
        },
    )
    match decision.verdict:
        case Verdict.ACTIVATE:
            remove_candidate(workspace, candidate)
            return _accepted_words(answer, accepted, commit)
        case Verdict.DUPLICATE:
            known = f"already known as {decision.duplicate_of}"
            if _is_file(workspace, candidate):
                # The file is still there: it is not asked about again at every look.
                state = replace(candidate, state=CandidateState.REJECTED, reasons=decision.reasons)
                write_candidate(workspace, state, replaces=candidate)
                message = f"{known}; the file {candidate.path} was left as it is"
            else:
                remove_candidate(workspace, candidate)
                message = f"{known}; the candidate was removed"
            return replace(
                answer,
                target=decision.duplicate_of,
                status=ResultStatus.DUPLICATE,
                message=message,
            )
        case Verdict.REJECT | Verdict.QUARANTINE | Verdict.NEEDS_ANSWER:
            reasoned = replace(candidate, reasons=decision.reasons)
            write_candidate(workspace, reasoned, replaces=candidate)
            return replace(answer, status=ResultStatus.REFUSED, message=first_reason(decision))


def _is_file(workspace: Workspace, candidate: Candidate) -> bool:
    """Whether the proposal stands in the working tree or on the branch, not only in the inbox."""
    snapshot = workspace.store.snapshot()
    return candidate.is_working_file or snapshot.raw_entry(hold_path(candidate.path)) is not None


def _accepted_words(answer: Result, accepted: Accepted, commit: Commit | None) -> Result:
    match accepted.candidate.action:
        case CandidateAction.FORGET:
            return replace(answer, message=f"forgot {accepted.reference}")
        case CandidateAction.CONFLICT if not accepted.candidate.content:
            return replace(answer, message=f"forgot {accepted.reference}")
        case CandidateAction.SETTINGS:
            return replace(answer, message="the settings are in force")
        case CandidateAction.ADD | CandidateAction.REVISE | CandidateAction.CONFLICT:
            return activated(answer, accepted.reference, commit)


def reject(workspace: Workspace, reference: str, actor: Actor, *, restore: bool = False) -> Result:
    """Rejects one candidate; the person's text stays in the inbox until it expires.

    Args:
        workspace: The store.
        reference: Id, end of the id, or file of the candidate.
        actor: Who decides.
        restore: Put the ledger's version back where the working file or a commit made by
            hand says otherwise.

    Raises:
        MayNotReviewError: The actor is not a person.
        UnknownCandidateError: No candidate matches.
    """
    require_person(actor)
    candidate = find_candidate(workspace, reference, actor)
    require_decidable(workspace, candidate)
    decision = decide_reject(actor, workspace.settings)
    rejected = replace(candidate, state=CandidateState.REJECTED)
    message = f"rejected {candidate.id}"
    operation = ""
    if restore:
        committed = commit_decided(
            workspace, lambda snapshot: _restoring(workspace, snapshot, candidate, actor)
        )
        workspace.store.restore_working(candidate.path)
        operation = committed.commit.transaction if committed.commit else ""
        # What was said stays until it lapses; it no longer stands for the file, so that the
        # same edit made again is asked about again.
        rejected = replace(rejected, key="", is_working_file=False)
        message += f" and restored {candidate.path}"
    write_candidate(workspace, rejected, replaces=candidate)
    return Result(
        action="reject",
        target=candidate.id,
        status=ResultStatus.DONE,
        message=message,
        operation=operation,
        store=str(workspace.store.root),
        reasons=decision.reasons,
        data={"rule": decision.rule, "path": candidate.path},
    )


def _restoring(
    workspace: Workspace, snapshot: Snapshot, candidate: Candidate, actor: Actor
) -> Decided[str]:
    """Puts the admitted version of a held path back into the tree and lifts the hold."""
    path = candidate.path
    if snapshot.raw_entry(hold_path(path)) is None:
        return Decided(path)
    served, tip = snapshot.entry(path), snapshot.raw_entry(path)
    content = snapshot.read_blob(served.blob) if served else None
    decision = decide_release(actor, workspace.settings)
    change = FileChange(
        path=path,
        content=content,
        expected=tip.blob if tip else None,
        decision=decision,
        replaces_working=frozenset({tip.blob} if tip else ()),
    )
    is_changed = (served.blob if served else None) != (tip.blob if tip else None)
    plan = plan_from(
        workspace,
        snapshot,
        operation=OperationKind.RELEASE,
        actor=actor,
        drafts=(),
        subject=f"restore {candidate.record_id or path}",
        extra=(
            *((change,) if is_changed else ()),
            *release_changes(workspace, snapshot, (path,), actor),
        ),
    )
    return Decided(path, plan)


def replace_proposal(
    workspace: Workspace, candidate: Candidate, actor: Actor, content: bytes
) -> Candidate:
    """Replaces the proposed text of a candidate after a person edited it.

    Where the proposal is a working file, that file is what was edited, and gets the text.

    Raises:
        MayNotReviewError: The actor is not a person.
        CandidateUnreadableError: The new text is not a valid record; nothing is changed.
        WorkingFileChangedError: The file changed while the editor was open.
    """
    require_person(actor)
    edited = replace(candidate, content=content)
    if candidate.action is CandidateAction.SETTINGS:
        decode_settings(content, path=candidate.path)
    else:
        decoded_proposal(workspace, edited)
        _check_secrets(candidate.path, content)
    if candidate.is_working_file:
        workspace.store.replace_working(
            candidate.path, content, expected=blob_id(candidate.content)
        )
    write_candidate(workspace, edited, replaces=candidate)
    return edited


def _check_secrets(path: str, content: bytes) -> None:
    problems = secret_problems(path, content)
    if problems:
        raise CandidateUnreadableError(
            problems[0].message, problems, hint="nothing was changed; edit again"
        )


def waiting(workspace: Workspace, actor: Actor) -> tuple[Candidate, ...]:
    """Returns the candidates that wait for a decision and may be seen, oldest first."""
    seen = tuple(
        seen_candidate(workspace, item, actor)
        for item in read_inbox(workspace).waiting
        if is_visible(item, actor)
    )
    if not any(item.kind == EDGE_KIND for item in seen):
        return seen
    from memfs.services.edge_words import with_edges_in_words  # most inboxes hold no edge

    return with_edges_in_words(workspace, seen, actor)
