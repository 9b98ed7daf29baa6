"""Admission: one ordered pipeline for every producer (A23, A47, A50).

Invariants: every submission gets a decision with stable reason codes; nothing that a text
or a caller says of itself changes which class it has; a rejected secret appears in no
reason; confirmation by a person skips neither eligibility, bounds, screening for secrets,
tombstones nor comparison. The steps after these (commit, read-back) are the services'.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from memfs.model.authority import Sensitivity
from memfs.model.candidate import CandidateAction, Submission
from memfs.model.decision import Decision, Reason, Verdict
from memfs.model.evidence import EXCERPT_KIND
from memfs.model.execution import TASK_KIND
from memfs.model.intention import INTENTION_KIND
from memfs.model.kinds import KindRegistry
from memfs.model.limits import CAPTURES_A_DAY, WORK_A_DAY
from memfs.model.origin import Actor, OriginClass, Principal, PrincipalKind
from memfs.model.record import Record
from memfs.model.scope import Scope, ScopeKind
from memfs.model.settings import HandEdits, Mode, Settings
from memfs.model.status import Status
from memfs.model.text import claim_fingerprint
from memfs.policy.authority import LIVE_CHANNELS, class_of_actor, is_hand_edit
from memfs.policy.bounds import check_atomic, check_bounds, check_kind, check_stage
from memfs.policy.comparison import check_contradiction, check_duplicate
from memfs.policy.edges import check_ends
from memfs.policy.eligibility import check_eligibility
from memfs.policy.grounds import authority_given, check_verification
from memfs.policy.log_text import is_log
from memfs.policy.logs import is_grown
from memfs.policy.namespaces import is_owner
from memfs.policy.pipeline import AdmissionView, Context, Findings, Step
from memfs.policy.promotion import (
    WORK_KINDS,
    Case,
    ScopeRelation,
    Trait,
    fitting_row,
    tightened_verdict,
)
from memfs.policy.publication import believed, is_published
from memfs.policy.reasons import reason
from memfs.policy.retention import review_date
from memfs.policy.role_admission import check_role, is_accepted_of_project, is_identity
from memfs.policy.screening import LATER, screen
from memfs.policy.sources import is_switched_off
from memfs.policy.subjects import check_subject

__all__ = ["PIPELINE", "AdmissionView", "decide", "scope_relation"]


def decide(
    submission: Submission,
    view: AdmissionView,
    settings: Settings,
    registry: KindRegistry,
    now: datetime,
) -> Decision:
    """Decides on one submission.

    Args:
        submission: What asks to enter.
        view: What the ledger's head has to say about it.
        settings: As admitted at the ledger's head.
        registry: The kinds of this build.
        now: The present, aware, UTC.
    """
    context = Context(
        submission=submission, view=view, settings=settings, registry=registry, now=now
    )
    findings = Findings()
    for step in PIPELINE:
        if submission.action in step.skipped:
            continue
        findings = step.check(context, findings)
        if findings.verdict is not None:
            break
    return _decision(context, _within_quota(context, findings))


def scope_relation(
    scope: Scope, *, project: Scope, principal: Principal, is_person: bool
) -> ScopeRelation:
    """Returns how a claim's scope relates to the store and to who states it.

    What holds everywhere needs the owner's explicit act, in the store that owns it too.
    """
    if scope == project and (is_person or scope.kind is not ScopeKind.GLOBAL):
        return ScopeRelation.OWN
    match scope.kind:
        case ScopeKind.GLOBAL:
            return ScopeRelation.GLOBAL
        case ScopeKind.TEAM:
            return ScopeRelation.SHARED
        case ScopeKind.TASK | ScopeKind.SESSION | ScopeKind.THREAD:
            return ScopeRelation.PRIVATE
        case ScopeKind.AGENT:
            is_own = principal.kind is PrincipalKind.AGENT and principal.name == scope.name
            return ScopeRelation.PRIVATE if is_own else ScopeRelation.OTHER
        case ScopeKind.PROJECT:
            return ScopeRelation.OTHER


def _check_mode(context: Context, findings: Findings) -> Findings:
    match context.settings.mode:
        case Mode.OFF:
            return findings.ended(Verdict.REJECT, [reason("mode.off")])
        case Mode.READ_ONLY:
            return findings.ended(Verdict.REJECT, [reason("mode.read-only")])
        case Mode.SHADOW | Mode.ENFORCED:
            return findings


def _check_source(context: Context, findings: Findings) -> Findings:
    """Lets nothing in from a source that is switched off, nor into a polluted namespace (A75)."""
    if is_switched_off(context.submission.origin, context.settings.sources_off):
        return findings.ended(Verdict.REJECT, [reason("source.off")])
    if context.scope in context.view.polluted:
        return findings.ended(Verdict.REJECT, [reason("namespace.polluted")])
    return findings


def _check_origin(context: Context, findings: Findings) -> Findings:
    """Captures what the origin is worth; the class must be the channel's own (A3)."""
    origin = context.submission.origin
    if not origin.source or not origin.digest:
        return findings.ended(Verdict.REJECT, [reason("origin.incomplete")])
    if origin.origin_class is not class_of_actor(Actor(origin.principal, origin.channel)):
        return findings.ended(Verdict.REJECT, [reason("origin.class-mismatch")])
    kind = context.kind
    if origin.origin_class is OriginClass.SYSTEM and kind is not None and kind.is_statement:
        return findings.ended(Verdict.REJECT, [reason("origin.system-claim")])
    traits = {
        Trait.CONFIRMED: context.submission.is_confirmed,
        Trait.PERSON: context.is_person,
        Trait.LIVE: context.is_person and origin.channel in LIVE_CHANNELS,
        Trait.HAND_EDIT: is_hand_edit(origin),
        Trait.TYPED: context.submission.is_typed,
        Trait.IDENTITY: is_identity(context.draft),
        Trait.OF_PROJECT: is_accepted_of_project(context.draft),
        Trait.ADOPTED: context.settings.trust.hand_edits is HandEdits.ADOPT,
        Trait.QUOTES_COUNT: context.settings.trust.agent_quotes,
        Trait.HAS_OUTCOME: bool(context.draft.fields.get("outcome")),
    }
    found = findings.with_traits(*(trait for trait, holds in traits.items() if holds))
    # What another namespace offers is no statement made here, whoever made it there.
    return found.held([reason("publication.review")] if is_published(origin) else [])


