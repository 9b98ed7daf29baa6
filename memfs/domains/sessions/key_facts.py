"""Key facts: sentences of a conversation that somebody may want remembered. Pure; no model.

A fixed table of wordings finds them. What comes out is the sentence as it was said, so that a
claim quotes its evidence word for word; whether it becomes memory is for policy and a person
to decide. Questions, hypotheses and what was cut are no facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from memfs.domains.sessions.turns import Role
from memfs.model.digests import content_digest
from memfs.model.text import normalise_text

_SENTENCE: Final = re.compile(r"[^.!?\n]+(?:[.!?](?=\S)[^.!?\n]*)*[.!?]?")
_LEAST, _MOST = 15, 300
_LEAST_WORDS: Final = 4
_BULLET: Final = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_IN_CODE: Final = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_HYPOTHESIS: Final = re.compile(
    r"\?|^(?:if|what if|maybe|perhaps|suppose|could|can|should|would|do|does|did|is|are|how|why|"
    r"what|when|where|who|which)\b|\b(?:i think|i guess|might|not sure|imagine)\b",
    re.IGNORECASE,
)
_WE: Final = r"(?:we|i|our team)"


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    pattern: re.Pattern[str]
    is_users_alone: bool = False


def _rule(kind: str, pattern: str, *, is_users_alone: bool = False) -> _Rule:
    return _Rule(kind, re.compile(pattern, re.IGNORECASE), is_users_alone)


RULES: Final = (
    _rule(
        "note",
        r"^(?:please\s+)?(?:remember|note|keep in mind|bear in mind|don'?t forget|"
        r"for the record)\b",
        is_users_alone=True,
    ),
    _rule(
        "preference",
        r"\bi (?:\w+ )?(?:prefer|like|dislike|hate|don'?t like|want all|want every|always want|"
        r"never want)\b|^(?:always|never|please always|please never|from now on)\b",
        is_users_alone=True,
    ),
    _rule(
        "decision",
        rf"\b{_WE}(?:'ve| have)? (?:\w+ )?(?:decided|agreed|chose|settled on|picked|switched to|"
        r"moved to|dropped|will use|won'?t use|are going with|are dropping)\b|"
        r"^let'?s (?:use|go with|stick with|drop|keep)\b|^decision:",
    ),
    _rule(
        "warning",
        r"^(?:careful|beware|watch out|warning|caution)\b|\b(?:known (?:bug|issue)|"
        r"breaks (?:when|if|on)|must never|do not touch|don'?t touch)\b",
    ),
    _rule(
        "fact",
        rf"\b(?:{_WE} (?:use|run|deploy|host|keep|store|depend on|support|release)|"
        r"our [\w -]{2,40}?|(?:the|this) [\w -]{2,40}?) "
        r"(?:uses?|runs?|lives?|is (?:in|at|on|under|deployed|stored|hosted|kept|called|written)|"
        r"are (?:in|at|on|under|stored|kept)|depends? on|requires?|needs?|must|listens? on|"
        r"comes? from)\b|"
        rf"^{_WE} (?:use|run|deploy|host|keep|store|depend on|support|release)\b",
    ),
)


@dataclass(frozen=True, slots=True)
class KeyFact:
    """A sentence that may be worth remembering.

    Attributes:
        kind: The kind of claim that it would be.
        text: The sentence as it stands.
    """

    kind: str
    text: str

    @property
    def digest(self) -> str:
        """What two sightings of the same fact have in common."""
        return content_digest("key-fact", f"{self.kind}\0{normalise_text(self.text)}".encode())


def key_facts(text: str, role: Role) -> Iterator[KeyFact]:
    """Yields the key facts in what somebody said, each once, in order.

    Args:
        text: What was said, screened.
        role: Who said it; what tools printed says nothing of itself.
    """
    if role is Role.TOOL:
        return
    seen: set[str] = set()
    for sentence in plain_sentences(text):
        rule = next((rule for rule in RULES if rule.pattern.search(sentence)), None)
        if rule is None or (rule.is_users_alone and role is not Role.USER):
            continue
        fact = KeyFact(rule.kind, sentence)
        if fact.digest not in seen:
            seen.add(fact.digest)
            yield fact


def plain_sentences(text: str) -> Iterator[str]:
    """Yields the sentences of a text that state something, without code, quotations and tables.

    Questions, hypotheses and what is too short or too long are left out.
    """
    for number, piece in enumerate(_IN_CODE.split(text)):
        if number % 2:
            continue  # between two fences: code, a log or a quotation
        for line in piece.split("\n"):
            if line.startswith((">", "    ", "\t", "|", "[left out")):
                continue
            for match in _SENTENCE.finditer(_BULLET.sub("", line, count=1)):
                sentence = match[0].strip()
                if _is_plain(sentence):
                    yield sentence


def _is_plain(sentence: str) -> bool:
    is_sized = _LEAST <= len(sentence) <= _MOST and len(sentence.split()) >= _LEAST_WORDS
    return is_sized and _HYPOTHESIS.search(sentence) is None
