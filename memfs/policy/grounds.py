"""What a submission rests on: the pipeline's step that verifies it, and what that makes it worth.

Invariants: authority is the minimum over what something was made from, and what a draft says
of its own authority can only lower it (A4, O48). What is cited and missing is worth nothing.
Only a person's confirmation, a deterministic verifier, or two trusted principals who say the
very same raise a claim above the one who proposed it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memfs.model.authority import Authority
from memfs.model.evidence import EVIDENCE_KIND
from memfs.model.ids import split_version
from memfs.model.origin import OriginClass
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.policy.authority import authority_of, default_authority, derive_authority
from memfs.policy.log_text import is_log
from memfs.policy.pipeline import Context, Findings
from memfs.policy.promotion import Trait
from memfs.policy.reasons import reason
from memfs.policy.support import adds_support, is_corroborated
from memfs.policy.verification import (
    is_mentioned,
    is_nothing_more,
    is_stating,
    stated_in,
)


def check_verification(context: Context, findings: Findings) -> Findings:
    """Finds out what of a submission can be verified, and holds what cites nothing that is."""
    cited = (*context.draft.evidence, *context.draft.derived_from)
    missing = [
        reason("evidence.missing", identifier)
        for identifier in dict.fromkeys(map(_identifier, cited))
        if identifier not in context.view.evidence
    ]
    findings = findings.held(missing)
    checks = context.view.verifications
    failed = [reason("verification.failed", check.name) for check in checks if not check.holds]
    findings = findings.held(failed)
    if checks and not failed:
        if is_nothing_more(context.draft, checks):
            findings = findings.with_traits(Trait.VERIFIED)
        else:
            findings = findings.noted(reason("verification.not-the-claim"))
    if not context.is_person and is_corroborated(tuple(stating_evidence(context))):
        findings = findings.with_traits(Trait.CORROBORATED)
    if not context.submission.quotes:
        return findings
    findings = findings.noted(*context.quotes.reasons)
    return findings.with_traits(Trait.QUOTED) if context.quotes.is_stated else findings


def stating_evidence(context: Context) -> Iterator[Record]:
    """Yields the cited envelopes whose source states the very claim, in the same scope."""
    view, draft = context.view, context.draft
    for identifier in _supports(context):
        item = view.evidence[identifier]
        is_standing = item.kind == EVIDENCE_KIND and item.status is Status.ACTIVE
        if not is_standing or (item.scope or view.project) != context.scope:
            continue
        if is_stating(draft, stated_in(item, view.excerpts)) or _is_observed(context, item):
            yield item


def new_support(context: Context, known: Record) -> tuple[Record, ...]:
    """Returns what supports an active record that says the same already, and is new to it.

    A person's statement is evidence of its own; it stands here without an id. A program's
    repetition is none: only what it cites can count, where that states the claim.

    Args:
        context: The case.
        known: The active record.
    """
    added = list(stating_evidence(context))
    if context.is_person:
        own = Record(
            kind=EVIDENCE_KIND, origin=context.submission.origin, observed=context.draft.observed
        )
        added.insert(0, own)
    # Who stated the record counts, whether or not an envelope says so: imports have none.
    stated = Record(kind=EVIDENCE_KIND, origin=known.origin)
    standing = (stated, *context.view.support.get(known.id, ()))
    return adds_support(standing, added, served_since=known.observed)


def authority_given(context: Context, findings: Findings) -> Authority:
    """Returns what the result may be believed for; what the draft says only lowers it (A4)."""
    return min(_authority(context, findings), _ceiling(context))


def _ceiling(context: Context) -> Authority:
    """A draft may ask for less than its due; a new version repeats what its target has.

    A log is worth no more than the least that will ever speak in it.
    """
    if is_log(context.draft.kind):
        return Authority.NONE
    asked, target = context.draft.authority, context.view.target
    if asked is None or (target is not None and asked == target.record.authority):
        return max(Authority)
    return asked


def _authority(context: Context, findings: Findings) -> Authority:
    origin = context.submission.origin
    given = default_authority(origin.origin_class)
    derived = [_authority_behind(context, item) for item in context.draft.derived_from]
    kind = context.kind
    if kind is not None and not kind.is_statement:
        return given
    if Trait.CONFIRMED in findings.traits:
        return given if origin.origin_class is OriginClass.IMPORTED else Authority.USER
    if context.is_person:
        return derive_authority([given, *derived])
    if Trait.VERIFIED in findings.traits:
        return Authority.OBSERVED
    if Trait.CORROBORATED in findings.traits:
        return derive_authority([*map(authority_of, stating_evidence(context)), *derived])
    cited = [authority_of(context.view.evidence[item]) for item in _supports(context)]
    if origin.origin_class is OriginClass.AGENT_STATED:
        return derive_authority([*cited, *derived])
    return derive_authority([given, *cited, *derived])


def _authority_behind(context: Context, reference: str) -> Authority:
    record = context.view.evidence.get(_identifier(reference))
    return Authority.NONE if record is None else authority_of(record)


def _is_observed(context: Context, evidence: Record) -> bool:
    """Tells whether the host observed what the claim says of a command that it names."""
    return evidence.origin is not None and any(
        check.holds
        and check.evidence_id == evidence.id
        and is_mentioned(check, context.draft.body or context.draft.title)
        for check in context.view.verifications
    )


def _supports(context: Context) -> tuple[str, ...]:
    quoted: Iterable[str] = (quote.evidence_id for quote in context.submission.quotes)
    cited = dict.fromkeys(map(_identifier, (*context.draft.evidence, *quoted)))
    return tuple(item for item in cited if item in context.view.evidence)


def _identifier(reference: str) -> str:
    return split_version(reference)[0]