def _check_target(context: Context, findings: Findings) -> Findings:
    match context.submission.action:
        case CandidateAction.ADD:
            return _check_owner(context, findings)
        case CandidateAction.SETTINGS:
            return findings.with_traits(Trait.REMOVES).noted(reason("settings.needs-person"))
        case CandidateAction.FORGET | CandidateAction.REVISE | CandidateAction.CONFLICT:
            pass
    denial = _target_denial(context)
    if denial is not None:
        return findings.ended(Verdict.REJECT, [denial])
    match context.submission.action:
        case CandidateAction.FORGET:
            return findings.with_traits(Trait.REMOVES).noted(reason("forget.needs-person"))
        case CandidateAction.CONFLICT:
            return findings.held([reason("candidate.needs-person")])
        case _:
            return findings


def _target_denial(context: Context) -> Reason | None:
    target = context.view.target
    if target is None or target.record.id != context.submission.target:
        return reason("target.missing")
    if target.record.status is not Status.ACTIVE:
        return reason("target.not-active")
    if context.is_removal:
        return None
    if target.record.kind != context.draft.kind:
        return reason("target.kind-changed")
    if (target.record.scope or context.view.project) != context.scope:
        return reason("target.scope-changed")
    kind = context.kind
    if kind is not None and kind.append_only:
        return reason("target.append-only")
    if _is_rewriting(context, target.record):
        return reason("target.append-only")
    return None


def _is_rewriting(context: Context, target: Record) -> bool:
    """Whether a program would take lines out of a log, where nobody has looked at it (C15).

    Nor does it rewrite what a task is for: a task moves by its steps alone (A64).
    """
    is_looked_at = context.submission.is_confirmed or context.is_person
    if is_looked_at:
        return False
    is_cut = is_log(target.kind) and not is_grown(target, context.draft)
    origin = context.submission.origin
    return is_cut or (target.kind == TASK_KIND and not is_hand_edit(origin))


