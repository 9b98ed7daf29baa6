"""The same words are the same issue, wherever and by whomever they are said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.domains.runs.issue_key import issue_id, issue_key, tracker_key
from memfs.model.ids import derived_id, is_id
from memfs.store.layout import slugify

STORE = "store_01kb8x3v6yq4m9t2r7w5z1c0de"


@pytest.mark.parametrize(
    "title",
    [
        "The upload stalls",
        "the  UPLOAD stalls.",
        "`The upload` *stalls*!",
        "“The upload stalls”",
        " - The upload stalls:",
        "The\tupload\nstalls",
    ],
)
def test_spelling_makes_no_other_issue(title: str) -> None:
    assert issue_key(title) == "the upload stalls"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Support C", "Support C++"),
        ("Fails on 3.11", "Fails on 3.12"),
        ("Fails in A/B", "Fails in A B"),
        ("Ａ", "Ｂ"),
    ],
)
def test_other_words_are_another_issue(one: str, other: str) -> None:
    assert issue_key(one) != issue_key(other)


@given(st.text(max_size=60))
def test_a_key_is_its_own_key_and_fits_a_file(title: str) -> None:
    key = issue_key(title)

    assert issue_key(key) == key
    assert "\n" not in key
    assert slugify(key or "x")


def test_signs_alone_are_a_title_too() -> None:
    assert issue_key("👍") == "👍"
    assert issue_key("???") == "???"
    assert issue_key("  ") == ""


def test_no_title_is_the_entry_of_a_tracker() -> None:
    assert issue_key("tracker:ds-1") != tracker_key("ds-1")
    assert tracker_key("ds-1") != tracker_key("DS-1")


def test_the_id_follows_from_the_store_and_the_key() -> None:
    first = issue_id(STORE, "the upload stalls")

    assert first == issue_id(STORE, "the upload stalls")
    assert is_id(first, "iss")
    others = {
        first,
        issue_id(STORE, "the upload stalls", attempt=1),
        issue_id(STORE, "the upload"),
        issue_id(STORE.replace("01", "02"), "the upload stalls"),
    }
    assert len(others) == 4


@given(st.lists(st.text(max_size=8), max_size=3))
def test_a_derived_id_is_a_valid_id(parts: list[str]) -> None:
    assert is_id(derived_id("evt", *parts), "evt")
