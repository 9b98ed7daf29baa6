"""What can be verified without judgement: quoted words, and values that were looked up.

A quote counts only in whole sentences, since cutting one can turn it round: "use tabs"
stands verbatim in "never use tabs". The claim must be nothing but quoted sentences. The
words are those of the excerpt that belongs to the envelope; one that was erased, withdrawn
or is not the text that the envelope has the digest of proves nothing. A value that was
looked up proves a claim only where the claim says nothing besides it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeGuard

from memfs.model.authority import Authority
from memfs.model.candidate import Submission
from memfs.model.decision import Reason
from memfs.model.digests import content_digest
from memfs.model.evidence import EVIDENCE_KIND, Quote
from memfs.model.frozen import frozen
from memfs.model.ids import is_id
from memfs.model.origin import Channel, Origin, OriginClass
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.status import Status
from memfs.model.text import normalise_text
from memfs.policy.authority import authority_of, derive_authority
from memfs.policy.reasons import reason
from memfs.policy.typed import typed_words

_BREAK: Final = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|[\r\n]+")
_ENDS: Final = ".!?。！？ "
_MINIMUM_CHARS: Final = 8
_LETTERS: Final = re.compile(r"\w+")
_PLAIN: Final = re.compile(r"[\w\s.,:;`'\"()#*_-]+")
_FILLER_WORDS: Final = """
    a an and at by called code command commit contains defines directory ended ends exist exists
    exit exited exits file folder found function class has have here in is are was were it line
    lines method module named of on path present project repo repository run runs ran stands
    status symbol test tests the there to under with
"""
_FILLERS: Final = frozenset(_FILLER_WORDS.split())
"""Words that say nothing beside a path, a commit, a name or how something ended."""


_LABELS: Final = frozenset({"event_kind", "project", "session", "turns"})
"""Fields that say of what was quoted what sort it is and where it stands, and nothing else."""


STEERING: Final = frozenset({"scoring-rule", "domain-pref"})
"""Tags, and what subjects begin with, by which a record steers every session: a person's to set."""
_KEYED: Final = "profile"
"""Of this kind the subject is shown with the words: it is a word of the line."""


@frozen(kw_only=False)
class Verification:
    """The answer of a deterministic verifier: a path, a commit, a test result, a date.

    Attributes:
        name: Name of the verifier, such as ``path``.
        holds: Whether it found what the claim says.
        words: What was looked up, each as the claim may write it.
        evidence_id: The observation that it was found in; empty for none.
        is_proof: A claim can rest on it; that a date is one proves nothing.
    """

    name: str
    holds: bool
    words: tuple[str, ...] = ()
    evidence_id: str = ""
    is_proof: bool = True


@frozen(kw_only=False)
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


def excerpt_of(evidence: Record, excerpts: Mapping[str, Record]) -> str:
    """Returns the words of the source of an envelope; empty where none of them stand.

    Args:
        evidence: The envelope.
        excerpts: Excerpts by the id of their envelope.
    """
    excerpt = excerpts.get(evidence.id)
    if excerpt is None or excerpt.status is not Status.ACTIVE or evidence.origin is None:
        return ""
    words = source_text(excerpt.body)
    return words if source_digest(words) == evidence.origin.digest else ""


def stated_in(evidence: Record, excerpts: Mapping[str, Record]) -> str:
    """Returns the words of an envelope that are its speaker's own: of a prompt what was typed."""
    words = excerpt_of(evidence, excerpts)
    is_prompt = evidence.origin is not None and evidence.origin.channel is Channel.PROMPT_HOOK
    return typed_words(words) if is_prompt else words