def _check_owner(context: Context, findings: Findings) -> Findings:
    """Lets a store take only what it owns; anything else is published there, and decided there."""
    if is_owner(context.view.project, context.scope):
        return findings
    return findings.ended(Verdict.REJECT, [reason("scope.other-store")])


def _check_eligibility(context: Context, findings: Findings) -> Findings:
    reasons = check_eligibility(context.asked, context.visible, is_person=context.is_person)
    return findings.ended(Verdict.REJECT, reasons)


def _check_bounds(context: Context, findings: Findings) -> Findings:
    unknown = check_kind(context.draft, context.registry)
    if unknown is not None:
        return findings.ended(Verdict.REJECT, [unknown])
    limit = context.settings.inbox.item_bytes
    reasons = check_bounds(context.draft, context.kind, body_bytes=limit)
    if context.draft.kind == INTENTION_KIND:
        from memfs.policy.intention_triggers import check_intention  # hardly any draft is one

        reasons = (*reasons, *check_intention(context.draft))
    if reasons:
        return findings.ended(Verdict.REJECT, reasons)
    unlawful = check_role(context)
    if unlawful:
        return findings.ended(Verdict.REJECT, unlawful)
    atomic = None if context.is_person else check_atomic(context.draft)
    return check_ends(context, findings.held([atomic] if atomic else []))


def _check_questions(context: Context, findings: Findings) -> Findings:
    """Asks back where only the proposer knows; what is asked about is screened by then."""
    stage = check_stage(context.draft)
    if stage is not None:
        return findings.ended(Verdict.NEEDS_ANSWER, [stage])
    origin = context.submission.origin
    is_own = Trait.CONFIRMED in findings.traits or context.is_person
    if is_own or origin.origin_class in _ASKED_NEVER or is_hand_edit(origin):
        return findings
    subject = check_subject(context.asked)
    return findings.ended(Verdict.NEEDS_ANSWER, [subject] if subject else [])


def _check_content(context: Context, findings: Findings) -> Findings:
    is_own = context.is_in_own_words
    screened = screen(context.text, is_person=is_own, body=context.asked.body)
    if screened.rejects:
        return findings.ended(Verdict.REJECT, screened.rejects)
    is_later = context.draft.kind in (*WORK_KINDS, INTENTION_KIND)
    holds = (item for item in screened.holds if not (is_later and item.code in LATER))
    return findings.held(holds)


def _check_tombstones(context: Context, findings: Findings) -> Findings:
    if not context.view.tombstoned:
        return findings
    draft = context.draft
    fingerprint = claim_fingerprint(
        draft.kind, str(context.scope), draft.subject, draft.title, draft.said
    )
    if fingerprint in context.view.tombstoned or draft.id in context.view.tombstoned:
        return findings.ended(Verdict.REJECT, [reason("tombstone.matches")])
    return findings


def _check_sensitivity(context: Context, findings: Findings) -> Findings:
    """Holds what is, or was derived from, something that is kept closely.

    ``sealed`` promises a body that only its key can open: where that cannot be kept, or where
    somebody else than a person asks for it, it is refused and never written in plain text (A100).
    """
    if context.draft.sensitivity >= Sensitivity.SEALED:
        if not context.is_person:
            return findings.ended(Verdict.REJECT, [reason("screening.sealed-person")])
        if not context.view.can_seal:
            return findings.ended(Verdict.REJECT, [reason("screening.sealed")])
        return findings
    labels = [context.draft.sensitivity]
    labels += [record.sensitivity for record in context.view.evidence.values()]
    if max(labels) >= Sensitivity.CONFIDENTIAL:
        return findings.held([reason("screening.sensitive")])
    return findings


