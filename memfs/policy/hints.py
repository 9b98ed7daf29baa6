"""Literals that must stand in a text before a pattern is worth trying, or compiling.

Screening runs for every record of an import and in every ``remember``; asking some two
hundred literals costs microseconds, trying as many patterns a millisecond, and compiling
them all some thirty. What is asked here only ever leaves out what cannot match.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_WORD: Final = re.compile(r"\w+")
_STRANGE: Final = re.compile("[\u0130\u0131\u017f]")


@dataclass(frozen=True, slots=True)
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


def words_in(text: str) -> frozenset[str] | None:
    r"""Returns the words (``\w+``) of ``text`` in lower case.

    ``None`` where lower case does not answer what a pattern that ignores case would find: in
    a text with a letter that such a pattern takes for an ASCII one.
    """
    if not text.isascii() and _STRANGE.search(text) is not None:
        return None
    return frozenset(_WORD.findall(text.lower()))


def longest_run(text: str) -> int:
    """Returns how many characters of ``text`` at most stand in a row without white space."""
    return max(map(len, text.split()), default=0)
