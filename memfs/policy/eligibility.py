"""What memory never holds, whoever says it (A2, A19, A49): refused, and nothing of it stored.

Permissions, approvals, payments, destructive commands, instructions to contact someone,
changes of policy, hidden reasoning, what code or Git can tell, bulk, and memory's own
output. The rules are narrow on purpose: they refuse standing instructions, not statements
about the world, and a sentence that forbids something is never refused. They are a tidy
inbox, not the defence; the defence is that origin and promotion are not text (DESIGN §2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from memfs.model.decision import Reason
from memfs.model.limits import BODY_BYTES
from memfs.model.markers import has_packet_trace
from memfs.model.record import Record
from memfs.policy.action_fields import action_field
from memfs.policy.derivable import is_derivable
from memfs.policy.eligibility_rules import OPENING_WORDS, RULES, EligibilityRule
from memfs.policy.hints import RulesByWord, is_hinted, longest_run, words_in
from memfs.policy.reasons import reason
from memfs.policy.sentences import is_forbidden

__all__ = [
    "OPENING_WORDS",
    "RULES",
    "EligibilityRule",
    "check_eligibility",
    "is_matching",
    "openings_of",
]

_OPENING: Final = re.compile(r"[.!?;:\n>*\"'#)\],-](?:(?<![,-])|(?<=[\n ]-)\s|(?<=,) then\s)\s*")
"""After what a sentence or an item of a list may begin; one begins the text as well."""
_CONDITION: Final = re.compile(
    r"\b(?:when|whenever|once|if|after|each time|every time|as soon as)\b[^.!?\n]{1,100}?,\s*"
    r"(?:then\s+)?",
    re.IGNORECASE,
)
"""After what a standing order begins: ``whenever it comes up, …``."""
_BLANKS: Final = re.compile(r"\s*")
_WORD: Final = re.compile(r"[A-Za-z]*")
_RULES: Final = RulesByWord(RULES)
_SOURCES: Final = frozenset({"evidence", "excerpt", "receipt"})
_UNBROKEN: Final = re.compile(r"[A-Za-z0-9+/=_-]{2000,}")
_UNBROKEN_CHARS: Final = 2000


def check_eligibility(record: Record, text: str, *, is_person: bool) -> tuple[Reason, ...]:
    """Returns why a draft may never be kept, each code once; empty when it may.

    Args:
        record: The draft.
        text: All its words (see ``content.text_of``).
        is_person: A person stated it on a channel where people decide.
    """
    if len(text) > 2 * BODY_BYTES or _is_unbroken(text):
        return (reason("eligibility.bulk"),)
    found: dict[str, Reason] = {}
    if has_packet_trace(text):
        found["eligibility.packet-echo"] = reason("eligibility.packet-echo")
    field = action_field(record)
    if field:
        found["eligibility.grants-action"] = reason("eligibility.grants-action", field)
    is_warning = is_person and record.kind == "warning"
    is_source = record.kind in _SOURCES
    folded = text.casefold()
    words = words_in(text)
    openings: tuple[int, ...] | None = None
    for rule in _RULES.within(words):
        is_spared = (
            (rule.spares_warnings and is_warning)
            or (rule.spares_people and is_person)
            or (rule.is_instruction and is_source)
        )
        if is_spared or rule.code in found:
            continue
        if not is_hinted(rule.hints, folded):
            continue
        if openings is None and rule.opens_sentence:
            openings = tuple(at for at in openings_of(text) if _may_order(text, at))
        if is_matching(rule, text, openings or ()):
            found[rule.code] = reason(rule.code, rule.name)
    if is_derivable(record.body):
        found["eligibility.derivable"] = reason("eligibility.derivable")
    return tuple(found.values())


def openings_of(text: str) -> tuple[int, ...]:
    """Returns where sentences and list items of a text begin, in order."""
    blanks = _BLANKS.match(text)
    start = blanks.end() if blanks else 0
    found = [match.end() for match in _OPENING.finditer(text, start)]
    if "," in text:
        found += [match.end() for match in _CONDITION.finditer(text)]
    return tuple(sorted({start, *found}))


def _may_order(text: str, opening: int) -> bool:
    """Tells whether a sentence begins with a word that an order begins with, or a strange one."""
    word = _WORD.match(text, opening)
    if word is None:
        return True
    return word[0].lower() in OPENING_WORDS or not text[word.end() : word.end() + 1].isascii()


def _is_unbroken(text: str) -> bool:
    return (
        len(text) >= _UNBROKEN_CHARS
        and longest_run(text) >= _UNBROKEN_CHARS
        and _UNBROKEN.search(text) is not None
    )


def is_matching(rule: EligibilityRule, text: str, openings: Sequence[int]) -> bool:
    """Tells whether a rule holds somewhere in a text in a sentence that does not forbid it.

    Args:
        rule: The rule.
        text: All words of a submission.
        openings: Where its sentences begin (see :func:`openings_of`), at least those that
            begin with an order.
    """
    found: Iterable[re.Match[str] | None]
    if rule.opens_sentence:
        found = (rule.pattern.match(text, start) for start in openings)
    else:
        found = rule.pattern.finditer(text)
    return any(
        match is not None
        and not (rule.is_negatable and is_forbidden(text, match.start(), match.end()))
        for match in found
    )
