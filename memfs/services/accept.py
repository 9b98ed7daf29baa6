"""What accepting one candidate changes, decided on the head as it is now.

The proposed text is decoded strictly and goes through the whole admission pipeline once
more. A hand edit becomes the statement of the person who accepts it; imported text stays
imported and an agent's stays the agent's, confirmed by a person. The person's own bytes
are kept: only the keys that memfs owns are brought up in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import assert_never

from memfs.formats.record_codec import update_record
from memfs.formats.settings import decode_settings
from memfs.index.catalogue import Catalogue
from memfs.model.candidate import Candidate, CandidateAction
from memfs.model.decision import Decision, Verdict
from memfs.model.digests import blob_id
from memfs.model.frozen import frozen
from memfs.model.ids import split_version
from memfs.model.intention import INTENTION_KIND
from memfs.model.operation import FileChange, OperationKind, Plan
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.role import ROLE_KIND
from memfs.policy.accounts import ACCOUNTS, is_replacement_mark
from memfs.policy.administration import decide_accept, decide_release, decide_settings_change
from memfs.policy.log_text import is_log
from memfs.policy.reasons import reason
from memfs.policy.withdrawal import is_withdrawn_status
from memfs.services.acceptance import (
    acceptance_submission,
    account_from,
    decoded_proposal,
    opener_of,
    record_behind,
)
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided
from memfs.services.evidence import evidenced
from memfs.services.forget import forget_changes
from memfs.services.judgement import Judgement, check_base, judge_with
from memfs.services.ports import Workspace
from memfs.services.proposals import (
    Draft,
    continued,
    is_more_of,
    new_file,
    next_version,
    plan_from,
    require_free,
    superseded,
)
from memfs.services.secret_lines import secret_problems
from memfs.store.layout import SETTINGS_PATH, hold_path
from memfs.store.snapshot import Snapshot


@frozen
class Accepted:
    """What accepting one candidate came to; the reference is empty unless it was admitted."""

    candidate: Candidate
    decision: Decision
    reference: str = ""


def decide_candidate(
    workspace: Workspace,
    snapshot: Snapshot,
    candidate: Candidate,
    actor: Actor,
    *,
    is_confirmed: bool = True,
) -> Decided[Accepted]:
    """Decides what accepting ``candidate`` does on ``snapshot`` and lays out the plan.

    Args:
        workspace: The store.
        snapshot: The served records that the decision is made on.
        candidate: What waits.
        actor: Who decides; the reconciler itself where the store adopts hand edits.
        is_confirmed: A person accepted this very text.

    Raises:
        CandidateUnreadableError: The proposed text is not valid; every problem is attached.
        StaleBaseError: The record changed since the proposal was made.
        SettingsError: The proposed settings are not valid.
    """
    match candidate.action:
        case CandidateAction.SETTINGS:
            return _settings(workspace, snapshot, candidate, actor)
        case CandidateAction.FORGET:
            return _forget(workspace, snapshot, candidate, actor)
        case CandidateAction.CONFLICT if not candidate.content:
            return _forget(workspace, snapshot, candidate, actor)
        case CandidateAction.ADD | CandidateAction.REVISE | CandidateAction.CONFLICT:
            return _record(workspace, snapshot, candidate, actor, is_confirmed=is_confirmed)
        case _:
            assert_never(candidate.action)


def _record(
    workspace: Workspace,
    snapshot: Snapshot,
    candidate: Candidate,
    actor: Actor,
    *,
    is_confirmed: bool,
) -> Decided[Accepted]:
    reviewer = actor.principal if is_confirmed else None
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        submission = acceptance_submission(
            workspace, snapshot, catalogue, candidate, actor, is_confirmed=is_confirmed
        )
        judgement = judge_with(workspace, snapshot, catalogue, submission, reviewer=reviewer)
        decision = _by_ground(catalogue, judgement)
    if _says_the_same(judgement, candidate):
        return _reworded(workspace, snapshot, candidate, judgement, actor)
    target = judgement.target
    if is_confirmed and target is not None and target.record.kind in ACCOUNTS:
        said = decoded_proposal(workspace, candidate)
        if is_replacement_mark(said, target.record):
            # An account is never rewritten; that another took its place is said beside it.
            return _reworded(workspace, snapshot, candidate, judgement, actor, record=said)
    decision = _by_kind(
        workspace, judgement.submission.draft, decision, actor, is_confirmed=is_confirmed
    )
    if decision.verdict is not Verdict.ACTIVATE:
        return Decided(Accepted(candidate=candidate, decision=decision))
    if judgement.target is not None and judgement.target.path != candidate.path:
        require_free(snapshot, judgement.target)
    judgement, envelopes = evidenced(workspace, snapshot, judgement, actor)
    draft = laid_out(workspace, snapshot, candidate, judgement)
    replaced = (
        superseded(workspace, snapshot, stored, draft.record, decision)
        for stored in judgement.replaced
    )
    plan = plan_from(
        workspace,
        snapshot,
        operation=_operation(judgement, candidate),
        actor=actor,
        drafts=(draft, *replaced, *envelopes),
        key=submission.key,
        extra=release_changes(workspace, snapshot, (candidate.path,), actor),
    )
    return Decided(
        Accepted(candidate=candidate, decision=decision, reference=draft.record.reference), plan
    )


def _by_ground(catalogue: Catalogue, judgement: Judgement) -> Decision:
    """Returns a decision as it is left by what the draft was made of: that has to stand.

    A proposal may wait for long, and what it was made of may have been taken back meanwhile.
    """
    decision, target = judgement.decision, judgement.target
    made_of = {split_version(name)[0] for name in judgement.submission.draft.derived_from}
    if target is not None:
        made_of -= {split_version(name)[0] for name in target.record.derived_from}
    if not (decision.is_admitted and made_of):
        return decision
    gone = [row.id for row in catalogue.by_ids(made_of) if is_withdrawn_status(row.status)]
    if not gone:
        return decision
    reasons = (reason("restore.unsupported", ", ".join(gone)), *decision.reasons)
    return replace(decision, verdict=Verdict.REJECT, reasons=reasons)


def _by_kind(
    workspace: Workspace, draft: Record, decision: Decision, actor: Actor, *, is_confirmed: bool
) -> Decision:
    """Returns a decision as what is asked of its kind alone leaves it; of most kinds nothing is."""
    if decision.is_admitted and is_confirmed and draft.kind == INTENTION_KIND:
        from memfs.policy.intention_moves import decide_intention

        decision = decide_intention(decision, actor)
    if decision.is_admitted and draft.kind == ROLE_KIND:
        from memfs.services.project_sources import decide_sources

        decision = decide_sources(workspace, draft, decision)
    return decision


def _says_the_same(judgement: Judgement, candidate: Candidate) -> bool:
    """Whether only comments, order or quoting of a record's own file changed."""
    target = judgement.target
    return (
        target is not None
        and judgement.decision.verdict is Verdict.DUPLICATE
        and judgement.decision.duplicate_of == target.record.id
        and blob_id(candidate.content) != target.blob
    )


