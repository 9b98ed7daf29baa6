"""Submissions: the one way in for a new claim, whoever makes it.

complete → gather what policy must see → decide → one commit, a candidate in the inbox,
or nothing; and the answer always carries the decision with its reasons (C40).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import assert_never

from memfs.formats.record_codec import encode_record, update_record
from memfs.model.authority import Sensitivity
from memfs.model.candidate import Candidate, CandidateAction, Submission
from memfs.model.decision import Decision, Verdict
from memfs.model.digests import content_digest
from memfs.model.frozen import frozen
from memfs.model.ids import CANDIDATE_PREFIX
from memfs.model.instants import month_of
from memfs.model.operation import Commit, OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from memfs.policy.reasons import reason
from memfs.services.barrier import NOTHING_FOLLOWED, Aftermath
from memfs.services.catalogue import fingerprint_of
from memfs.services.door import Decided, commit_decided
from memfs.services.evidence import evidenced, support_drafts
from memfs.services.inbox import put_candidate, put_within_quota, read_inbox, remove_key, waiting_of
from memfs.services.judgement import Judgement, judge
from memfs.services.ports import Workspace
from memfs.services.proposals import (
    as_kept,
    continued,
    is_more_of,
    kind_of,
    new_file,
    next_version,
    plan_from,
    require_free,
    superseded,
)
from memfs.store.layout import record_path
from memfs.store.snapshot import Snapshot


@frozen
class Settled:
    """What became of one submission; path and reference are empty unless it was admitted."""

    judgement: Judgement
    path: str = ""
    reference: str = ""

    @property
    def decision(self) -> Decision:
        """What policy said."""
        return self.judgement.decision


def submit(
    workspace: Workspace,
    submission: Submission,
    actor: Actor,
    *,
    action: str = "remember",
) -> Result:
    """Decides on one submission and carries the decision out.

    Args:
        workspace: The store.
        submission: The claim with its origin, as the entry point set it.
        actor: Who runs the operation.
        action: Verb for the result.

    Returns:
        Done with the id of the record, waiting with the id of the candidate, a duplicate
        with the id that already says it, or refused; always with reasons.
    """
    waiting = _waiting_of(workspace, actor)
    submission = replace(submission, key=own_key(actor, submission.key))

    def decide_on(snapshot: Snapshot) -> Decided[Settled]:
        judgement = judge(workspace, snapshot, submission, waiting=waiting)
        match judgement.decision.verdict:
            case Verdict.ACTIVATE:
                return _activation(workspace, snapshot, judgement, actor)
            case Verdict.DUPLICATE:
                return _supporting(workspace, snapshot, judgement, actor)
            case _:
                return Decided(Settled(judgement=judgement))

    committed = commit_decided(workspace, decide_on)
    result = _result(workspace, committed.outcome, committed.commit, action)
    if committed.commit is not None and not actor.is_person:
        # What waited of this proposer and is admitted now waits no more.
        admitted = committed.outcome.judgement.submission
        remove_key(workspace, admitted.key or _claim_key(admitted, admitted.draft))
    return with_aftermath(result, committed.aftermath)


def with_aftermath(result: Result, aftermath: Aftermath) -> Result:
    """Adds to an answer what an operation withheld and what of it is served again."""
    if aftermath == NOTHING_FOLLOWED:
        return result
    data = {
        "receipt": aftermath.receipt,
        "restored": list(aftermath.restored),
        "withheld": list(aftermath.withheld),
    }
    message = f"{result.message}{aftermath.words}"
    return replace(result, message=message, data={**result.data, **data})


def own_key(actor: Actor, key: str) -> str:
    """Returns a caller's idempotency key as it is kept: one per principal, and never in words.

    So no caller can name the key of somebody else's operation, of a candidate or of a file,
    and nothing that stands in a key reaches the inbox or a commit (A22, A81).
    """
    return content_digest("key", f"{actor.principal}\0{key}".encode()) if key else ""


def _waiting_of(workspace: Workspace, actor: Actor) -> int:
    """Counts what this principal has waiting; people have no quota and are not counted."""
    if actor.is_person:
        return 0
    return waiting_of(read_inbox(workspace), actor.principal)


def _activation(
    workspace: Workspace, snapshot: Snapshot, judgement: Judgement, actor: Actor
) -> Decided[Settled]:
    judgement, envelopes = evidenced(workspace, snapshot, judgement, actor)
    submission, decision, target = judgement.submission, judgement.decision, judgement.target
    if submission.action is CandidateAction.REVISE and target is not None:
        require_free(snapshot, target)
        before = submission.text or snapshot.read_blob(target.blob)
        is_longer_log = is_more_of(submission.draft, target.record)
        revised = continued if is_longer_log else next_version
        draft = revised(workspace, target, before, submission.draft, decision)
        operation = OperationKind.CORRECT
    else:
        draft = new_file(workspace, snapshot, submission.draft, decision)
        operation = OperationKind.SUPERSEDE if judgement.replaced else OperationKind.ACTIVATE
    replaced = (
        superseded(workspace, snapshot, stored, draft.record, decision)
        for stored in judgement.replaced
    )
    plan = plan_from(
        workspace,
        snapshot,
        operation=operation,
        actor=actor,
        drafts=(draft, *replaced, *envelopes),
        key=submission.key,
    )
    settled = Settled(judgement=judgement, path=draft.path, reference=draft.record.reference)
    return Decided(settled, plan)


def _supporting(
    workspace: Workspace, snapshot: Snapshot, judgement: Judgement, actor: Actor
) -> Decided[Settled]:
    """Adds independent evidence to the record that says the same already, if there is any."""
    settled = Settled(judgement=judgement)
    drafts = support_drafts(workspace, snapshot, judgement, actor)
    if not drafts:
        return Decided(settled)
    plan = plan_from(
        workspace,
        snapshot,
        operation=OperationKind.RECORD,
        actor=actor,
        drafts=drafts,
        subject=f"evidence for {drafts[0].record.id}",
        key=judgement.submission.key,
    )
    return Decided(settled, plan)


def _result(workspace: Workspace, settled: Settled, commit: Commit | None, action: str) -> Result:
    decision = settled.decision
    answer = Result(
        action=action,
        target=settled.reference.split("@")[0],
        status=ResultStatus.DONE,
        message="",
        operation=commit.transaction if commit else "",
        store=str(workspace.store.root),
        reasons=decision.reasons,
        data={
            "verdict": str(decision.verdict),
            "rule": decision.rule,
            "path": settled.path,
            "reference": settled.reference,
        },
    )
    match decision.verdict:
        case Verdict.ACTIVATE:
            return _with_conflicts(activated(answer, settled.reference, commit), decision)
        case Verdict.DUPLICATE:
            return replace(
                answer,
                target=decision.duplicate_of,
                status=ResultStatus.DUPLICATE,
                message=f"already known as {decision.duplicate_of}"
                + ("; the evidence was added to it" if commit else ""),
            )
        case Verdict.REJECT:
            return replace(answer, status=ResultStatus.REFUSED, message=first_reason(decision))
        case Verdict.QUARANTINE | Verdict.NEEDS_ANSWER:
            candidate = waiting_candidate(workspace, settled.judgement)
            if candidate is None:
                full = reason("bounds.quota")
                return replace(
                    answer,
                    status=ResultStatus.REFUSED,
                    message=full.message,
                    reasons=(full, *decision.reasons),
                    data={**answer.data, "verdict": str(Verdict.REJECT), "rule": full.code},
                )
            needs = decision.verdict is Verdict.NEEDS_ANSWER
            return replace(
                answer,
                target=candidate.id,
                status=ResultStatus.NEEDS_ANSWER if needs else ResultStatus.WAITING,
                message=f"waits for review as {candidate.id}: {first_reason(decision)}",
            )
        case _:
            assert_never(decision.verdict)


def waiting_candidate(workspace: Workspace, judgement: Judgement) -> Candidate | None:
    """Files what waits; ``None`` when other writers filled the proposer's quota meanwhile."""
    candidate = candidate_from(workspace, judgement)
    if candidate.origin.principal.is_person:
        return put_candidate(workspace, candidate)
    return put_within_quota(workspace, candidate)


