"""One submission before policy: completed, compared with the ledger, decided.

Everything that can enter the ledger as a claim comes through :func:`judge`, so that the
foreground, review, import and background jobs cannot differ in what they allow (A23).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from memfs.errors import ConflictError
from memfs.index.catalogue import Catalogue
from memfs.model.candidate import Submission
from memfs.model.decision import Decision
from memfs.model.execution import MOVED_FIELDS, TASK_KIND
from memfs.model.frozen import frozen
from memfs.model.origin import Principal
from memfs.model.record import Record, StoredRecord
from memfs.policy.admission import AdmissionView, decide
from memfs.policy.authority import is_own_statement, labelled
from memfs.policy.bounds import started_anew
from memfs.services.admission_view import NOTHING_PLANNED, admission_view
from memfs.services.catalogue import fingerprint_of, open_catalogue
from memfs.services.ports import Workspace
from memfs.services.proposals import completed_draft
from memfs.services.served_records import read_path
from memfs.services.submitter import held_quietly, known_to_submitter
from memfs.store.snapshot import Snapshot


class StaleBaseError(ConflictError):
    """The record changed since the caller read it; both revisions are named (O45)."""

    code = "conflict.stale-base"


@frozen
class Judgement:
    """A decision together with what it was decided on.

    Attributes:
        submission: Completed with scope, title, origin and observation time.
        decision: What policy says.
        target: The record that a revision names, as served.
        replaced: Records that the decision supersedes, as served.
        fingerprint: That of the completed draft.
        view: What the submitter may know of what it was decided on.
    """

    submission: Submission
    decision: Decision
    target: StoredRecord | None
    replaced: tuple[StoredRecord, ...]
    fingerprint: str
    view: AdmissionView


def judge(
    workspace: Workspace,
    snapshot: Snapshot,
    submission: Submission,
    *,
    waiting: int = 0,
    reviewer: Principal | None = None,
) -> Judgement:
    """Decides on one submission against ``snapshot``.

    Args:
        workspace: The store.
        snapshot: Served records at the head that the plan will be based on.
        submission: The claim with its origin.
        waiting: Candidates that the same principal already has in the inbox.
        reviewer: The person who accepted the claim, for a confirmed submission.

    Raises:
        StaleBaseError: The submission names a base that is no longer the served version.
    """
    catalogue = open_catalogue(workspace, snapshot)
    try:
        return judge_with(
            workspace, snapshot, catalogue, submission, waiting=waiting, reviewer=reviewer
        )
    finally:
        catalogue.close()


def judge_with(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    submission: Submission,
    *,
    waiting: int = 0,
    reviewer: Principal | None = None,
    planned: Mapping[str, Record] = NOTHING_PLANNED,
) -> Judgement:
    """Like :func:`judge` with the catalogue already open, for batches.

    ``planned`` holds, by id, what the same plan makes: an edge may join it.
    """
    now = workspace.clock.now()
    completed = completed_draft(workspace, submission, now)
    fingerprint = fingerprint_of(completed.draft)
    view = admission_view(
        workspace,
        snapshot,
        catalogue,
        completed,
        fingerprint=fingerprint,
        waiting=waiting,
        reviewer=reviewer,
        planned=planned,
    )
    completed = _at_its_head(completed, view.target)
    told = known_to_submitter(workspace, snapshot, completed, view)
    whole = _labelled(completed, view.target, view.evidence.values())
    # A label that only a hidden record can have put on it would tell of that record.
    completed = _labelled(completed, view.target, told.evidence.values())
    if told.target is not None:
        check_base(told.target, completed.base)
    decision = decide(completed, told, workspace.settings, workspace.registry, now)
    if decision.is_admitted and told is not view:
        again = decide(whole, view, workspace.settings, workspace.registry, now)
        if again.is_admitted:
            completed = whole
        else:
            decision = held_quietly(decision)
    return Judgement(
        submission=completed,
        decision=decision,
        target=told.target,
        replaced=_replaced(workspace, snapshot, catalogue, decision),
        fingerprint=fingerprint,
        view=told,
    )


def _replaced(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, decision: Decision
) -> tuple[StoredRecord, ...]:
    return tuple(
        stored
        for identifier in decision.supersedes
        for entry in catalogue.by_id(identifier)
        if (stored := read_path(workspace, snapshot, entry.path)) is not None
    )


def _at_its_head(submission: Submission, target: StoredRecord | None) -> Submission:
    """Leaves a task that is rewritten where it stands: it moves by its steps alone (A64).

    Who edited the file saw a head of then; accepting the edit must not take steps back.
    """
    draft = submission.draft
    if draft.kind != TASK_KIND or target is None:
        return submission
    others = {name: value for name, value in draft.fields.items() if name not in MOVED_FIELDS}
    there = target.record.fields
    moved = {name: there[name] for name in MOVED_FIELDS if name in there}
    return replace(submission, draft=replace(draft, fields={**others, **moved}))


def _labelled(
    submission: Submission, target: StoredRecord | None, inputs: Iterable[Record]
) -> Submission:
    """Puts on a draft what its origin and all that it was made from force on it (A4, A6).

    The envelope of a record's own statement carries the labels that the record itself had: it
    does not keep a person from saying that something is less sensitive than it was.
    """
    identifier = target.record.id if target is not None else ""
    foreign = [item for item in inputs if not is_own_statement(item, identifier)]
    draft = labelled(submission.draft, submission.origin, foreign)
    draft = started_anew(draft, target.record if target is not None else None)
    return replace(submission, draft=draft)


def check_base(target: StoredRecord, base: str) -> None:
    """Lets nothing be written over a version that its author has not seen (O45).

    Raises:
        StaleBaseError: The record is not at revision ``base``; an empty base is not checked.
    """
    if not base or target.blob == base:
        return
    raise StaleBaseError(
        f"expected {target.record.id} to be at revision {base[:12]}, "
        f"got {target.blob[:12]} (version {target.record.version})",
        hint="read it again and repeat the change on what it says now",
        path=target.path,
    )