def _reworded(
    workspace: Workspace,
    snapshot: Snapshot,
    candidate: Candidate,
    judgement: Judgement,
    actor: Actor,
    *,
    record: Record | None = None,
) -> Decided[Accepted]:
    """Takes the person's bytes: the claim is the same, and so is its version.

    What memfs itself says in the file, such as the origin and the status, is what ``record``
    says; by default it stays what it was.
    """
    target = judgement.target
    decision = decide_accept(actor, workspace.settings)
    if target is None or not decision.is_admitted:
        return Decided(Accepted(candidate=candidate, decision=judgement.decision))
    tip = snapshot.raw_entry(target.path)
    kept = record or target.record
    draft = Draft(
        record=kept,
        path=target.path,
        content=update_record(
            candidate.content, kept, path=target.path, registry=workspace.registry
        ),
        expected=tip.blob if tip else None,
        decision=decision,
        replaces_working=frozenset({blob_id(candidate.content)}),
    )
    plan = plan_from(
        workspace,
        snapshot,
        operation=OperationKind.REVISE,
        actor=actor,
        drafts=(draft,),
        key=judgement.submission.key,
        extra=release_changes(workspace, snapshot, (candidate.path,), actor),
    )
    return Decided(
        Accepted(candidate=candidate, decision=decision, reference=target.record.reference), plan
    )


def _operation(judgement: Judgement, candidate: Candidate) -> OperationKind:
    if judgement.submission.action is CandidateAction.REVISE:
        return OperationKind.REVISE
    return OperationKind.IMPORT if candidate.batch else OperationKind.ACTIVATE


