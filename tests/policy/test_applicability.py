"""Conditions are decided where they are typed, and left to people where they are words (A68)."""

from __future__ import annotations

import pytest

from memfs.policy.applicability import Fit, condition_from, fit_of, is_circumstance


@pytest.mark.parametrize(
    ("asked", "said", "is_met"),
    [
        ("platform=linux", "platform=linux", True),
        ("platform=linux", "platform=darwin", False),
        ("platform!=win32", "platform=linux", True),
        ("tool.make>=4", "tool.make=4.3.1", True),
        ("tool.make>=4.4", "tool.make=4.3.9", False),
        ("tool.make>4.3", "tool.make=4.3.0", False),
        ("tool.make<=4.3", "tool.make=4.3.0", True),
        ("tool.make < 5", "tool.make=v4.9", True),
        ("tool.make>=4", "tool.make=latest", False),
        ("tool.make>=4", "tool.make=٤", False),
        ("schema.records>=10", "schema.records=9", False),
    ],
)
def test_a_typed_condition_is_compared(asked: str, said: str, is_met: bool) -> None:
    assert fit_of([asked], [said]).is_met is is_met


def test_what_is_not_said_is_not_met_and_words_are_a_person_s() -> None:
    fit = fit_of(["platform=linux", "tool.make>=4", "main is green"], ["platform=darwin"])
    assert fit == Fit(
        broken=("platform=linux",), unsaid=("tool.make>=4",), prose=("main is green",)
    )
    assert (fit.is_met, fit.names) == (False, "platform, tool.make")
    assert fit_of(["main is green"], []).is_met


def test_who_says_two_things_meets_no_condition_on_them() -> None:
    assert not fit_of(["platform=linux"], ["platform=linux", "platform=darwin"]).is_met


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=",
        "a=",
        "=a",
        "a==b",
        "a = = b",
        "Main=x y",
        "a=b\nc=d",
        "x" * 400 + "=1",
        "a>=\u202e1 2",
    ],
)
def test_what_is_no_condition_is_words(text: str) -> None:
    assert condition_from(text) is None


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("task=v1.2", True),
        ("tool.make=4.4", True),
        ("task=do this now", False),
        ("task=\u202eevil", False),
        ("task>=1", False),
        ("task=" + "x" * 100, False),
    ],
)
def test_a_program_says_a_circumstance_in_one_word(text: str, is_one: bool) -> None:
    assert is_circumstance(text) is is_one