def source_text(text: str) -> str:
    """Returns a text as an excerpt keeps it: one kind of line end, no blank lines around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")


def source_digest(text: str) -> str:
    """Returns the digest that the envelope of ``text`` carries."""
    return content_digest("source", text.encode("utf-8", "surrogatepass"))


def check_quote(
    quote: Quote,
    evidence: Record | None,
    excerpts: Mapping[str, Record],
    *,
    scope: Scope,
    project: Scope,
) -> str:
    """Returns the code of why a quote does not hold, or an empty string.

    Args:
        quote: The quote.
        evidence: The envelope it names, from the ledger; ``None`` when there is none.
        excerpts: Excerpts by the id of their envelope.
        scope: Scope of the claim.
        project: Scope of records that name none.
    """
    if not _is_standing(evidence):
        return "evidence.missing"
    if not is_stated_by_person(evidence.origin):
        return "quote.not-user-stated"
    if (evidence.scope or project) != scope:
        return "quote.other-scope"
    excerpt = excerpt_of(evidence, excerpts)
    words = normalise_text(quote.text)
    if not words or words.strip(_ENDS) not in normalise_text(excerpt):
        return "quote.not-found"
    if not _is_run(sentences_of(quote.text), sentences_of(excerpt)):
        return "quote.partial"
    if not _is_run(sentences_of(quote.text), sentences_of(stated_in(evidence, excerpts))):
        return "quote.pasted"
    return ""


def check_quotes(
    submission: Submission,
    evidence: Mapping[str, Record],
    excerpts: Mapping[str, Record],
    *,
    project: Scope,
) -> QuoteCheck:
    """Checks every quote of a submission and whether the claim is what was quoted."""
    scope = submission.draft.scope or project
    failures: list[Reason] = []
    held: list[tuple[str, ...]] = []
    authorities: list[Authority] = []
    for quote in submission.quotes:
        record = evidence.get(quote.evidence_id)
        code = check_quote(quote, record, excerpts, scope=scope, project=project)
        if code or record is None:
            failures.append(reason(code or "evidence.missing", quote.evidence_id))
            continue
        held.append(sentences_of(quote.text))
        authorities.append(authority_of(record))
    is_stated = bool(held) and not failures and _is_said(submission.draft, held)
    if held and not failures and not is_stated:
        failures.append(reason("quote.not-the-claim"))
    return QuoteCheck(is_stated, derive_authority(authorities), tuple(failures))


def is_stating(draft: Record, text: str) -> bool:
    """Tells whether a text says, in whole sentences, all that a draft claims."""
    return _is_said(draft, (sentences_of(text),))


def is_stated_by_person(origin: Origin | None) -> bool:
    """Tells whether a person said it, at a terminal or in a prompt that the host recorded."""
    return (
        origin is not None
        and origin.origin_class is OriginClass.USER_STATED
        and origin.principal.is_person
    )


def is_nothing_more(draft: Record, verifications: Sequence[Verification]) -> bool:
    """Tells whether a claim says what was verified, all of it, and nothing besides.

    That a file exists proves no other word of the sentence that mentions it. What was looked
    up has to stand in the claim; of the rest only words that carry nothing may be left.
    """
    proofs = [item for item in verifications if item.is_proof]
    if not proofs or draft.summary or draft.abstract or draft.relations:
        return False
    if draft.fields or draft.unknown:
        return False
    text = f" {normalise_text(draft.body)} "
    title = normalise_text(draft.title.rstrip("…"))
    if title and not text.strip("# ").startswith(title):
        text = f" {title} {text}"
    if not all(is_mentioned(item, text) for item in proofs):
        return False
    for word in sorted((word for item in verifications for word in item.words), key=len)[::-1]:
        text = _whole(word).sub(" ", text)
    return _PLAIN.fullmatch(text) is not None and set(_LETTERS.findall(text)) <= _FILLERS


def is_mentioned(verification: Verification, text: str) -> bool:
    """Tells whether the first of what was looked up stands in a text as a whole."""
    folded = normalise_text(text)
    return all(_whole(word).search(folded) is not None for word in verification.words[:1])


def _whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w/.-]){re.escape(normalise_text(word))}(?![\w/-]|\.\w)")


def _is_standing(evidence: Record | None) -> TypeGuard[Record]:
    return (
        evidence is not None and evidence.kind == EVIDENCE_KIND and evidence.status is Status.ACTIVE
    )


def _is_said(draft: Record, quoted: Sequence[tuple[str, ...]]) -> bool:
    """Tells whether title and body are quoted sentences and nothing else carries words."""
    body = sentences_of(draft.body)
    title = sentences_of(draft.title.rstrip("…"))
    if sum(map(len, body or title)) < _MINIMUM_CHARS:
        return False
    if draft.summary or draft.abstract or draft.relations or draft.unknown:
        return False
    if not _LABELS.issuperset(draft.fields) or _is_steering(draft):
        return False
    if not all(_stands_in(quoted, name) for name in _names_shown(draft)):
        return False
    if body and not any(_is_run(body, sentences) for sentences in quoted):
        return False
    if not title or (body and " ".join(body).startswith(" ".join(title))):
        return True
    return any(_is_run(title, sentences) for sentences in quoted)


def _is_steering(draft: Record) -> bool:
    subject = normalise_text(draft.subject).partition(":")[0]
    return not STEERING.isdisjoint((subject, *map(normalise_text, draft.tags)))


def _names_shown(draft: Record) -> Iterator[str]:
    """Yields what is read beside the words as if it were one of them."""
    yield from (name for name in draft.entities if not is_id(name))
    if draft.kind == _KEYED:
        yield draft.subject


def _stands_in(quoted: Sequence[tuple[str, ...]], name: str) -> bool:
    """Tells whether every word of a name stands in one thing that was quoted."""
    words = _LETTERS.findall(normalise_text(name))
    said = (frozenset(_LETTERS.findall(" ".join(sentences))) for sentences in quoted)
    return any(one.issuperset(words) for one in said)


def _is_run(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Tells whether ``part`` stands in ``whole`` as consecutive items."""
    if not part:
        return False
    return any(
        whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1)
    )
