"""Literals that must stand in a text before a pattern is worth trying, or compiling.

Screening runs for every record of an import and in every ``remember``; asking some two
hundred literals costs microseconds, trying as many patterns a millisecond, and compiling
them all some thirty. What is asked here only ever leaves out what cannot match.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Generic, Protocol, TypeVar

from memfs.model.frozen import frozen

_WORD: Final = re.compile(r"\w+")
_ASCII_WORDS: Final = "".join(
    chr(code).lower() if _WORD.match(chr(code)) else " " for code in range(128)
)
"""Each character of ASCII as it stands in a word, in lower case; a space for all others."""
_STRANGE: Final = re.compile("[\u0130\u0131\u017f]")


@frozen(kw_only=False)
class LazyPattern:
    """A pattern that is compiled when it is first asked for (``re`` keeps it)."""

    source: str
    flags: int = 0

    def compiled(self) -> re.Pattern[str]:
        """Returns the compiled pattern."""
        return re.compile(self.source, self.flags)


def is_hinted(hints: Iterable[str], folded: str) -> bool:
    """Tells whether one of ``hints`` stands in a text that is case folded already."""
    for hint in hints:  # noqa: SIM110  a generator costs more than most of its questions
        if hint in folded:
            return True
    return False


@lru_cache(maxsize=2)
def words_in(text: str) -> frozenset[str] | None:
    r"""Returns the words (``\w+``) of ``text`` in lower case.

    ``None`` where lower case does not answer what a pattern that ignores case would find: in
    a text with a letter that such a pattern takes for an ASCII one. The last text that was
    asked about is remembered: several steps of the pipeline ask in a row.
    """
    if text.isascii():
        return frozenset(text.translate(_ASCII_WORDS).split())
    if _STRANGE.search(text) is not None:
        return None
    return frozenset(_WORD.findall(text.lower()))


class WordRule(Protocol):
    """A rule that needs one of some words; of any text where it names none."""

    @property
    def words(self) -> frozenset[str]:
        """One of these stands in every match as a whole word; empty when none must."""
        ...


Rule = TypeVar("Rule", bound=WordRule)


class RulesByWord(Generic[Rule]):
    """Rules by the words that they need, so that a text is asked about those of its words."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._always = frozenset(at for at, rule in enumerate(self._rules) if not rule.words)
        by_word: dict[str, set[int]] = {}
        for at, rule in enumerate(self._rules):
            for word in rule.words:
                by_word.setdefault(word, set()).add(at)
        self._by_word = {word: frozenset(places) for word, places in by_word.items()}
        self._words = frozenset(by_word)

    def within(self, words: frozenset[str] | None) -> tuple[Rule, ...]:
        """Returns the rules that a text of these words can match, in order; all for ``None``."""
        if words is None:
            return self._rules
        found = set(self._always)
        for word in words & self._words:
            found |= self._by_word[word]
        return tuple(self._rules[at] for at in sorted(found))


def longest_run(text: str) -> int:
    """Returns how many characters of ``text`` at most stand in a row without white space."""
    return max(map(len, text.split()), default=0)
