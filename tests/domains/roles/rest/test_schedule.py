"""When a role is awake, drowsy or asleep, whatever is done to the clock on the wall."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.domains.roles.rest.schedule import schedule_of
from memfs.policy.role_schedule import Cycle, Schedule, nap_interval, short_term_pressure
from memfs.services.nightly import newest_slot, next_slot
from tests.support.policy import identifier
from tests.support.roles import memory

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = tuple(
    map(
        ZoneInfo,
        ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu",
         "Pacific/Apia", "America/St_Johns", "Africa/Casablanca"),
    )
)  # fmt: skip


def at(text: str) -> datetime:
    """Returns an instant in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_a_role_that_nothing_presses_is_awake_until_the_night() -> None:
    now = at("2026-06-10T12:00")
    assert schedule_of(now - timedelta(hours=9), None, 0.0, now, BERLIN) == Schedule(
        cycle=Cycle.AWAKE, is_nap_due=False, next_nap=None, next_sleep=at("2026-06-11T01:00")
    )


def test_what_presses_makes_a_role_drowsy_the_sooner_the_more() -> None:
    slept = at("2026-06-10T01:00")
    intervals = [nap_interval(part / 4) for part in range(5)]
    assert intervals == [timedelta(minutes=each) for each in (360, 292.5, 225, 157.5, 90)]
    for pressure in (0.02, 0.5, 0.98):
        nap = slept + nap_interval(pressure)
        before, then = (
            schedule_of(slept, None, pressure, now, BERLIN)
            for now in (nap - timedelta(seconds=1), nap)
        )
        assert (before.cycle, before.is_nap_due, before.next_nap) == (Cycle.AWAKE, False, nap)
        assert (then.cycle, then.is_nap_due, then.next_nap) == (Cycle.DROWSY, True, nap)
        napped = schedule_of(slept, nap, pressure, nap, BERLIN)
        assert (napped.cycle, napped.next_nap) == (Cycle.AWAKE, nap + nap_interval(pressure))


def test_no_nap_is_taken_where_the_sleep_comes_first() -> None:
    now = at("2026-06-10T22:00")
    found = schedule_of(at("2026-06-10T01:00"), at("2026-06-10T20:00"), 0.02, now, BERLIN)
    assert (found.next_nap, found.next_sleep) == (None, at("2026-06-11T01:00"))


def test_a_nap_at_the_hour_of_the_sleep_is_none() -> None:
    night = at("2026-06-11T01:00")
    napped = night - nap_interval(0.5)
    found = schedule_of(night - timedelta(days=1), napped, 0.5, napped, BERLIN)
    assert (found.next_nap, found.next_sleep) == (None, night)


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf"), -1.0])
def test_pressure_that_is_no_number_presses_nothing(odd: float) -> None:
    now = at("2026-06-10T12:00")
    slept = now - timedelta(hours=9)
    assert schedule_of(slept, None, odd, now, BERLIN) == schedule_of(slept, None, 0, now, BERLIN)
    assert nap_interval(odd) == nap_interval(0)


def test_a_night_is_slept_once_and_caught_up_after_downtime() -> None:
    now = at("2026-06-14T09:00")
    away = schedule_of(at("2026-06-10T01:00"), None, 0.1, now, BERLIN)
    assert (away.cycle, away.is_nap_due) == (Cycle.ASLEEP, False)
    assert away.next_sleep == at("2026-06-14T01:00")
    back = schedule_of(now, None, 0.1, now, BERLIN)
    assert (back.cycle, back.next_sleep) == (Cycle.AWAKE, at("2026-06-15T01:00"))


def test_a_role_that_never_slept_sleeps_in_the_first_night_that_it_sees() -> None:
    began, noon = at("2026-06-10T10:00"), at("2026-06-10T12:00")
    fresh = schedule_of(None, None, 0.1, noon, BERLIN, began=began)
    assert (fresh.cycle, fresh.next_nap) == (Cycle.AWAKE, began + nap_interval(0.1))
    assert schedule_of(None, None, 0.1, began + nap_interval(0.1), BERLIN, began=began).is_nap_due
    night = schedule_of(None, noon, 0.1, at("2026-06-11T01:00"), BERLIN, began=began)
    assert night.cycle is Cycle.ASLEEP
    assert schedule_of(None, None, 0.1, noon, BERLIN).cycle is Cycle.ASLEEP


def test_full_pressure_is_slept_off_before_the_night_but_not_at_once_again() -> None:
    slept = at("2026-06-10T01:00")
    early = slept + timedelta(hours=4)
    before = schedule_of(slept, early, 1.0, early - timedelta(seconds=1), BERLIN)
    assert (before.cycle, before.next_sleep) == (Cycle.AWAKE, early)
    assert schedule_of(slept, early, 1.0, early, BERLIN).cycle is Cycle.ASLEEP
    never = schedule_of(None, None, 1.0, early, BERLIN, began=early)
    assert (never.cycle, never.next_sleep) == (Cycle.ASLEEP, early)


