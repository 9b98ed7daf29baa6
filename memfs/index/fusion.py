"""Fuses what two searches made of the same records into one order. Pure.

Two ways, and neither is ever the equal of a guess. The *sum of spreads* is the default: how far a
record lies from the average of its kind of score, in standard deviations, so that two scores of
different size and shape can be added. *Reciprocal ranks* look at places alone and forget by how
much the first was better than the second: with equal weight a weak embedder makes a good list of
words worse (A96, docs/adr), so the vectors' list weighs a quarter there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

RANK_CONSTANT: Final = 60
"""The k of reciprocal-rank fusion: how little the very first places stand out."""
LIST_WEIGHTS: Final[Mapping[str, float]] = MappingProxyType({"words": 1.0, "vectors": 0.25})
"""What a place in each list is worth to reciprocal-rank fusion."""
LEAST_SPREAD: Final = 0.1
"""Scores that hardly differ are taken to differ this much, so that vectors order equals."""


def reciprocal_ranks(
    lists: Mapping[str, Sequence[str]],
    *,
    weights: Mapping[str, float] = LIST_WEIGHTS,
    constant: int = RANK_CONSTANT,
) -> dict[str, float]:
    """Returns the fused score of every name in ``lists``: each place adds weight / (k + place).

    Args:
        lists: Names in order, best first, by the name of the list; a name counts where it stands
            first.
        weights: What each list is worth; a list that is not among them is worth 1.
        constant: The k; 60 by custom.

    Raises:
        ValueError: The constant is below 0.
    """
    if constant < 0:
        raise ValueError(f"expected a constant of 0 or more, got {constant}")
    fused: dict[str, float] = {}
    for name in sorted(lists):
        weight = weights.get(name, 1.0)
        for place, item in enumerate(dict.fromkeys(lists[name]), start=1):
            fused[item] = fused.get(item, 0.0) + weight / (constant + place)
    return fused


def spreads(scores: Mapping[str, float]) -> dict[str, float]:
    """Returns by how many standard deviations each score lies above the average; 0 for equals."""
    if not scores:
        return {}
    middle, deviation = _middle_and_deviation(scores)
    if deviation <= 0:
        return dict.fromkeys(scores, 0.0)
    return {name: (score - middle) / deviation for name, score in scores.items()}


def nudges(words: Mapping[str, float], vectors: Mapping[str, float]) -> dict[str, float]:
    """Returns what vectors add to each score of words, in the measure of those scores.

    ``words + weight * nudge`` is in the order of the sum of spreads of both, with vectors that
    weigh ``weight``; the scores of words keep their size, so that what else is added to them
    keeps its meaning. A record without a vector is taken for an average one: 0.

    Args:
        words: Scores of the words, the best of them 1.
        vectors: Cosines of some of the same records.
    """
    if len(vectors) < 2:
        return {}
    _, deviation = _middle_and_deviation(words)
    measure = max(deviation, LEAST_SPREAD)
    return {name: measure * part for name, part in spreads(vectors).items() if name in words}


def _middle_and_deviation(scores: Mapping[str, float]) -> tuple[float, float]:
    values = sorted(scores.values())  # one order of adding, whatever the order of the records
    middle = math.fsum(values) / len(values)
    return middle, math.sqrt(math.fsum((value - middle) ** 2 for value in values) / len(values))