def laid_out(
    workspace: Workspace, snapshot: Snapshot, candidate: Candidate, judgement: Judgement
) -> Draft:
    """Lays out the accepted file from the person's bytes.

    A file that a person made keeps its place; what was only proposed gets one.
    """
    record, decision = judgement.submission.draft, judgement.decision
    opener = opener_of(workspace, candidate) if is_log(record.kind) else None
    handed_in = frozenset({blob_id(candidate.content)})
    tip = snapshot.raw_entry(candidate.path)
    if judgement.submission.action is CandidateAction.REVISE and judgement.target is not None:
        if is_more_of(record, judgement.target.record):
            target, content = judgement.target, candidate.content
            draft = continued(workspace, target, content, record, decision, opener=opener)
        else:
            draft = next_version(workspace, judgement.target, candidate.content, record, decision)
    else:
        is_committed = (
            tip is not None and tip.blob in handed_in and judgement.submission.is_confirmed
        )
        acceptor = judgement.submission.origin.principal
        account = account_from(workspace, candidate, acceptor) if is_committed else None
        record = account or replace(record, origin=opener or record.origin)
        draft = new_file(workspace, snapshot, record, decision)
        if account is not None:
            draft = replace(draft, record=account)
        if candidate.is_working_file or tip is not None:
            content = update_record(
                candidate.content, draft.record, path=candidate.path, registry=workspace.registry
            )
            draft = replace(draft, path=candidate.path, content=content)
    standing = snapshot.raw_entry(draft.path)
    expected = standing.blob if standing is not None else None
    return replace(draft, expected=expected, replaces_working=handed_in)


def release_changes(
    workspace: Workspace, snapshot: Snapshot, paths: Sequence[str], actor: Actor
) -> tuple[FileChange, ...]:
    """Returns the changes that lift the holds on ``paths``, where there are any."""
    decision = decide_release(actor, workspace.settings)
    standing = ((path, snapshot.raw_entry(hold_path(path))) for path in paths)
    return tuple(
        FileChange(path=hold_path(path), content=None, expected=hold.blob, decision=decision)
        for path, hold in standing
        if hold is not None
    )


def _settings(
    workspace: Workspace, snapshot: Snapshot, candidate: Candidate, actor: Actor
) -> Decided[Accepted]:
    decode_settings(candidate.content, path=SETTINGS_PATH)
    decision = decide_settings_change(actor, workspace.settings)
    if secret_problems(SETTINGS_PATH, candidate.content):
        found = reason("screening.secret")
        decision = replace(decision, verdict=Verdict.REJECT, rule=found.code, reasons=(found,))
    accepted = Accepted(candidate=candidate, decision=decision)
    if decision.verdict is not Verdict.ACTIVATE:
        return Decided(accepted)
    tip = snapshot.raw_entry(SETTINGS_PATH)
    change = FileChange(
        path=SETTINGS_PATH,
        content=candidate.content,
        expected=tip.blob if tip else None,
        decision=decision,
        replaces_working=frozenset({blob_id(candidate.content)}),
    )
    return Decided(
        replace(accepted, reference=SETTINGS_PATH),
        _single(workspace, snapshot, candidate, actor, OperationKind.SETTINGS, (change,)),
    )


def _forget(
    workspace: Workspace, snapshot: Snapshot, candidate: Candidate, actor: Actor
) -> Decided[Accepted]:
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        target = record_behind(workspace, snapshot, catalogue, candidate)
    base = candidate.theirs or candidate.base
    if target is not None:
        check_base(target, base)
        if target.path != candidate.path:
            require_free(snapshot, target)
    path = target.path if target else candidate.path
    changes, decision = forget_changes(workspace, snapshot, path, target, actor)
    accepted = Accepted(
        candidate=candidate,
        decision=decision,
        reference=target.record.reference if target else candidate.path,
    )
    lifted = release_changes(workspace, snapshot, (candidate.path,), actor)
    if decision.verdict is not Verdict.ACTIVATE or not (changes or lifted):
        return Decided(accepted)
    plan = _single(workspace, snapshot, candidate, actor, OperationKind.FORGET, changes)
    return Decided(accepted, plan)


def _single(
    workspace: Workspace,
    snapshot: Snapshot,
    candidate: Candidate,
    actor: Actor,
    operation: OperationKind,
    changes: tuple[FileChange, ...],
) -> Plan:
    """Makes the plan of a candidate that is no new record text."""
    return plan_from(
        workspace,
        snapshot,
        operation=operation,
        actor=actor,
        drafts=(),
        subject=candidate.record_id or candidate.path,
        key=f"accept:{candidate.id}:{candidate.action}",
        extra=(*changes, *release_changes(workspace, snapshot, (candidate.path,), actor)),
    )
