"""How alike two texts are by their words: the cosine of their weighted terms, 0 to 1.

A term weighs more the fewer records have it; a term that stands often in one text weighs more
by the logarithm alone. Pure: the counts come from the caller, and the same counts give the same
figure to the last digit, in whatever order texts are given.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final

from memfs.index.analysis import Analyzer
from memfs.model.frozen import frozen
from memfs.model.text import normalise_text

MOST_CHARACTERS: Final = 20_000
"""So much of a text is compared: a whole transcript is no topic."""
_ALMOST: Final = 0.999
"""The most that two texts of other words, or of another order, are alike."""


@frozen
class Frequencies:
    """In how many records each of some terms stands.

    Attributes:
        count: Number of records.
        having: Records by term; a term that is missing stands in none.
    """

    count: int
    having: Mapping[str, int]

    def weight(self, term: str) -> float:
        """Returns how telling a term is, 1 or more, so that a store of one record can compare."""
        return math.log((1 + self.count) / (1 + min(self.having.get(term, 0), self.count))) + 1.0


def term_counts(analyzer: Analyzer, text: str) -> Mapping[str, float]:
    """Returns how often each term stands in a text, at most its first 20,000 characters."""
    counts: dict[str, float] = {}
    analyzer.add_counts(counts, analyzer.words(text[:MOST_CHARACTERS]), 1.0)
    return counts


def frequencies_of(texts: Iterable[Mapping[str, float]]) -> Frequencies:
    """Counts the terms of some texts, where there is no index to ask."""
    having: dict[str, int] = {}
    number = 0
    for counts in texts:
        number += 1
        for term in counts:
            having[term] = having.get(term, 0) + 1
    return Frequencies(count=number, having=having)


def likeness(
    first: Mapping[str, float], second: Mapping[str, float], frequencies: Frequencies
) -> float:
    """Returns the cosine of two texts by their weighted terms; 0 where either has none."""
    one, other = _weighted(first, frequencies), _weighted(second, frequencies)
    shared = math.fsum(weight * other[term] for term, weight in one.items() if term in other)
    length = _length(one) * _length(other)
    return min(1.0, shared / length) if length else 0.0


def text_likeness(first: str, second: str, by_terms: float) -> float:
    """Returns 1 for the same words in the same order, and for anything else less.

    Args:
        first: One text.
        second: The other.
        by_terms: How alike their terms or their vectors are.
    """
    folded = normalise_text(first)
    is_same = bool(folded) and folded == normalise_text(second)
    return 1.0 if is_same else max(0.0, min(by_terms, _ALMOST))


def _weighted(counts: Mapping[str, float], frequencies: Frequencies) -> dict[str, float]:
    return {
        term: (1.0 + math.log(count)) * frequencies.weight(term)
        for term, count in counts.items()
        if count > 0
    }


def _length(weights: Mapping[str, float]) -> float:
    # Summed exactly: the order of terms in a text must not show in the last digit.
    return math.sqrt(math.fsum(weight * weight for weight in weights.values()))
