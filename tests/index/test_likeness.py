"""How alike two texts are by their words."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.index.analysis import Analyzer
from memfs.index.likeness import (
    Frequencies,
    frequencies_of,
    likeness,
    term_counts,
    text_likeness,
)

ANALYZER = Analyzer()
COUNTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 9).map(float), max_size=8)
HAVING = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 50), max_size=8)


def between(first: str, second: str) -> float:
    """Returns how alike two texts are, weighed by themselves."""
    one, other = term_counts(ANALYZER, first), term_counts(ANALYZER, second)
    return text_likeness(first, second, likeness(one, other, frequencies_of((one, other))))


@settings(max_examples=60, deadline=None)
@given(COUNTS, COUNTS, HAVING)
def test_likeness_is_the_cosine_of_weighted_terms(
    first: dict[str, float], second: dict[str, float], having: dict[str, int]
) -> None:
    frequencies = Frequencies(count=50, having=having)
    terms = sorted({*first, *second})

    def vector(counts: dict[str, float]) -> list[float]:
        return [
            (1 + math.log(counts[term])) * (math.log(51 / (1 + having.get(term, 0))) + 1)
            if term in counts
            else 0.0
            for term in terms
        ]

    one, other = vector(first), vector(second)
    lengths = math.dist(one, [0.0] * len(one)) * math.dist(other, [0.0] * len(other))
    expected = sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0

    found = likeness(first, second, frequencies)

    assert found == pytest.approx(expected)
    assert 0.0 <= found <= 1.0
    assert found == likeness(second, first, frequencies)
    assert found == likeness(dict(reversed(first.items())), second, frequencies)


def test_only_the_same_words_in_the_same_order_are_wholly_alike() -> None:
    assert between("Dogs bite men", "dogs  BITE men") == 1.0
    assert 0.9 < between("Dogs bite men", "Men bite dogs") < 1.0


def test_texts_without_a_common_word_are_not_alike_at_all() -> None:
    assert between("Postgres keeps the orders", "The kitchen is painted green") == 0.0


def test_texts_without_a_word_are_alike_only_if_they_are_the_same() -> None:
    assert between("", "") == 0.0
    assert between("???", "!!!") == 0.0
    assert between("the", "of") == 0.0
    assert between("the", "THE") == 1.0


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    frequencies = Frequencies(count=100, having={"server": 90, "nagios": 1})
    common = likeness({"server": 1.0, "x": 1.0}, {"server": 1.0, "y": 1.0}, frequencies)
    rare = likeness({"nagios": 1.0, "x": 1.0}, {"nagios": 1.0, "y": 1.0}, frequencies)

    assert rare > common


def test_a_record_that_was_counted_twice_weighs_no_less_than_nothing() -> None:
    assert Frequencies(count=1, having={"a": 9}).weight("a") == 1.0


def test_scripts_without_spaces_are_compared_too() -> None:
    assert between("東京の天気", "東京の天気予報") > 0.5
