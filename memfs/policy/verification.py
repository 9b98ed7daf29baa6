"""What can be verified without judgement: that quoted words really stand in evidence.

A quote counts only in whole sentences, since cutting one can turn it round: "use tabs"
stands verbatim in "never use tabs". The claim must be nothing but quoted sentences.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memfs.model.authority import Authority
from memfs.model.candidate import Submission
from memfs.model.decision import Reason
from memfs.model.evidence import Quote
from memfs.model.origin import Origin, OriginClass
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.status import Status
from memfs.model.text import normalise_text
from memfs.policy.authority import authority_of, derive_authority
from memfs.policy.reasons import reason

_BREAK: Final = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|[\r\n]+")
_ENDS: Final = ".!?。！？ "
_MINIMUM_CHARS: Final = 8


@dataclass(frozen=True, slots=True)
class Verification:
    """The answer of a deterministic verifier: a path, a commit, a test result, a date.

    Attributes:
        name: Name of the verifier, such as ``path-exists``.
        holds: Whether it found what the claim says.
    """

    name: str
    holds: bool


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """What checking all quotes of a submission gave.

    Attributes:
        is_stated: The claim is nothing but whole sentences that a person stated.
        authority: Minimum over the quoted evidence; ``NONE`` when nothing was quoted.
        reasons: Why a quote or the claim does not hold, in the order of the quotes.
    """

    is_stated: bool
    authority: Authority
    reasons: tuple[Reason, ...]


def sentences_of(text: str) -> tuple[str, ...]:
    """Splits a text into normalised sentences without their closing marks, in order."""
    parts = (normalise_text(part).strip(_ENDS) for part in _BREAK.split(text))
    return tuple(part for part in parts if part)


def excerpt_of(evidence: Record) -> str:
    """Returns the words of the source that an evidence record kept; empty for none."""
    excerpt = evidence.fields.get("excerpt")
    return excerpt if isinstance(excerpt, str) else ""


def check_quote(quote: Quote, evidence: Record | None, *, scope: Scope, project: Scope) -> str:
    """Returns the code of why a quote does not hold, or an empty string.

    Args:
        quote: The quote.
        evidence: The evidence record it names, from the ledger; ``None`` when there is none.
        scope: Scope of the claim.
        project: Scope of records that name none.
    """
    if evidence is None or evidence.kind != "evidence" or evidence.status is not Status.ACTIVE:
        return "evidence.missing"
    if not _is_stated_by_person(evidence.origin):
        return "quote.not-user-stated"
    if (evidence.scope or project) != scope:
        return "quote.other-scope"
    excerpt = excerpt_of(evidence)
    words = normalise_text(quote.text)
    if not words or words.strip(_ENDS) not in normalise_text(excerpt):
        return "quote.not-found"
    if not _is_run(sentences_of(quote.text), sentences_of(excerpt)):
        return "quote.partial"
    return ""


def check_quotes(
    submission: Submission, evidence: Mapping[str, Record], *, project: Scope
) -> QuoteCheck:
    """Checks every quote of a submission and whether the claim is what was quoted."""
    scope = submission.draft.scope or project
    failures: list[Reason] = []
    held: list[tuple[str, ...]] = []
    authorities: list[Authority] = []
    for quote in submission.quotes:
        record = evidence.get(quote.evidence_id)
        code = check_quote(quote, record, scope=scope, project=project)
        if code or record is None:
            failures.append(reason(code or "evidence.missing", quote.evidence_id))
            continue
        held.append(sentences_of(quote.text))
        authorities.append(authority_of(record))
    is_stated = bool(held) and not failures and _is_said(submission.draft, held)
    if held and not failures and not is_stated:
        failures.append(reason("quote.not-the-claim"))
    return QuoteCheck(is_stated, derive_authority(authorities), tuple(failures))


def _is_stated_by_person(origin: Origin | None) -> bool:
    return (
        origin is not None
        and origin.origin_class is OriginClass.USER_STATED
        and origin.principal.is_person
    )


def _is_said(draft: Record, quoted: Sequence[tuple[str, ...]]) -> bool:
    """Tells whether title and body are quoted sentences and nothing else carries words."""
    body = sentences_of(draft.body)
    title = sentences_of(draft.title.rstrip("…"))
    if sum(map(len, body or title)) < _MINIMUM_CHARS:
        return False
    if draft.summary or draft.abstract or draft.relations or draft.fields or draft.unknown:
        return False
    if body and not any(_is_run(body, sentences) for sentences in quoted):
        return False
    if not title or (body and " ".join(body).startswith(" ".join(title))):
        return True
    return any(_is_run(title, sentences) for sentences in quoted)


def _is_run(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Tells whether ``part`` stands in ``whole`` as consecutive items."""
    if not part:
        return False
    return any(
        whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1)
    )
