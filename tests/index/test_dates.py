from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.index.dates import (
    asks_time,
    day_keys,
    names_day,
    narrowest,
    question_keys,
    record_keys,
    recorded_keys,
    states_time,
)

FRIDAY = date(2023, 5, 12)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("we met yesterday", "d2023-05-11"),
        ("I start tomorrow", "d2023-05-13"),
        ("last Friday was fun", "d2023-05-05"),
        ("two days ago", "d2023-05-10"),
        ("a week ago", "d2023-05-05"),
        ("last week", "d2023-05-03"),
        ("last weekend", "d2023-05-06"),
        ("last month", "m2023-04"),
        ("three months ago", "m2023-02"),
        ("last year", "y2022"),
        ("ten years ago", "y2013"),
        ("last August", "m2022-08"),
        ("next month", "m2023-06"),
        ("on 7 May 2023", "d2023-05-07"),
        ("on May 7th, 2023", "d2023-05-07"),
        ("2023-05-07", "d2023-05-07"),
        ("in December 2021", "m2021-12"),
        ("back in June", "o06"),
        ("since 2016", "y2016"),
    ],
)
def test_words_mean_a_day_a_month_or_a_year(text: str, key: str) -> None:
    assert key in record_keys(text, FRIDAY)


def test_a_day_is_found_by_its_month_and_year_too() -> None:
    assert record_keys("on 7 May 2023", None) == {"d2023-05-07", "m2023-05", "y2023", "o05"}
    assert set(day_keys(FRIDAY)) == {"d2023-05-12", "m2023-05", "y2023", "o05"}


def test_relative_words_need_to_know_the_day_they_were_said() -> None:
    assert record_keys("we met yesterday", None) == frozenset()
    assert question_keys("what did we do last week?", None) == ()


def test_a_question_asks_by_the_narrowest_reading() -> None:
    assert question_keys("What happened in May 2023?", None) == ("m2023-05",)
    assert question_keys("What happened on 7 May 2023?", None) == ("d2023-05-07", "m2023-05")
    assert "d2023-05-11" in question_keys("what did I say yesterday?", FRIDAY)


@pytest.mark.parametrize(
    "text", ["99 May 2023", "2023-13-45", "in 99999", "may I", "they march on"]
)
def test_what_is_no_date_gives_no_key(text: str) -> None:
    assert record_keys(text, FRIDAY) == frozenset()


@pytest.mark.parametrize(
    ("text", "said", "asked_by"),
    [
        ("on 7 May", "d2023-05-07", {"d2023-05-07", "d2024-05-07"}),
        ("on May 12", "d2023-05-12", {"d2023-05-12", "d2024-05-12"}),
        ("on 1 December", "d2022-12-01", {"d2022-12-01", "d2023-12-01"}),
        ("on 29 February", "d2024-02-29", {"d2024-02-29"}),
        ("on 31 June", "", set()),
    ],
)
def test_a_day_without_a_year_is_the_nearest_one(text: str, said: str, asked_by: set[str]) -> None:
    found = record_keys(text, FRIDAY)
    assert {key for key in found if key[0] == "d"} == ({said} if said else set())
    assert {key for key in question_keys(text, FRIDAY) if key[0] == "d"} == asked_by
    assert record_keys(text, None) == {f"o{question_keys(text, None)[0][1:]}"}


def test_the_day_of_making_has_keys_of_its_own_and_a_question_its_narrowest() -> None:
    assert recorded_keys([FRIDAY]) == {"rd2023-05-12", "rm2023-05"}
    assert narrowest(("d2023-05-12", "m2023-05", "y2023")) == ("d2023-05-12",)
    assert narrowest(("m2023-05", "o05", "y2023")) == ("m2023-05",)
    assert narrowest(("y2023",)) == ()
    assert names_day(record_keys("on 7 May", None))
    assert not names_day(record_keys("rule-1999", FRIDAY))


def test_asking_for_a_time_and_stating_one_are_told() -> None:
    assert asks_time("When did she move?")
    assert asks_time("How long has it been?")
    assert not asks_time("What did she say?")
    assert states_time("It was last summer")
    assert not states_time("It was great")


@given(st.text(max_size=200), st.dates())
def test_no_text_breaks_the_reading_of_dates(text: str, said: date) -> None:
    record_keys(text, said)
    question_keys(text, said)


@pytest.mark.parametrize("said", [date.min, date.max])
@pytest.mark.parametrize(
    "text", ["yesterday tomorrow last year next year", "999 years ago, 999 months ago, next month"]
)
def test_the_ends_of_the_calendar_are_no_error(text: str, said: date) -> None:
    assert any(key.startswith("m") for key in record_keys(text, said))
