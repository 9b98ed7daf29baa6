"""Two searches made one order: the sum of spreads by default, reciprocal ranks for lists (A96)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.index.fusion import (
    LEAST_SPREAD,
    LIST_WEIGHTS,
    RANK_CONSTANT,
    nudges,
    reciprocal_ranks,
    spreads,
)

SCORES = st.dictionaries(
    st.text(min_size=1, max_size=3), st.floats(-1, 1, allow_nan=False), min_size=2, max_size=12
)


def test_reciprocal_ranks_add_weight_over_sixty_and_the_place() -> None:
    fused = reciprocal_ranks({"words": ["a", "b"], "vectors": ["b", "c", "b"]})

    assert RANK_CONSTANT == 60
    assert dict(LIST_WEIGHTS) == {"words": 1.0, "vectors": 0.25}
    assert fused == {
        "a": pytest.approx(1 / 61),
        "b": pytest.approx(1 / 62 + 0.25 / 61),
        "c": pytest.approx(0.25 / 62),
    }


def test_a_list_of_another_name_weighs_one_and_none_gives_nothing() -> None:
    assert reciprocal_ranks({"graph": ["a"]}) == {"a": pytest.approx(1 / 61)}
    assert reciprocal_ranks({}) == {}
    with pytest.raises(ValueError, match="0 or more"):
        reciprocal_ranks({}, constant=-1)


def test_spreads_are_standard_deviations_from_the_average() -> None:
    assert spreads({"a": 1.0, "b": 3.0}) == {"a": -1.0, "b": 1.0}
    assert spreads({"a": 2.0, "b": 2.0}) == {"a": 0.0, "b": 0.0}
    assert spreads({}) == {}


@settings(max_examples=30)
@given(words=SCORES, vectors=SCORES, weight=st.sampled_from((0.25, 1.0)))
def test_nudges_give_the_order_of_the_sum_of_spreads(
    words: dict[str, float], vectors: dict[str, float], weight: float
) -> None:
    vectors = {name: part for name, part in vectors.items() if name in words}
    found = nudges(words, vectors)
    _, deviation = (
        0.0,
        math.sqrt(
            sum((part - sum(words.values()) / len(words)) ** 2 for part in words.values())
            / len(words)
        ),
    )
    measure = max(deviation, LEAST_SPREAD)
    apart = spreads(vectors) if len(vectors) > 1 else {}

    assert set(found) <= set(words)
    for name in words:
        summed = words[name] / measure + weight * apart.get(name, 0.0)
        nudged = words[name] + weight * found.get(name, 0.0)
        assert nudged == pytest.approx(measure * summed, abs=1e-9)


@settings(max_examples=30)
@given(SCORES)
def test_the_order_in_which_records_come_changes_no_bit(scores: dict[str, float]) -> None:
    turned = dict(reversed(list(scores.items())))

    assert spreads(turned) == spreads(scores)
    assert nudges(turned, scores) == nudges(scores, turned)


def test_one_vector_alone_says_nothing() -> None:
    assert nudges({"a": 1.0, "b": 0.5}, {"a": 0.9}) == {}
    assert nudges({}, {}) == {}


def test_vectors_order_what_words_hold_for_equal() -> None:
    found = nudges({"a": 1.0, "b": 1.0}, {"a": 0.1, "b": 0.9})

    assert found == {"a": -LEAST_SPREAD, "b": LEAST_SPREAD}
