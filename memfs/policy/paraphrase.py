"""Whether two lines say the same in other words: words folded, small words left out, order ignored.

Only what is plain counts as the same: nearly all words are shared, no number differs, and the one
denies nothing that the other does not. Pure, and the same on every machine (E23).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

SAME: Final = 0.8
"""Share of common words from which on two lines say the same."""
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SMALL: Final = frozenset(
    (
        "a", "an", "and", "are", "as", "at", "be", "been", "by", "do", "does", "for", "from", "had",
        "has", "have", "he", "her", "his", "i", "in", "is", "it", "its", "my", "of", "on", "or",
        "our", "she", "so", "that", "the", "their", "they", "this", "to", "was", "we", "were",
        "will", "with", "you", "your",
    )
)  # fmt: skip
_DENYING: Final = frozenset(("no", "not", "never", "none", "nothing", "without", "cannot", "nor"))
_ENDINGS: Final = ("ing", "ed", "es", "s", "ly")
_SHORTEST: Final = 3


@lru_cache(maxsize=4_096)
def said_words(text: str) -> frozenset[str]:
    """Returns the words that carry a line, folded and without their endings."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    found = {match[0].replace("’", "'") for match in _WORD.finditer(folded)}
    return frozenset(_stem(word) for word in found if word not in _SMALL)


def likeness(left: str, right: str) -> float:
    """Returns the share of common words, 0 to 1; 1 for two lines that carry none."""
    one, other = said_words(left), said_words(right)
    every = one | other
    return len(one & other) / len(every) if every else 1.0


def is_paraphrase(left: str, right: str) -> bool:
    """Tells whether two lines say the same in other words."""
    one, other = said_words(left), said_words(right)
    if _is_denying(one) != _is_denying(other) or _numbers(one) != _numbers(other):
        return False
    return one == other or likeness(left, right) >= SAME


def is_denial(left: str, right: str) -> bool:
    """Tells whether of two lines one says the very words of the other, and denies them."""
    one, other = said_words(left), said_words(right)
    said = one - _DENYING
    return _is_denying(one) != _is_denying(other) and bool(said) and said == other - _DENYING


def _stem(word: str) -> str:
    if word.endswith("n't"):
        return "not"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word[: -len(ending)]
    return word


def _is_denying(words: frozenset[str]) -> bool:
    return not words.isdisjoint(_DENYING)


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if any(letter.isdigit() for letter in word))
