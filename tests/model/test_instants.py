"""Instants: aware, in UTC, and never a crash at the ends of the calendar."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memfs.errors import UsageError
from memfs.formats.when import parse_when
from memfs.model.instants import format_instant, parse_instant

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize("text", ["0001-01-01", "9999-12-31", "0001-01-01T05:00:00+05:00"])
def test_the_first_and_the_last_day_are_days_like_any_other(text: str) -> None:
    moment = parse_instant(text)
    assert parse_instant(format_instant(moment)) == moment


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00"])
def test_a_time_that_utc_has_no_year_for_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="years 1 to 9999"):
        parse_instant(text)
    with pytest.raises(UsageError, match="expected an instant"):
        parse_when(text, NOW)


def test_a_time_without_a_zone_is_refused_and_the_zone_is_what_is_asked_for() -> None:
    with pytest.raises(UsageError, match="2026-03-29T02:30:00") as refused:
        parse_when("2026-03-29T02:30:00", NOW)
    assert "zone" in refused.value.hint