def test_marks_from_a_clock_that_went_wrong_say_nothing() -> None:
    now, wrong = at("2026-06-10T12:00"), at("2099-01-01T00:00")
    assert schedule_of(wrong, wrong, 0.1, now, BERLIN).cycle is Cycle.ASLEEP
    slept = at("2026-06-10T01:00")
    found = schedule_of(slept, wrong, 0.5, now, BERLIN)
    assert found == schedule_of(slept, None, 0.5, now, BERLIN)


@pytest.mark.parametrize(
    ("day", "slots"),
    [
        # The clock is put forward over 02:30, and back over it.
        ("2026-03-28", ["2026-03-28T01:30", "2026-03-29T01:30", "2026-03-30T00:30"]),
        ("2026-10-24", ["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"]),
    ],
)
def test_each_night_is_slept_once_over_a_change_of_the_clock(day: str, slots: list[str]) -> None:
    now = last = at(f"{day}T00:00")
    slept: list[datetime] = []
    while len(slept) < len(slots):
        found = schedule_of(last, None, 0.0, now, BERLIN, at="02:30")
        if found.cycle is Cycle.ASLEEP:
            slept.append(now)
            last = now
        else:
            assert found.next_sleep > now
        now += timedelta(minutes=10)
    assert slept == [at(slot) for slot in slots]


@settings(max_examples=80, deadline=None)
@given(
    now=st.datetimes(datetime(2011, 1, 1), datetime(2030, 1, 1)),
    slept=st.none() | st.timedeltas(timedelta(0), timedelta(days=3)),
    napped=st.none() | st.timedeltas(timedelta(0), timedelta(days=1)),
    pressure=st.floats(-1, 2),
    zone=st.sampled_from(ZONES),
    hour=st.sampled_from(("00:00", "02:30", "03:00", "23:59")),
)
def test_a_schedule_says_what_is_due_and_keeps_to_what_it_said(
    now: datetime,
    slept: timedelta | None,
    napped: timedelta | None,
    pressure: float,
    zone: ZoneInfo,
    hour: str,
) -> None:
    present = now.replace(tzinfo=UTC)
    last_sleep = None if slept is None else present - slept
    last_nap = None if napped is None else present - napped

    def seen(when: datetime) -> Schedule:
        return schedule_of(last_sleep, last_nap, pressure, when, zone, at=hour, began=present)

    found = seen(present)
    assert (found.cycle is Cycle.ASLEEP) is (found.next_sleep <= present)
    assert found.is_nap_due is (found.cycle is Cycle.DROWSY)
    assert found.is_nap_due is (found.next_nap is not None and found.next_nap <= present)
    assert found.next_nap is None or found.next_nap < found.next_sleep
    assert found.next_sleep - present <= timedelta(hours=25, minutes=1)
    assert seen(max(present, found.next_sleep)).cycle is Cycle.ASLEEP
    if found.next_nap is not None:
        assert seen(max(present, found.next_nap)).is_nap_due
    # Where it stands on the wall does not count for what has passed.
    assert seen(present.astimezone(zone)) == found


@settings(max_examples=80, deadline=None)
@given(
    now=st.datetimes(datetime(2011, 1, 1), datetime(2030, 1, 1)),
    zone=st.sampled_from(ZONES),
    hour=st.sampled_from(("00:00", "02:30", "03:00", "23:59")),
)
def test_the_next_night_is_the_newest_once_it_came(
    now: datetime, zone: ZoneInfo, hour: str
) -> None:
    present = now.replace(tzinfo=UTC)
    before, then = newest_slot(present, hour, zone), next_slot(present, hour, zone)
    assert before <= present < then
    assert newest_slot(then, hour, zone) == then
    assert newest_slot(then - timedelta(microseconds=1), hour, zone) == before


def test_what_was_remembered_by_a_clock_that_went_wrong_puts_off_no_rest() -> None:
    now, slept = at("2026-11-29T14:00"), at("2026-11-29T05:00")
    never = datetime.max.replace(tzinfo=UTC)
    right, wrong = (schedule_of(slept, None, 0.5, now, UTC, began=mark) for mark in (None, never))
    assert right == wrong
    assert right.is_nap_due


def test_a_date_that_a_zone_left_out_has_no_night() -> None:
    apia = ZoneInfo("Pacific/Apia")
    slot = next_slot(at("2011-12-29T14:00"), "03:00", apia)
    assert slot == at("2011-12-30T13:00")
    assert next_slot(slot, "03:00", apia) == at("2011-12-31T13:00")


def test_pressure_is_open_short_term_memory_and_nothing_else() -> None:
    active = [memory(id=identifier(number, "role")) for number in range(1, 11)]
    over = [replace(item, fields={**item.fields, "lifecycle": "distilled"}) for item in active]
    other = [replace(item, fields={**item.fields, "profile": "role_self"}) for item in active]
    assert short_term_pressure([*active, *over, *other]) == 0.2
    assert short_term_pressure(active * 9) == 1.0
    assert short_term_pressure([]) == 0.0