def _with_conflicts(answer: Result, decision: Decision) -> Result:
    """Tells a person that what was recorded stands against something else."""
    if not decision.conflicts or answer.status is not ResultStatus.DONE:
        return answer
    first, *others = decision.conflicts
    who = f"{first} and {len(others)} more say" if others else f"{first} says"
    return replace(
        answer,
        message=f"{answer.message}; {who} otherwise, see: memfs conflicts",
        data={**answer.data, "conflicts": list(decision.conflicts)},
    )


def activated(answer: Result, reference: str, commit: Commit | None) -> Result:
    """Words an answer whose operation is in the ledger, or was there before under its key."""
    if commit is not None and commit.is_replay:
        earlier = commit.records[0] if commit.records else reference
        return replace(
            answer,
            target=earlier.split("@")[0],
            status=ResultStatus.NOTHING,
            message=f"this key was used before; nothing new was written ({earlier})",
        )
    kept = commit.kept_working if commit else ()
    note = f"; the edited {', '.join(kept)} was left as it is" if kept else ""
    return replace(answer, message=f"recorded as {reference}{note}")


def first_reason(decision: Decision) -> str:
    """Returns the most important reason as a sentence."""
    return decision.reasons[0].message if decision.reasons else decision.rule


def candidate_from(workspace: Workspace, judgement: Judgement, *, batch: str = "") -> Candidate:
    """Makes the inbox entry of a submission that waits."""
    now = workspace.clock.now()
    submission, target = judgement.submission, judgement.target
    draft = submission.draft
    kind = kind_of(workspace, draft)
    fallback = draft.id or workspace.ids.new_id(kind.id_prefix)
    proposed = replace(draft, id=target.record.id if target else fallback)
    return Candidate(
        id=workspace.ids.new_id(CANDIDATE_PREFIX),
        action=submission.action,
        path=target.path if target else record_path(kind, proposed, month_of(now), {}),
        content=_proposed_bytes(workspace, judgement, proposed),
        base=target.blob if target else "",
        record_id=target.record.id if target else "",
        title=proposed.id if draft.sensitivity.is_opaque else draft.title,
        kind=draft.kind,
        origin=submission.origin,
        reasons=judgement.decision.reasons,
        created=now,
        expires=now + timedelta(days=workspace.settings.inbox.expire_days),
        batch=batch,
        key=submission.key or _claim_key(submission, proposed),
        quotes=submission.quotes,
    )


def _claim_key(submission: Submission, proposed: Record) -> str:
    """Returns what two proposals of the same claim share; of a sealed one not even a digest."""
    if proposed.sensitivity is Sensitivity.SEALED:
        return f"sealed:{proposed.id}:{proposed.version}"
    return f"claim:{submission.origin.principal}:{fingerprint_of(submission.draft)}"


def _proposed_bytes(workspace: Workspace, judgement: Judgement, proposed: Record) -> bytes:
    """A revision is an edit of the ledger's own bytes, so that its diff shows only the change."""
    target = judgement.target
    if target is None:
        return encode_record(as_kept(workspace, proposed), workspace.registry)
    before = workspace.store.read_blob(target.blob)
    revised = as_kept(workspace, replace(proposed, version=target.record.version + 1))
    return update_record(before, revised, path=target.path, registry=workspace.registry)