def _check_promotion(context: Context, findings: Findings) -> Findings:
    origin = context.submission.origin
    is_account = context.kind is not None and not context.kind.is_statement
    case = Case(
        kind=context.draft.kind,
        origin=origin.origin_class,
        scope=scope_relation(
            context.scope,
            project=context.view.project,
            principal=origin.principal,
            is_person=is_account or (context.is_person and not context.submission.wants_review),
        ),
        traits=findings.traits,
    )
    row = fitting_row(case)
    verdict = tightened_verdict(row, context.settings.tightened)
    is_shadow = context.settings.mode is Mode.SHADOW and Trait.CONFIRMED not in findings.traits
    if verdict is Verdict.ACTIVATE and is_shadow:
        findings = findings.noted(reason("mode.shadow"))
        verdict = Verdict.QUARANTINE
    asks = context.submission.wants_review and Trait.CONFIRMED not in findings.traits
    if verdict is Verdict.ACTIVATE and asks:
        findings = findings.noted(reason("review.requested"))
        verdict = Verdict.QUARANTINE
    reasons = findings.reasons
    if verdict is not Verdict.ACTIVATE:
        reasons = (*reasons, row.reason)
    supersedes = findings.supersedes if verdict is Verdict.ACTIVATE else ()
    return replace(
        findings,
        verdict=verdict,
        rule=row.code,
        reasons=reasons,
        authority=believed(authority_given(context, findings), context.draft, origin),
        supersedes=supersedes,
    )


def _within_quota(context: Context, findings: Findings) -> Findings:
    """Bounds what one program can leave behind; people are not counted (A83, O56).

    The counts are those of the view: who writes afterwards takes them under the store's lock.
    """
    view = context.view
    if context.submission.origin.principal.is_person:
        return findings
    if findings.verdict in _WAITING and view.waiting >= context.settings.inbox.quota:
        return findings.ended(Verdict.REJECT, [reason("bounds.quota")])
    if findings.verdict is not Verdict.ACTIVATE:
        return findings
    kind = context.draft.kind
    if kind == EXCERPT_KIND and view.captured >= CAPTURES_A_DAY:
        return findings.ended(Verdict.REJECT, [reason("bounds.captured")])
    if kind in WORK_KINDS and view.target is None and view.captured >= WORK_A_DAY:
        return findings.ended(Verdict.REJECT, [reason("bounds.recorded")])
    return findings


def _decision(context: Context, findings: Findings) -> Decision:
    verdict = findings.verdict or Verdict.QUARANTINE
    kind = context.kind
    is_dated = verdict is Verdict.ACTIVATE and kind is not None and not context.is_removal
    return Decision(
        verdict=verdict,
        rule=findings.rule,
        reasons=tuple(dict.fromkeys(findings.reasons)),
        policy=context.settings.digest,
        authority=findings.authority,
        review_after=review_date(kind, context.now) if is_dated and kind else None,
        duplicate_of=findings.duplicate_of,
        supersedes=findings.supersedes,
        conflicts=findings.conflicts,
    )


_WAITING: Final = frozenset({Verdict.QUARANTINE, Verdict.NEEDS_ANSWER})
_ASKED_NEVER: Final = frozenset({OriginClass.IMPORTED, OriginClass.SYSTEM})
"""Nobody is there to answer; what they brought waits for a person anyway."""
_NO_CLAIM: Final = frozenset({CandidateAction.FORGET, CandidateAction.SETTINGS})
_NO_TEXT: Final = frozenset({CandidateAction.FORGET})

PIPELINE: Final[tuple[Step, ...]] = (
    Step("mode", _check_mode),
    Step("source", _check_source, _NO_CLAIM),
    Step("origin", _check_origin),
    Step("target", _check_target),
    Step("eligibility", _check_eligibility, _NO_CLAIM),
    Step("bounds", _check_bounds, _NO_CLAIM),
    Step("screening", _check_content, _NO_TEXT),
    Step("tombstones", _check_tombstones, _NO_CLAIM),
    Step("sensitivity", _check_sensitivity, _NO_CLAIM),
    Step("questions", _check_questions, _NO_CLAIM),
    Step("contradiction", check_contradiction, _NO_CLAIM),
    Step("duplicate", check_duplicate, _NO_CLAIM),
    Step("verification", check_verification, _NO_CLAIM),
    Step("promotion", _check_promotion),
)
"""The steps in order; the first that sets a verdict ends it."""
