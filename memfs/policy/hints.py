"""Literals that must stand in a text before a pattern is worth trying.

Screening runs for every record of an import; asking some two hundred literals costs
microseconds, trying as many patterns costs a millisecond.
"""

from __future__ import annotations

from collections.abc import Iterable


def hints_in(hints: Iterable[str], text: str) -> frozenset[str]:
    """Returns those of ``hints`` (case folded) that stand in ``text`` whatever its case."""
    folded = text.casefold()
    return frozenset([hint for hint in hints if hint in folded])
