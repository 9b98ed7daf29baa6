"""The nightly pass: once a local day, caught up after downtime, right when clocks change."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memfs.services.nightly import due_since, newest_slot

VIENNA = ZoneInfo("Europe/Vienna")
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def _passes(
    zone: ZoneInfo, begin: datetime, hours: int, *, at: str, minutes: int = 20
) -> list[str]:
    """Returns the local times of all passes of a machine that looks every so many minutes."""
    last: datetime | None = begin
    passes = []
    for step in range(hours * 60 // minutes):
        now = begin + timedelta(minutes=minutes * step)
        if due_since(last, now, at, zone) is not None:
            passes.append(f"{now.astimezone(zone):%m-%d %H:%M}")
            last = now
    return passes


def test_a_pass_is_due_once_a_local_day() -> None:
    begin = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)

    assert _passes(VIENNA, begin, 72, at="03:00") == ["11-28 03:00", "11-29 03:00", "11-30 03:00"]


def test_days_of_downtime_are_caught_up_by_one_pass() -> None:
    last = NOON - timedelta(days=9)

    assert due_since(last, NOON, "03:00", VIENNA) == datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
    assert due_since(NOON, NOON + timedelta(minutes=5), "03:00", VIENNA) is None


def test_a_store_that_never_had_a_pass_is_due() -> None:
    assert due_since(None, NOON, "03:00", VIENNA) == datetime(2026, 11, 30, 2, 0, tzinfo=UTC)


def test_before_the_hour_the_pass_of_the_day_before_counts() -> None:
    early = datetime(2026, 11, 30, 1, 59, tzinfo=UTC)

    assert newest_slot(early, "03:00", VIENNA) == datetime(2026, 11, 29, 2, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("begin", "expected"),
    [
        # 02:30 does not come on the 28th of March: the pass comes as the clock would have.
        (datetime(2027, 3, 27, 12, 0, tzinfo=UTC), ["03-28 03:40", "03-29 02:40"]),
        # 02:30 comes twice on the 31st of October: the first of the two counts.
        (datetime(2027, 10, 30, 12, 0, tzinfo=UTC), ["10-31 02:40", "11-01 02:40"]),
    ],
)
def test_a_change_of_clocks_neither_skips_nor_doubles_a_pass(
    begin: datetime, expected: list[str]
) -> None:
    assert _passes(VIENNA, begin, 48, at="02:30") == expected


def test_a_day_that_a_zone_leaves_out_is_no_day() -> None:
    apia = ZoneInfo("Pacific/Apia")
    begin = datetime(2011, 12, 29, 20, 0, tzinfo=UTC)

    assert _passes(apia, begin, 48, at="03:00") == ["12-31 03:00", "01-01 03:00"]


def test_a_mark_from_a_clock_that_went_wrong_keeps_no_pass_away() -> None:
    assert due_since(NOON + timedelta(days=400), NOON, "03:00", VIENNA) is not None
    assert due_since(NOON + timedelta(hours=2), NOON, "03:00", VIENNA) is None


@pytest.mark.parametrize("text", ["", "3:00", "25:00", "03:60", "03.00", "٠٣:٠٠", "03:00:00"])
def test_what_is_no_time_of_day_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        due_since(None, NOON, text, VIENNA)


@pytest.fixture
def in_new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_new_york")
def test_without_a_zone_the_clock_on_the_wall_of_the_machine_counts() -> None:
    summer = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)

    assert newest_slot(NOON, "03:00") == datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
    assert newest_slot(summer, "03:00") == datetime(2026, 7, 1, 7, 0, tzinfo=UTC)
