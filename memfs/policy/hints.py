"""Literals that must stand in a text before a pattern is worth trying, or compiling.

Screening runs for every record of an import and in every ``remember``; asking some two
hundred literals costs microseconds, trying as many patterns a millisecond, and compiling
them all some thirty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LazyPattern:
    """A pattern that is compiled when it is first asked for (``re`` keeps it)."""

    source: str
    flags: int = 0

    def compiled(self) -> re.Pattern[str]:
        """Returns the compiled pattern."""
        return re.compile(self.source, self.flags)


def hints_in(hints: Iterable[str], text: str) -> frozenset[str]:
    """Returns those of ``hints`` (case folded) that stand in ``text`` whatever its case."""
    folded = text.casefold()
    return frozenset([hint for hint in hints if hint in folded])
