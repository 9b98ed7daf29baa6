"""Pipeline steps that compare a draft with active records: contradiction, then duplicate.

A newer statement replaces an older one only where one principal speaks about the same subject
again; everything else stays visible on both sides until somebody resolves it (A15, A52).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memfs.model.authority import Authority
from memfs.model.candidate import CandidateAction
from memfs.model.decision import Reason, Verdict
from memfs.model.origin import OriginClass, Principal
from memfs.model.record import Record, StoredRecord
from memfs.policy.authority import authority_of
from memfs.policy.conflicts import (
    Comparison,
    compare,
    is_newer,
    is_observation,
    is_reaching_past,
    is_unchanged,
)
from memfs.policy.edges import same_id
from memfs.policy.grounds import new_support
from memfs.policy.pipeline import Context, Findings
from memfs.policy.promotion import Trait
from memfs.policy.reasons import reason
from memfs.policy.withdrawal import is_withdrawn

MOST_REPLACED: Final = 100
"""How many earlier statements one statement replaces at most."""


def check_contradiction(context: Context, findings: Findings) -> Findings:
    """Finds what says otherwise: what this replaces, and what it stands against (A15, A52).

    A person's statement stands beside another person's, both marked, until somebody resolves
    it; so does what the host observed beside a stored claim. Whoever else contradicts waits.
    """
    target = context.view.target
    if context.submission.action is CandidateAction.REVISE and target is not None:
        findings = _own_revision(context, findings, target.record)
    others = _comparison(context).contradicted
    if not others:
        return findings
    is_observed = context.submission.origin.origin_class is OriginClass.HOST_OBSERVED
    if context.kind is not None and context.kind.append_only and not _speaker(context):
        replaced = _told_before(context, others)
    else:
        replaced = _observed_before(context, others) if is_observed else _own(context, others)
    if replaced:
        findings = replace(findings, supersedes=replaced).with_traits(Trait.OWN_CORRECTION)
        findings = findings.noted(reason("correction.supersedes", replaced[0]))
    if is_observed:
        findings = findings.with_traits(Trait.OBSERVED_OTHERWISE)
    standing = tuple(item.record for item in others if item.record.id not in replaced)
    if not standing:
        return findings
    findings = replace(findings, conflicts=tuple(record.id for record in standing))
    findings = findings.noted(*_reasons(context, standing))
    is_taking_place = any(record.id in context.draft.supersedes for record in standing)
    if (context.is_person or is_observed) and not is_taking_place:
        return findings
    return findings.with_traits(Trait.CONTRADICTS)


def _reasons(context: Context, standing: tuple[Record, ...]) -> list[Reason]:
    if len(standing) > 1:
        return [reason("conflict.ambiguous", f"{len(standing)} records")]
    found = [reason("conflict.contradiction", standing[0].id)]
    if context.is_person and not _is_own(standing[0], context.submission.origin.principal):
        found.append(reason("conflict.other-principal"))
    return found


def _own_revision(context: Context, findings: Findings, target: Record) -> Findings:
    """A person may revise their own claims and whatever no person stated."""
    if not context.is_person:
        return findings
    if _is_stated_by_other(target, context.submission.origin.principal):
        noted = findings.noted(reason("target.other-principal", target.id))
        return noted.with_traits(Trait.CONTRADICTS)
    return findings.with_traits(Trait.OWN_CORRECTION)


def _own(context: Context, others: tuple[StoredRecord, ...]) -> tuple[str, ...]:
    """Returns the ids of what a person's newer statement replaces.

    Their own earlier ones, and the one that no person stated: what an agent or an import said,
    even confirmed, gives way to a person's own words, as it does when they correct it. Nothing
    is replaced that would hold for longer: it could not come back afterwards.
    """
    speaker = _speaker(context)
    if speaker is None:
        return ()
    records = [item.record for item in others]
    own = [record for record in records if _is_own(record, speaker)]
    unowned = [
        record
        for record in records
        if not _is_own(record, speaker) and not _is_stated_by_other(record, speaker)
    ]
    if len(own) > MOST_REPLACED:
        # So many are no earlier wording of one statement; a person sorts them out.
        own = []
    replaced = (*own, *(unowned if len(unowned) == 1 else ()))
    return tuple(
        sorted(record.id for record in replaced if is_reaching_past(context.draft, record))
    )


def _speaker(context: Context) -> Principal | None:
    """Returns the person whose statement this is: who made it, or who confirmed it in review."""
    if context.submission.is_confirmed:
        return context.view.reviewer
    return context.submission.origin.principal if context.is_person else None


def _observed_before(context: Context, others: tuple[StoredRecord, ...]) -> tuple[str, ...]:
    """Returns the ids of what the same host saw earlier (A16)."""
    seen = context.draft.event_time or context.draft.observed or context.now
    principal = context.submission.origin.principal
    return tuple(
        item.record.id
        for item in others
        if is_observation(item.record)
        and item.record.origin is not None
        and item.record.origin.principal == principal
        and is_reaching_past(context.draft, item.record)
        and not is_newer(item.record, seen)
    )


def _told_before(context: Context, others: tuple[StoredRecord, ...]) -> tuple[str, ...]:
    """Returns the ids of what the same source told before of what is told once (O7)."""
    origin = context.submission.origin
    return tuple(
        item.record.id
        for item in others
        if item.record.origin is not None
        and item.record.origin.principal == origin.principal
        and item.record.origin.origin_class is origin.origin_class
        and is_reaching_past(context.draft, item.record)
    )


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
    if _is_account(context):
        # What happened twice happened twice, and the same words from another source are another
        # piece of evidence: an account is the same as another by its id alone.
        return findings
    if context.submission.action is not CandidateAction.ADD:
        return findings
    standing = same_id(context)
    if standing is not None:
        return _met_again(context, findings, standing)
    repeated = _comparison(context).repeated
    if not repeated:
        return findings
    if findings.supersedes:
        # Whoever now says what another said before has given up what they said themselves.
        return findings
    if context.is_person and all(
        authority_of(stored.record) < Authority.USER for stored in repeated
    ):
        ids = tuple(stored.record.id for stored in repeated)
        noted = findings.noted(reason("duplicate.confirmed", ids[0]))
        return replace(noted, supersedes=(*findings.supersedes, *ids))
    first = repeated[0].record
    found = [reason("duplicate.same-claim", first.id)]
    if new_support(context, first):
        found.append(reason("duplicate.new-evidence"))
    ended = findings.ended(Verdict.DUPLICATE, found)
    return replace(ended, duplicate_of=first.id, supersedes=())


def _met_again(context: Context, findings: Findings, standing: Record) -> Findings:
    """Decides on a thing that is there under its id: never twice, and never back by itself.

    To a program it is not told that a person took it back.
    """
    if not is_withdrawn(standing):
        ended = findings.ended(Verdict.DUPLICATE, [reason("duplicate.same-id", standing.id)])
        return replace(ended, duplicate_of=standing.id)
    if context.is_person:
        return findings.ended(Verdict.REJECT, [reason("duplicate.taken-back", standing.id)])
    return findings.with_traits(Trait.NEEDS_PERSON)


def _is_account(context: Context) -> bool:
    kind = context.kind
    return kind is not None and kind.append_only and not kind.is_statement


def _comparison(context: Context) -> Comparison:
    return compare(
        context.draft,
        (*context.view.same_subject, *context.view.same_content),
        registry=context.registry,
        project=context.view.project,
        ignored=context.submission.target,
    )
