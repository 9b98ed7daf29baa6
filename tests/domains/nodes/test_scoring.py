"""What a node is worth, and the rules that raise it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.domains.nodes.scoring import BOOST, MOST, clamped, is_rule_phrase, scored, topic_of
from memfs.index.analysis import Analyzer

TERMS = Analyzer().terms
RULE = ("mem_rule", "Always track incidents of the payment gateway")


@given(st.one_of(st.none(), st.integers()))
def test_importance_is_clamped(importance: int | None) -> None:
    assert 1 <= clamped(importance) <= 10


def test_importance_that_is_not_given_is_the_default() -> None:
    assert (clamped(None), clamped(0), clamped(11), clamped(7)) == (5, 1, 10, 7)


def test_a_rule_that_fits_adds_three_and_says_which() -> None:
    found = scored(4, "The payment gateway had an incident at noon", [RULE], TERMS)

    assert (found.total, found.boost, found.rules) == (7, BOOST, ("mem_rule",))


def test_the_boost_is_added_once_and_capped() -> None:
    rules = [RULE, ("mem_other", "Pay attention to incidents")]
    found = scored(9, "Incident of the payment gateway", rules, TERMS)

    assert found.rules == ("mem_other", "mem_rule")
    assert found.total == MOST


def test_a_rule_about_something_else_adds_nothing() -> None:
    found = scored(4, "Lunch was late again", [RULE], TERMS)

    assert (found.total, found.rules) == (4, ())


def test_a_rule_without_a_topic_fits_nothing() -> None:
    assert scored(4, "Lunch was late", [("mem_empty", "Remember that")], TERMS).boost == 0


@pytest.mark.parametrize(
    "text",
    [
        "Remember the names of customers",
        "remember to note outages",
        "Always track incidents",
        "please pay attention to latency",
        "Keep an eye on the queue",
    ],
)
def test_a_phrase_that_asks_to_be_kept_makes_a_rule(text: str) -> None:
    assert is_rule_phrase(text)


@pytest.mark.parametrize(
    "text",
    ["The tracker is always on", "I remembered the key", "Attention is limited", "Tracking works"],
)
def test_other_phrases_make_none(text: str) -> None:
    assert not is_rule_phrase(text)


def test_the_topic_of_a_rule_is_what_follows_its_opening() -> None:
    assert topic_of("Always track incidents of the gateway") == "incidents of the gateway"
    assert topic_of("incidents") == "incidents"
