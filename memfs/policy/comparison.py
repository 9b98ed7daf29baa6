"""Pipeline steps that compare a draft with active records: contradiction, then duplicate.

A newer statement replaces an older one only where one person speaks about the same subject
again; everything else stays visible on both sides and waits for a person (A15, A52).
"""

from __future__ import annotations

from dataclasses import replace

from memfs.model.authority import Authority
from memfs.model.candidate import CandidateAction
from memfs.model.decision import Verdict
from memfs.model.origin import OriginClass, Principal
from memfs.model.record import Record, StoredRecord
from memfs.policy.authority import authority_of
from memfs.policy.conflicts import Comparison, compare, is_unchanged
from memfs.policy.pipeline import Context, Findings
from memfs.policy.promotion import Trait
from memfs.policy.reasons import reason


def check_contradiction(context: Context, findings: Findings) -> Findings:
    """Finds what an active record says otherwise, and whether this corrects it (A52)."""
    target = context.view.target
    if context.submission.action is CandidateAction.REVISE and target is not None:
        findings = _own_revision(context, findings, target.record)
    others = _comparison(context).contradicted
    if not others:
        return findings
    ids = tuple(stored.record.id for stored in others)
    findings = replace(findings, conflicts=ids)
    if _is_own_correction(context, others):
        noted = findings.noted(reason("correction.supersedes", ids[0]))
        return replace(noted, supersedes=ids, conflicts=()).with_traits(Trait.OWN_CORRECTION)
    if len(others) > 1:
        found = [reason("conflict.ambiguous", f"{len(others)} records")]
    else:
        found = [reason("conflict.contradiction", ids[0])]
        if context.is_person and not _is_own(others[0].record, context.submission.origin.principal):
            found.append(reason("conflict.other-principal"))
    return findings.noted(*found).with_traits(Trait.CONTRADICTS)


def _own_revision(context: Context, findings: Findings, target: Record) -> Findings:
    """A person may revise their own claims and whatever no person stated."""
    if not context.is_person:
        return findings
    if _is_stated_by_other(target, context.submission.origin.principal):
        noted = findings.noted(reason("target.other-principal", target.id))
        return noted.with_traits(Trait.CONTRADICTS)
    return findings.with_traits(Trait.OWN_CORRECTION)


def _is_own_correction(context: Context, others: tuple[StoredRecord, ...]) -> bool:
    """Tells whether a person's newer statement replaces exactly one earlier one.

    Their own, or one that no person stated: what an agent or an import said, even confirmed,
    gives way to a person's own words, as it does when they correct it.
    """
    if len(others) != 1 or context.submission.action is not CandidateAction.ADD:
        return False
    principal = context.submission.origin.principal
    if context.submission.is_confirmed:
        if context.view.reviewer is None:
            return False
        principal = context.view.reviewer
    elif not context.is_person:
        return False
    return not _is_stated_by_other(others[0].record, principal)


def _is_own(record: Record, principal: Principal) -> bool:
    origin = record.origin
    return (
        origin is not None
        and origin.origin_class is OriginClass.USER_STATED
        and origin.principal == principal
    )


def _is_stated_by_other(record: Record, principal: Principal) -> bool:
    origin = record.origin
    return (
        origin is not None
        and origin.origin_class is OriginClass.USER_STATED
        and origin.principal.is_person
        and origin.principal != principal
    )


def check_duplicate(context: Context, findings: Findings) -> Findings:
    """Finds an active record that says the same under the same key.

    A person who repeats what a weaker source said confirms it: the new record replaces it.
    """
    target = context.view.target
    if context.submission.action is CandidateAction.REVISE and target is not None:
        if not is_unchanged(context.draft, target.record):
            return findings
        ended = findings.ended(Verdict.DUPLICATE, [reason("duplicate.unchanged")])
        return replace(ended, duplicate_of=target.record.id)
    repeated = _comparison(context).repeated
    if not repeated or context.submission.action is not CandidateAction.ADD:
        return findings
    if context.is_person and all(
        authority_of(stored.record) < Authority.USER for stored in repeated
    ):
        ids = tuple(stored.record.id for stored in repeated)
        noted = findings.noted(reason("duplicate.confirmed", ids[0]))
        return replace(noted, supersedes=(*findings.supersedes, *ids))
    first = repeated[0].record
    found = [reason("duplicate.same-claim", first.id)]
    if not set(context.draft.evidence) <= set(first.evidence):
        found.append(reason("duplicate.new-evidence"))
    ended = findings.ended(Verdict.DUPLICATE, found)
    return replace(ended, duplicate_of=first.id, supersedes=())


def _comparison(context: Context) -> Comparison:
    return compare(
        context.draft,
        (*context.view.same_subject, *context.view.same_content),
        registry=context.registry,
        project=context.view.project,
        ignored=context.submission.target,
    )
