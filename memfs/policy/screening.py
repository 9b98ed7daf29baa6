"""Screens the words of a submission: what is refused, and what waits for a person.

Refused: secrets, and personal numbers that a check digit or a label proves. Held: weak
signs of either, characters that cannot be seen, hints of instructions, what is about the
rules for agents, and what asks for something later. Reasons name families, never values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.policy.hidden import HiddenFinding, scan_hidden, visible_text
from memfs.policy.hints import LazyPattern, is_hinted, words_in
from memfs.policy.injection import hints_in, scan_injection
from memfs.policy.personal import PersonalFinding, scan_personal
from memfs.policy.reasons import reason
from memfs.policy.secrets import SPOKEN_FAMILIES, SecretFinding, scan_secrets

__all__ = [
    "HiddenFinding",
    "PersonalFinding",
    "Screened",
    "SecretFinding",
    "scan_hidden",
    "scan_injection",
    "scan_personal",
    "scan_secrets",
    "screen",
]

_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")
_BARE_WORDS: Final = 3
"""No sentence is shorter, beside the label and the value that it is about."""
_POLICY_ADJACENT: Final = LazyPattern(
    r"\b(?:system\s+prompt|permission\s+(?:mode|prompt|rules?)|allow-?list|"
    r"sandbox(?:ing)?\s+(?:mode|rules?|settings?)|guardrails?|memfs\.yaml|promotion\s+table|"
    r"approval\s+(?:mode|policy|rules?)|agents?\s+(?:may|must|should|can|are\s+allowed|"
    r"is\s+allowed)\b|security\s+polic(?:y|ies)|access\s+control\s+(?:policy|list|rules?))",
    re.IGNORECASE,
)
_ADJACENT_WORDS: Final = frozenset(
    ("system", "permission", "allow", "sandbox", "sandboxing", "memfs", "promotion", "approval")
) | {"agent", "agents", "security", "access"}
_ADJACENT_HINTS: Final = ("allowlist", "guardrail")
"""One of these stands in every match, as a word or anywhere."""
_REMINDING: Final = LazyPattern(
    r"(?:^|[.!?;:,\n]\s*|\b(?:please|kindly|also|(?:can|could|will|would|should)\s+you|"
    r"you\s+to)\s+)remind\s+me\s+(?:to|in|at|on|when|about|tomorrow|next)\b|\bset\s+a\s+"
    r"reminder|(?:don'?t|do\s+not)\s+let\s+me\s+forget|\bwake\s+me\s+(?:up\s+)?(?:at|when|in|if)\b",
    re.IGNORECASE,
)
_DEFERRED: Final = LazyPattern(
    r"\b(?:(?:when|once|as\s+soon\s+as)\s+[^.\n]{1,60},\s+(?:run|send|do|start|open|delete|"
    r"execute|notify)\b|"
    r"(?:tomorrow|tonight|(?:next|on)\s+(?:week|month|(?:mon|tues|wednes|thurs|fri|satur|"
    r"sun)day)|in\s+\d+\s+(?:days?|hours?|weeks?))[, ]+(?:please\s+)?(?:run|send|delete|deploy|"
    r"execute|start)\b)",
    re.IGNORECASE,
)
"""What a program leaves for later; people plan their week in such words."""
_PROSPECTIVE_WORDS: Final = frozenset(
    ("remind", "wake", "run", "send", "do", "start", "open", "delete", "execute", "notify")
) | {"deploy"}
_PROSPECTIVE_HINTS: Final = ("reminder", "forget")
"""The same for what asks for something later."""


LATER: Final = frozenset({"screening.prospective"})
"""What asks for something later is a reason to look at a claim, and what work leaves behind."""


@frozen(kw_only=False)
class Screened:
    """What screening found: reasons to refuse, and reasons for a person to look."""

    rejects: tuple[Reason, ...]
    holds: tuple[Reason, ...]


def screen(text: str, *, is_person: bool, body: str = "") -> Screened:
    """Screens all words of a submission.

    Args:
        text: All its words (see ``content.text_of``).
        is_person: The words are a person's own: rules about agents and instructions are fewer
            then, and a code of the household or a booking is theirs to keep.
        body: What it claims; where that is nothing but a private identifier or a code, it is
            an entry of a list of credentials, whoever keeps it, and refused.
    """
    seen = visible_text(text)
    secrets = _secrets_of(text, seen)
    if any(item.is_held for item in secrets) and _is_bare(body):
        secrets = tuple(replace(item, is_held=False, is_household=False) for item in secrets)
    if is_person:
        secrets = tuple(item for item in secrets if not item.is_household)
    personal = scan_personal(text)
    words = words_in(text)
    seen_words = words if seen == text else words_in(seen)
    rejects = (
        *_named("screening.secret", (item.family for item in secrets if not item.is_held)),
        *_named("screening.personal", (item.family for item in personal if not item.is_held)),
    )
    holds = (
        *_named("screening.secret-hint", (item.family for item in secrets if item.is_held)),
        *_named("screening.personal-hint", (item.family for item in personal if item.is_held)),
        *_named("screening.hidden-characters", (item.family for item in scan_hidden(text))),
        *_named("screening.injection-hint", hints_in(seen, seen_words, is_person=is_person)),
        *_adjacent(text, words, is_person=is_person),
    )
    return Screened(rejects, holds)


def _secrets_of(text: str, seen: str) -> tuple[SecretFinding, ...]:
    """Looks at the text as written and as seen: a hidden character must not split a token."""
    found = scan_secrets(text)
    return found if seen == text else (*found, *scan_secrets(seen))


def _is_bare(body: str) -> bool:
    """Tells whether a text says nothing but a label and a value; a sentence is never that."""
    seen = visible_text(body)
    found = scan_secrets(seen)
    if any(item.family in SPOKEN_FAMILIES for item in found):
        return False
    rest = list(seen)
    for item in found:
        rest[item.start : item.end] = " " * (item.end - item.start)
    words = _LETTERS.findall("".join(rest))
    return bool(body) and len(words) <= _BARE_WORDS


def _adjacent(text: str, words: frozenset[str] | None, *, is_person: bool) -> tuple[Reason, ...]:
    found: list[Reason] = []
    folded = text.casefold()
    may_be_adjacent = _may_match(words, folded, _ADJACENT_WORDS, _ADJACENT_HINTS)
    if not is_person and may_be_adjacent and _POLICY_ADJACENT.compiled().search(text):
        found.append(reason("screening.policy-adjacent"))
    may_be_prospective = _may_match(words, folded, _PROSPECTIVE_WORDS, _PROSPECTIVE_HINTS)
    if may_be_prospective and (
        _REMINDING.compiled().search(text) or (not is_person and _DEFERRED.compiled().search(text))
    ):
        found.append(reason("screening.prospective"))
    return tuple(found)


def _may_match(
    words: frozenset[str] | None, folded: str, wanted: frozenset[str], hints: tuple[str, ...]
) -> bool:
    return words is None or not words.isdisjoint(wanted) or is_hinted(hints, folded)


def _named(code: str, names: Iterable[str]) -> tuple[Reason, ...]:
    unique = sorted(set(names))
    return (reason(code, ", ".join(unique)),) if unique else ()
