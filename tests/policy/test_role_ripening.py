"""How threads ripen, how themes saturate and rest, and what priority that leaves."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.model.instants import format_instant
from memfs.model.record import Record
from memfs.policy.role_ripening import (
    DAMPING,
    HALF_LIFE_DAYS,
    LEAST_SUPPORT,
    NO_THEME,
    REFRACTORY_DAYS,
    REFRACTORY_MINUTES,
    REFRACTORY_SHARE,
    SATURATED,
    Theme,
    check_ripe,
    cooling_until,
    is_high_pressure,
    maturity_of,
    pressure_rests_until,
    priority_of,
    repeated,
    ripeness_of,
    saturation_at,
    theme_from,
    theme_key,
    themes_of,
)
from tests.support.policy import NOW, identifier
from tests.support.roles import memory

_UNIT = st.floats(0, 1)
_DAYS = st.floats(0, 40)


def touched(days: float = 0, **fields: Any) -> Record:
    """Returns a memory that was touched so many days ago."""
    return memory(touched=format_instant(NOW - timedelta(days=days)), topic="deploys", **fields)


def support(number: int, day: int, **fields: Any) -> Record:
    """Returns a memory that was taken on some day and supports a thread."""
    record = memory(id=identifier(number, "role"), lifecycle="incubated", **fields)
    return replace(record, observed=NOW + timedelta(days=day))


def thread(supports: list[Record], **fields: Any) -> Record:
    """Returns a thread that took these memories in."""
    record = memory(profile="incubation", lifecycle="deepening", **fields)
    return replace(record, observed=NOW, derived_from=tuple(item.id for item in supports))


# Saturation and refractory time --------------------------------------------------------------


def test_each_repetition_saturates_and_quiet_days_take_it_back() -> None:
    grown = [0.0]
    while grown[-1] < SATURATED:
        grown.append(repeated(grown[-1]))
    assert len(grown) - 1 == 6
    said = touched(saturation=grown[-1])
    halves = [saturation_at(said, NOW + timedelta(days=HALF_LIFE_DAYS * n)) for n in range(4)]
    assert halves == [0.7378, 0.3689, 0.1845, 0.0922]


@settings(max_examples=60, deadline=None)
@given(stored=_UNIT, first=_DAYS, second=_DAYS, times=st.integers(0, 9))
def test_saturation_is_never_out_of_bounds_and_never_grows_by_itself(
    stored: float, first: float, second: float, times: int
) -> None:
    early, late = sorted((first, second))
    record = touched(saturation=stored)
    before, after = (saturation_at(record, NOW + timedelta(days=day)) for day in (early, late))
    assert 0 <= after <= before <= 1
    assert before <= repeated(before, times) <= 1
    # Written down where it stands it goes on as if it had not been: near to the last digit.
    marked = touched(saturation=before)
    again = saturation_at(marked, NOW + timedelta(days=late - early))
    assert again == pytest.approx(after, abs=2e-4)


@pytest.mark.parametrize(
    "odd", [-1, 7, float("nan"), float("inf"), float("-inf"), "much", True, None, [1]]
)
def test_numbers_that_are_none_count_as_none(odd: Any) -> None:
    record = touched(saturation=odd, salience=odd, intensity=odd, profile="agency_pressure")
    assert 0 <= saturation_at(record, NOW) <= 1
    assert 0 <= priority_of(record, NOW) <= 1


def test_a_mark_from_ahead_of_the_clock_takes_nothing_back() -> None:
    assert saturation_at(touched(-5, saturation=0.5), NOW) == 0.5
    assert saturation_at(touched(saturation=0.5, cooling_until="soon"), NOW) == 0.5
    assert saturation_at(memory(saturation=0.5), NOW) == 0.5
    assert cooling_until(touched(cooling_until="soon"), NOW) is None


def test_nothing_cools_for_longer_than_a_week_whatever_it_says() -> None:
    forever = touched(cooling_until="9999-12-31T23:59:59Z")
    assert cooling_until(forever, NOW) == NOW + timedelta(days=REFRACTORY_DAYS)
    assert cooling_until(forever, NOW + timedelta(days=REFRACTORY_DAYS)) is None
    ahead = touched(-900, cooling_until="9999-12-31T23:59:59Z")
    assert cooling_until(ahead, NOW) == NOW + timedelta(days=REFRACTORY_DAYS)
    bare = memory(cooling_until=format_instant(NOW + timedelta(hours=1)))
    assert cooling_until(bare, NOW) == NOW + timedelta(hours=1)


def test_a_pressure_rests_for_its_time_and_not_for_its_state() -> None:
    until = format_instant(NOW + timedelta(hours=3))
    cools = touched(profile="agency_pressure", lifecycle="cooling", cooling_until=until)
    assert pressure_rests_until(cools, NOW) == NOW + timedelta(hours=3)
    assert pressure_rests_until(cools, NOW + timedelta(hours=3)) is None
    unsaid = touched(profile="agency_pressure", lifecycle="cooling")
    end = NOW + timedelta(minutes=REFRACTORY_MINUTES)
    assert pressure_rests_until(unsaid, NOW) == end
    assert pressure_rests_until(unsaid, end) is None
    presses = touched(profile="agency_pressure", cooling_until=until)
    assert pressure_rests_until(presses, NOW) is None


def test_a_repeated_theme_rests_for_a_time_and_comes_back() -> None:
    said = touched(saturation=0.9)
    theme = theme_from((said,), NOW)
    assert theme.saturation == 0.9
    until = theme.resting_until
    assert until is not None
    assert timedelta(days=1) < until - NOW < timedelta(days=2)
    assert theme_from((said,), until - timedelta(hours=1)).is_resting
    assert not theme_from((said,), until).is_resting
    assert theme_from((touched(saturation=SATURATED),), NOW).is_resting
    assert not theme_from((touched(saturation=SATURATED - 0.01),), NOW).is_resting


@settings(max_examples=60, deadline=None)
@given(saturation=_UNIT, days=_DAYS)
def test_a_theme_rests_exactly_until_it_says(saturation: float, days: float) -> None:
    theme = theme_from((touched(days, saturation=saturation),), NOW)
    assert theme.is_resting is (theme.saturation >= SATURATED)
    if theme.resting_until is not None:
        assert theme.resting_until > NOW
        assert not theme_from(
            (touched(days, saturation=saturation),), theme.resting_until
        ).is_resting


def test_what_was_said_rests_with_everything_of_its_theme_and_nothing_else() -> None:
    until = format_instant(NOW + timedelta(hours=2))
    said = touched(profile="candidate_intervention", lifecycle="spoken", cooling_until=until)
    same, other = touched(title="otherwise"), replace(touched(), fields={**touched().fields})
    other = replace(other, fields={**other.fields, "topic": "reviews"})
    themes = themes_of((said, same, other), NOW)
    assert themes[theme_key(same)].is_resting
    assert not themes[theme_key(other)].is_resting
    assert len(themes) == 2


def test_a_theme_rests_until_the_last_of_what_rests_it() -> None:
    short, long = (
        touched(cooling_until=format_instant(NOW + timedelta(hours=hours))) for hours in (1, 90)
    )
    for listed in ((short, long), (long, short), (touched(saturation=0.9), long)):
        assert theme_from(listed, NOW).resting_until == NOW + timedelta(hours=90)
    assert theme_from((), NOW) == NO_THEME


def test_without_a_topic_what_says_the_same_is_one_theme() -> None:
    one, same, other = (memory(title=words) for words in ("Ana left", "ana  LEFT", "Ana came"))
    assert theme_key(one) == theme_key(same) != theme_key(other)


# Priority ------------------------------------------------------------------------------------


def test_a_repeated_theme_loses_priority_and_gets_it_back() -> None:
    fresh, said = touched(salience=0.8), touched(salience=0.8, saturation=0.9)
    assert priority_of(fresh, NOW) == 0.8
    assert priority_of(touched(), NOW) == 0.5
    rested = round(0.8 * (1 - DAMPING * 0.9) * REFRACTORY_SHARE, 4)
    assert priority_of(said, NOW) == rested
    assert rested < priority_of(said, NOW + timedelta(days=3)) < 0.8
    assert priority_of(said, NOW + timedelta(days=90)) == 0.8
    assert priority_of(fresh, NOW, Theme(saturation=0.5)) == 0.56


@settings(max_examples=80, deadline=None)
@given(salience=_UNIT, intensity=_UNIT, saturation=_UNIT, more=_UNIT, days=_DAYS, later=_DAYS)
def test_priority_is_bounded_by_worth_and_only_falls_with_what_was_said(
    salience: float, intensity: float, saturation: float, more: float, days: float, later: float
) -> None:
    low, high = sorted((saturation, more))
    for profile in ("conversation", "agency_pressure", "candidate_intervention"):
        made = [
            touched(days, profile=profile, salience=salience, intensity=intensity, saturation=value)
            for value in (low, high)
        ]
        less, most = (priority_of(item, NOW) for item in made)
        worth = max(salience, intensity) if profile == "agency_pressure" else salience
        assert 0 <= most <= less <= round(worth, 4)
        assert priority_of(made[0], NOW, Theme(saturation=high)) <= less
        assert priority_of(made[1], NOW + timedelta(days=later)) >= most
        rests = Theme(saturation=high, resting_until=NOW + timedelta(hours=1))
        assert priority_of(made[0], NOW, rests) <= priority_of(made[0], NOW, Theme(saturation=high))


def test_an_obligation_keeps_its_priority_and_is_always_high() -> None:
    owed = touched(
        profile="agency_pressure", lifecycle="obligated", intensity=0.6, saturation=1, salience=0.1
    )
    pressed = replace(owed, fields={**owed.fields, "lifecycle": "active"})
    assert priority_of(owed, NOW, Theme(saturation=1, resting_until=NOW)) == 0.6
    assert priority_of(pressed, NOW) < 0.1
    assert (is_high_pressure(owed), is_high_pressure(pressed)) == (True, False)
    hard = replace(pressed, fields={**pressed.fields, "intensity": 0.7})
    cools = replace(hard, fields={**hard.fields, "lifecycle": "cooling"})
    assert (is_high_pressure(hard), is_high_pressure(cools)) == (True, False)
    assert not is_high_pressure(touched(intensity=1.0, lifecycle="obligated"))
    endless = replace(hard, fields={**hard.fields, "intensity": float("inf")})
    assert not is_high_pressure(endless)


# Ripeness ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "maturity", "is_ripe"),
    [
        ([], 0.0, False),
        ([0], 0.25, False),
        ([0, 1], 0.4375, False),
        ([0, 0, 0], 0.4258, False),
        ([0, 0, 1], 0.5078, False),
        ([0, 1, 2], 0.5781, True),
        ([0, 0, 0, 0], 0.4976, False),
        ([0, 0, 0, 0, 0], 0.5604, True),
        ([0, 0, 0, 1], 0.5693, True),
    ],
)
def test_a_thread_ripens_by_several_memories_and_sooner_by_several_days(
    days: list[int], maturity: float, is_ripe: bool
) -> None:
    supports = [support(number, day) for number, day in enumerate(days, start=1)]
    assert maturity_of(supports) == maturity
    found = ripeness_of(thread(supports), {item.id: item for item in supports})
    assert (found.support, found.maturity, found.is_ripe) == (len(days), maturity, is_ripe)


def test_what_a_thread_lacks_is_said_by_the_row() -> None:
    supports = [support(1, 0), support(2, 0)]
    refused = check_ripe(thread(supports), {item.id: item for item in supports})
    assert refused is not None
    assert refused.code == "role.unripe"
    assert "row support: 2 of 3; row maturity: 0.34 of 0.55" in refused.message


def test_what_a_thread_says_of_its_own_ripeness_is_not_believed() -> None:
    supports = [support(number, number) for number in range(1, 4)]
    stands = {item.id: item for item in supports}
    boasting = thread([], support=99, maturity=1.0)
    assert ripeness_of(boasting, stands).support == 0
    modest = thread(supports, support=0, maturity=0.0)
    assert ripeness_of(modest, stands).is_ripe


def test_what_is_gone_or_was_never_taken_in_supports_nothing() -> None:
    supports = [support(number, number) for number in range(1, 5)]
    named = thread([*supports, supports[0], support(9, 9)])
    stands = {item.id: item for item in supports}
    assert ripeness_of(named, stands).support == 4
    del stands[supports[0].id]
    stands[supports[1].id] = memory(id=supports[1].id, lifecycle="pruned")
    stands[supports[2].id] = memory(id=supports[2].id, profile="role_self", lifecycle="accepted")
    found = ripeness_of(named, stands)
    assert (found.support, found.is_ripe) == (1, False)


@settings(max_examples=60, deadline=None)
@given(days=st.lists(st.integers(0, 6), max_size=12), more=st.integers(0, 6))
def test_more_support_never_makes_a_thread_less_ripe(days: list[int], more: int) -> None:
    before, after = (
        [support(number, day) for number, day in enumerate(listed, start=1)]
        for listed in (days, [*days, more])
    )
    least, most = (
        ripeness_of(thread(listed), {item.id: item for item in listed})
        for listed in (before, after)
    )
    assert 0 <= least.maturity < most.maturity < 1
    assert most.is_ripe or not least.is_ripe
    assert not most.is_ripe or most.support >= LEAST_SUPPORT


def test_the_last_support_counts_and_not_the_last_touch_of_the_thread() -> None:
    early = support(1, 0, touched=format_instant(NOW + timedelta(days=2)))
    fresh = thread([early], touched=format_instant(NOW + timedelta(days=30)))
    assert ripeness_of(fresh, {early.id: early}).last == NOW + timedelta(days=2)
    assert ripeness_of(fresh, {}).last == NOW
    nowhere = replace(fresh, observed=None)
    assert ripeness_of(nowhere, {}).last is None
