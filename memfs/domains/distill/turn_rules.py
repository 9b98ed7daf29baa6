"""What a turn of a conversation tells: claims in somebody's words, what happened, what was learned.

Pure. A sentence that is a claim already is no event as well, unless what the user typed is kept
as evidence of its own: then that they decided it is an event, quoted. What was decided in a
question, a guess or a quotation was not decided; what memory itself had said is not here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from memfs.domains.distill.material import TurnSeen
from memfs.domains.distill.products import (
    MOST_NAMES,
    ClaimFound,
    EventFound,
    Product,
    Trust,
    is_plain_name,
    product_key,
)
from memfs.model.event import EventSort
from memfs.policy.verification import source_digest, source_text

USER: Final = "user"
_ASSISTANT: Final = "assistant"
_MOST_FACTS: Final = 50
"""Claims that one turn gives at most."""
_MOST_EVENTS: Final = 5
TITLE_CHARS: Final = 120


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence that a table of wordings takes for a claim."""

    kind: str
    text: str
    digest: str


FactsIn = Callable[[str, str], Iterable[Fact]]
"""Finds claims in what somebody said: the words, and who said them."""
SentencesIn = Callable[[str], Iterable[str]]
"""Splits words into plain sentences, without code, quotations, questions and guesses."""

_CHANGING: Final = frozenset(
    ("Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch", "str_replace", "write_file")
)
_MOST_NAMED: Final = 3
_MENDED: Final = "`{}` failed, and passed after a change of {}"
_LEARNED: Final = re.compile(
    r"\b(?:turn(?:s|ed) out|root cause|the (?:actual |real |underlying )?(?:cause|problem|issue|"
    r"culprit|bug|reason)(?: here)? (?:is|was)|was caused by|is caused by|the fix (?:is|was)|"
    r"fixed (?:it )?by|the workaround (?:is|was)|works? around (?:it|this|that) by|"
    r"learned that|lesson)\b",
    re.IGNORECASE,
)
_HAPPENED: Final = re.compile(
    r"^(?:(?:yesterday|today|last (?:week|month|night|year)|this morning|on \w+day)[, ]+)?"
    r"(?:we|i|our team|the team) (?:have |has |just |finally |already ){0,2}"
    r"(?:released|shipped|deployed|launched|migrated|moved|switched|rolled back|rolled out|"
    r"renamed|merged|published|upgraded|retired|shut down)\b",
    re.IGNORECASE,
)
_DECIDED: Final = re.compile(
    r"\b(?:we|i|our team)(?:'ve| have)? (?:\w+ )?(?:decided|agreed|chose|settled on|picked|"
    r"switched to|moved to|dropped)\b|^let'?s (?:use|go with|stick with|drop|keep)\b|^decision:",
    re.IGNORECASE,
)


def products_of_turn(
    seen: TurnSeen, facts_in: FactsIn, sentences_in: SentencesIn
) -> Iterator[Product]:
    """Yields the claims of a turn, then its events, each once, in order."""
    claimed: set[str] = set()
    for said in seen.said:
        for fact in facts_in(said.words, said.speaker):
            claimed.add(fact.text)
            if fact.digest in seen.proposed or len(claimed) > _MOST_FACTS:
                continue
            yield ClaimFound(
                key=fact.digest,
                source=seen.source,
                kind=fact.kind,
                text=fact.text,
                client=seen.client,
                speaker=said.speaker,
                session=seen.session,
            )
    yield from _events(seen, sentences_in, claimed)
    yield from _remedies(seen)


def _events(seen: TurnSeen, sentences_in: SentencesIn, claimed: set[str]) -> Iterator[EventFound]:
    names = changed_files(seen)
    found: set[str] = set()
    for said in seen.said:
        for sentence in sentences_in(said.words):
            sort = _sort(sentence, said.speaker)
            key = product_key(f"session:{seen.host_id}", sentence)
            if sort is None or key in found or len(found) >= _MOST_EVENTS:
                continue
            if sentence in claimed and sort is not EventSort.DECISION:
                continue
            found.add(key)
            yield EventFound(
                key=key,
                source=seen.source,
                trust=Trust.SAID,
                title=short(sentence),
                sort=sort,
                at=seen.at,
                names=names,
                session=seen.session,
                turns=(str(seen.number),),
                client=seen.client,
                speaker=said.speaker,
                quote=sentence,
                message=source_digest(source_text(said.words.strip())),
                importance=7 if sort is EventSort.DECISION else 6,
                confidence=0.7,
                needs_quote=sentence in claimed,
            )


def _remedies(seen: TurnSeen) -> Iterator[EventFound]:
    """Yields what mended a command that failed: the files that were changed until it passed."""
    failed: dict[str, int] = {}
    for at, call in enumerate(seen.calls):
        if not call.command:
            continue
        if call.is_failed:
            failed.setdefault(call.command, at)
            continue
        began = failed.pop(call.command, -1)
        between = seen.calls[began + 1 : at] if began >= 0 else ()
        changed = [item.path for item in between if item.path and item.tool in _CHANGING]
        if changed:
            files = tuple(dict.fromkeys(changed))[:_MOST_NAMED]
            yield EventFound(
                key=product_key(f"session:{seen.host_id}", call.command, *files),
                source=seen.source,
                trust=Trust.SAID,
                title=short(_MENDED.format(call.command[:60], ", ".join(files))),
                sort=EventSort.LEARNING,
                at=seen.at,
                names=files,
                session=seen.session,
                turns=(str(seen.number),),
                client=seen.client,
                importance=5,
                confidence=0.6,
            )


def _sort(sentence: str, speaker: str) -> EventSort | None:
    """Returns the sort of event that a sentence tells of; agents decide nothing."""
    if speaker not in (USER, _ASSISTANT):
        return None
    if speaker == USER and _DECIDED.search(sentence):
        return EventSort.DECISION
    if _LEARNED.search(sentence):
        return EventSort.LEARNING
    if speaker == USER and _HAPPENED.search(sentence):
        return EventSort.EVENT
    return None


def changed_files(seen: TurnSeen) -> tuple[str, ...]:
    """Returns the files that a turn read or changed, in order, as far as an event may name them."""
    paths = (it.path for it in seen.calls if it.path.isprintable() and is_plain_name(it.path))
    return tuple(dict.fromkeys(path for path in paths if path and len(path) <= 120))[:MOST_NAMES]


def short(sentence: str) -> str:
    """Returns a sentence as a title: cut at a word where it is longer."""
    if len(sentence) <= TITLE_CHARS:
        return sentence
    return sentence[: TITLE_CHARS - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"
