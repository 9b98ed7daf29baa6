"""What a node is worth, and the rules of the user that raise it (M23, M24, M25).

A rule is a node of its own: tag ``scoring-rule``, importance 10. It counts only while it is
active, like any record, so that a program cannot raise what it saves by a rule of its own making.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.record import DEFAULT_IMPORTANCE, Record

LEAST: Final = 1
MOST: Final = 10
BOOST: Final = 3
"""What a rule that fits adds, once, however many fit."""
_FITS: Final = 0.5
"""A rule fits a text that has at least this share of its words."""
_OPENS: Final = re.compile(
    r"\s*(?:please\s+)?(?:(?:always\s+)?(?:remember|track|note|log|record)(?:\s+(?:to|that|all|"
    r"every|any))*|always\s+(?:keep|save|store)|pay\s+attention\s+to|keep\s+(?:an\s+eye\s+on|"
    r"track\s+of)|watch\s+out\s+for)\b[\s:,-]*",
    re.IGNORECASE,
)
_RULE: Final = re.compile(
    r"\s*(?:please\s+)?(?:remember\b|always\s+(?:track|remember|note|log|record|keep|save|"
    r"store)\b|pay\s+attention\s+to\b|keep\s+(?:an\s+eye\s+on|track\s+of)\b|"
    r"watch\s+out\s+for\b)",
    re.IGNORECASE,
)


@frozen
class Score:
    """What a node is worth, in parts.

    Attributes:
        importance: As it was given, 1 to 10.
        boost: What rules add.
        rules: Ids of the rules that fit, sorted.
    """

    importance: int
    boost: int = 0
    rules: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """The sum, 10 at most."""
        return min(MOST, self.importance + self.boost)


def clamped(importance: int | None) -> int:
    """Returns an importance of 1 to 10; the default where none was given."""
    if importance is None:
        return DEFAULT_IMPORTANCE
    return max(LEAST, min(MOST, importance))


def is_rule_phrase(text: str) -> bool:
    """Tells whether a text opens like a rule: "remember …", "always track …"."""
    return _RULE.match(text) is not None


def topic_of(text: str) -> str:
    """Returns what a rule is about: its words without how it opens."""
    return _OPENS.sub("", text, count=1).strip() or text.strip()


def scored(
    importance: int,
    text: str,
    rules: Iterable[tuple[str, str]],
    terms_of: Callable[[str], Iterable[str]],
) -> Score:
    """Returns what a text is worth under the rules.

    Args:
        importance: As given, 1 to 10.
        text: Everything that the node says.
        rules: Id and words of each rule in force.
        terms_of: Takes a text apart as the index does.
    """
    has = set(terms_of(text))
    fitting = sorted(name for name, words in rules if _is_fitting(words, has, terms_of))
    return Score(importance=importance, boost=BOOST if fitting else 0, rules=tuple(fitting))


def _is_fitting(words: str, has: set[str], terms_of: Callable[[str], Iterable[str]]) -> bool:
    wanted = set(terms_of(topic_of(words)))
    return bool(wanted) and len(wanted & has) >= _FITS * len(wanted)


def score_value(score: Score) -> Mapping[str, int | list[str]]:
    """Returns a score as plain data, in parts."""
    return {
        "importance": score.importance,
        "boost": score.boost,
        "total": score.total,
        "rules": list(score.rules),
    }


def rule_words(record: Record) -> str:
    """Returns what a rule says."""
    return f"{record.summary or record.title}\n{record.abstract}".strip()
