"""Whether two texts that are nearly the same say the opposite: a word of denial, other numbers.

Two nodes that differ in nothing but "not", or in a number, are no duplicates: one of them is
wrong or out of date, and answering "already known" would lose what is new. Only what is plain is
found, by rule and in a few languages; nothing is retired for it, somebody is asked. Pure.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

_DENIALS: Final = frozenset(
    (
        "not", "no", "never", "without", "cannot", "none", "neither", "nor",
        "nicht", "kein", "keine", "keinen", "nie", "niemals", "ohne",
        "ne", "pas", "jamais", "sans", "nunca", "sin", "jamás", "ningún",
        "не", "нет", "никогда", "без",
    )
)  # fmt: skip
_PAIRS: Final = (
    ("on", "off"), ("enabled", "disabled"), ("enable", "disable"), ("enables", "disables"),
    ("allowed", "forbidden"), ("allow", "deny"), ("allows", "denies"), ("true", "false"),
    ("always", "never"), ("with", "without"), ("before", "after"), ("required", "optional"),
    ("public", "private"), ("sync", "async"), ("synchronous", "asynchronous"),
    ("success", "failure"), ("succeeds", "fails"), ("succeeded", "failed"), ("up", "down"),
    ("open", "closed"), ("first", "last"), ("more", "fewer"), ("more", "less"),
    ("prefers", "avoids"), ("likes", "dislikes"), ("accepted", "rejected"),
)  # fmt: skip
_OPPOSITES: Final = frozenset(frozenset(pair) for pair in _PAIRS)
_EITHER: Final = frozenset(word for pair in _PAIRS for word in pair)
_NUMBER: Final = re.compile(r"(?<![^\W_])\d+(?:[.,:]\d+)*(?![^\W_])|\d+(?:[.,:]\d+)*")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


class Opposition(StrEnum):
    """In what two texts of the same words are against each other."""

    DENIAL = "denial"
    NUMBER = "number"
    OPPOSITE = "opposite"


def opposition(first: str, second: str) -> Opposition | None:
    """Returns how ``first`` is against ``second``; ``None`` where nothing plain is.

    Meant for texts that are alike once :func:`masked`; of others it says nothing of worth.
    """
    one, other = _words(first), _words(second)
    if frozenset(_odd(one, other)) in _OPPOSITES:
        return Opposition.OPPOSITE
    if _denials(one) % 2 != _denials(other) % 2:
        return Opposition.DENIAL
    numbers, others = _NUMBER.findall(first), _NUMBER.findall(second)
    if numbers and others and sorted(numbers) != sorted(others):
        return Opposition.NUMBER
    return None


def masked(text: str) -> str:
    """Returns a text without the words and numbers in which an opposition can lie."""
    kept = (word for word in _words(_NUMBER.sub(" ", text)) if not _is_turning(word))
    return " ".join(kept)


def _words(text: str) -> list[str]:
    return [word.casefold().replace("’", "'") for word in _WORD.findall(text)]


def _is_denial(word: str) -> bool:
    return word in _DENIALS or word.endswith("n't")


def _is_turning(word: str) -> bool:
    return _is_denial(word) or word in _EITHER


def _denials(words: list[str]) -> int:
    return sum(map(_is_denial, words))


def _odd(one: list[str], other: list[str]) -> set[str]:
    """Returns the words that can be turned round and stand in one text only."""
    return {word for word in set(one) ^ set(other) if word in _EITHER}
