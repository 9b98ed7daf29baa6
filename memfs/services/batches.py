"""Batches: many submissions decided one by one and committed as one operation.

Used by import and by review of an imported batch. Each claim is judged on its own; a
claim that is refused or known already does not keep the others out, and the answer
counts every one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Final

from memfs.formats.record_codec import as_read
from memfs.index.catalogue import Catalogue
from memfs.model.candidate import Candidate, CandidateAction, Submission
from memfs.model.decision import Verdict
from memfs.model.digests import blob_id
from memfs.model.evidence import EVIDENCE_KIND, EXCERPT_KIND
from memfs.model.frozen import frozen
from memfs.model.ids import CommitId
from memfs.model.operation import Commit, OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.services.acceptance import CandidateUnreadableError, acceptance_submission
from memfs.services.catalogue import bring_up_catalogue, open_catalogue
from memfs.services.door import Decided, commit_decided
from memfs.services.inbox import put_candidates, remove_candidate
from memfs.services.judgement import Judgement, judge_with
from memfs.services.ports import Workspace
from memfs.services.proposals import (
    Draft,
    is_held,
    kind_of,
    next_version,
    place_new,
    plan_from,
    superseded,
)
from memfs.services.propose import candidate_from
from memfs.store.snapshot import Snapshot

_LARGE: Final = 100
_SOURCES: Final = frozenset({EVIDENCE_KIND, EXCERPT_KIND})


@frozen
class BatchReport:
    """What became of each claim of a batch.

    Attributes:
        batch: Name of the batch.
        activated: References of the records that are in the ledger now.
        waiting: Ids of the candidates that wait in the inbox.
        known: Number of claims that the ledger or the batch already had.
        refused: Source and first reason of each claim that policy refused.
        transaction: ``tx_…`` of the one commit; empty when nothing was committed.
    """

    batch: str
    activated: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    known: int = 0
    refused: tuple[tuple[str, str, str], ...] = ()
    transaction: str = ""


@dataclass(slots=True)
class _Tally:
    """Collects a batch while it is judged."""

    drafts: list[Draft] = field(default_factory=list)
    activations: list[Judgement] = field(default_factory=list)
    quarantined: list[Judgement] = field(default_factory=list)
    refused: list[tuple[str, str, str]] = field(default_factory=list)
    known: int = 0
    fingerprints: set[str] = field(default_factory=set)
    digests: set[str] = field(default_factory=set)
    shards: dict[str, dict[str, int]] = field(default_factory=dict)
    planned: set[str] = field(default_factory=set)
    made: dict[str, Record] = field(default_factory=dict)


def admit_batch(
    workspace: Workspace,
    submissions: Sequence[Submission],
    actor: Actor,
    *,
    batch: str,
) -> BatchReport:
    """Judges every submission; commits what is admitted as one operation, files the rest.

    Args:
        workspace: The store.
        submissions: The claims; those that a person accepted carry ``is_confirmed``.
        actor: Who runs the operation.
        batch: Name that the candidates carry.
    """

    def decide_on(snapshot: Snapshot) -> Decided[_Tally]:
        tally = _judged(workspace, snapshot, submissions)
        return _with_plan(workspace, snapshot, tally, actor, batch)

    committed = commit_decided(workspace, decide_on)
    tally = committed.outcome
    _note_written(workspace, tally, committed.commit)
    candidates = put_candidates(
        workspace,
        [candidate_from(workspace, item, batch=batch) for item in tally.quarantined],
    )
    return _report(tally, committed.commit, batch, tuple(item.id for item in candidates))


def accept_batch(
    workspace: Workspace, candidates: Sequence[Candidate], actor: Actor, *, batch: str
) -> BatchReport:
    """Accepts candidates that only add records, as one operation.

    What policy still holds back, and what is no valid record, stays in the inbox; what policy
    admitted, knows already or refuses is removed from it.
    """
    mine: dict[str, Candidate] = {}
    broken: dict[str, CandidateUnreadableError] = {}

    def decide_on(snapshot: Snapshot) -> Decided[_Tally]:
        mine.clear()
        broken.clear()
        submissions: list[Submission] = []
        with closing(open_catalogue(workspace, snapshot)) as catalogue:
            for candidate in candidates:
                try:
                    submission = acceptance_submission(
                        workspace, snapshot, catalogue, candidate, actor
                    )
                except CandidateUnreadableError as error:
                    broken[candidate.id] = error
                    continue
                mine[submission.key] = candidate
                submissions.append(submission)
        tally = _judged(workspace, snapshot, submissions)
        return _with_plan(workspace, snapshot, tally, actor, batch)

    committed = commit_decided(workspace, decide_on)
    tally = committed.outcome
    _note_written(workspace, tally, committed.commit)
    kept = {item.submission.key for item in tally.quarantined}
    for key, candidate in mine.items():
        if key not in kept:
            remove_candidate(workspace, candidate)
    waiting = (*(mine[key].id for key in mine if key in kept), *broken)
    report = _report(tally, committed.commit, batch, waiting)
    unreadable = tuple((name, error.code, error.message) for name, error in broken.items())
    return replace(report, refused=(*report.refused, *unreadable))


def is_batchable(candidate: Candidate) -> bool:
    """Whether a candidate can be accepted together with others of its batch."""
    return (
        bool(candidate.batch)
        and candidate.action is CandidateAction.ADD
        and not candidate.is_working_file
    )


def _judged(workspace: Workspace, snapshot: Snapshot, submissions: Iterable[Submission]) -> _Tally:
    tally = _Tally()
    catalogue = open_catalogue(workspace, snapshot)
    try:
        for submission in submissions:
            _judge_one(workspace, snapshot, catalogue, submission, tally)
    finally:
        catalogue.close()
    return tally


def _judge_one(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    submission: Submission,
    tally: _Tally,
) -> None:
    digest = submission.origin.digest
    if digest and (digest in tally.digests or _is_known(catalogue, digest)):
        tally.known += 1
        return
    judgement = judge_with(workspace, snapshot, catalogue, submission, planned=tally.made)
    mark = judgement.fingerprint
    verdict = judgement.decision.verdict
    if verdict is Verdict.DUPLICATE or mark in tally.fingerprints:
        tally.known += 1
        return
    if verdict is Verdict.REJECT:
        reason = judgement.decision.reasons[0]
        tally.refused.append((submission.origin.source, reason.code, reason.message))
        return
    tally.fingerprints.add(mark)
    tally.digests.add(digest)
    target = (judgement.target,) if judgement.target is not None else ()
    is_free = not any(is_held(snapshot, stored) for stored in (*judgement.replaced, *target))
    if verdict is Verdict.ACTIVATE and is_free:
        _lay_out(workspace, snapshot, judgement, tally)
    else:
        tally.quarantined.append(judgement)


def _is_known(catalogue: Catalogue, digest: str) -> bool:
    """Whether a claim was made from this source; an envelope alone makes nothing known."""
    return any(row.kind not in _SOURCES for row in catalogue.by_source_digest(digest))


def _lay_out(workspace: Workspace, snapshot: Snapshot, judgement: Judgement, tally: _Tally) -> None:
    draft = _file_of(workspace, snapshot, judgement, tally)
    if draft.path in tally.planned:
        # Two of one batch for one place: the first stands, the other was known by then.
        tally.known += 1
        return
    tally.drafts.append(draft)
    tally.planned.add(draft.path)
    tally.made[draft.record.id] = draft.record
    replaced = [
        superseded(workspace, snapshot, stored, draft.record, judgement.decision)
        for stored in judgement.replaced
        if stored.path not in tally.planned
    ]
    tally.drafts.extend(replaced)
    tally.planned.update(item.path for item in replaced)
    tally.activations.append(judgement)


def _file_of(
    workspace: Workspace, snapshot: Snapshot, judgement: Judgement, tally: _Tally
) -> Draft:
    record, decision, target = judgement.submission.draft, judgement.decision, judgement.target
    if judgement.submission.action is CandidateAction.REVISE and target is not None:
        before = snapshot.read_blob(target.blob)
        return next_version(workspace, target, before, record, decision)
    folder = kind_of(workspace, record).folder
    shards = tally.shards.get(folder)
    if shards is None:
        shards = tally.shards[folder] = dict(snapshot.shard_sizes(folder))
    return place_new(workspace, record, decision, shards=shards)


def _with_plan(
    workspace: Workspace, snapshot: Snapshot, tally: _Tally, actor: Actor, batch: str
) -> Decided[_Tally]:
    if not tally.drafts:
        return Decided(tally)
    plan = plan_from(
        workspace,
        snapshot,
        operation=OperationKind.IMPORT,
        actor=actor,
        drafts=tuple(tally.drafts),
        subject=f"{len(tally.activations)} records ({batch})",
    )
    return Decided(tally, plan)


def _note_written(workspace: Workspace, tally: _Tally, commit: Commit | None) -> None:
    """Tells the catalogue what a large batch wrote, while it is still known."""
    if commit is None or len(tally.drafts) < _LARGE:
        return
    known = {str(blob_id(draft.content)): as_read(draft.record) for draft in tally.drafts}
    bring_up_catalogue(workspace, workspace.store.snapshot(CommitId(commit.id)), known)


def _report(
    tally: _Tally, commit: Commit | None, batch: str, waiting: tuple[str, ...]
) -> BatchReport:
    return BatchReport(
        batch=batch,
        activated=tuple(draft.record.reference for draft in tally.drafts) if commit else (),
        waiting=waiting,
        known=tally.known,
        refused=tuple(tally.refused),
        transaction=commit.transaction if commit else "",
    )
