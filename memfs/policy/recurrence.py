"""The times of an intention: every occurrence, from a clock, a zone and a bounded rule (A70).

The rule is that of RFC 5545, read strictly: whole days and slower, an end, no more than
:data:`~memfs.model.intention.MOST_OCCURRENCES` times within
:data:`~memfs.model.intention.HORIZON`. A clock that is put forward over a wanted time asks at the
moment at which it would have come; one that is put back asks at the first of the two, once. An
occurrence is known by what the clock shows, so that a zone which changes its rules later moves
it and never asks twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memfs.model.frozen import frozen
from memfs.model.instants import format_instant
from memfs.model.intention import HORIZON, MOST_OCCURRENCES, Occurrence, TimeTrigger

if TYPE_CHECKING:
    from dateutil import rrule as dateutil_rrule

_FREQ: Final[Mapping[str, Literal[0, 1, 2, 3]]] = MappingProxyType(
    {"YEARLY": 0, "MONTHLY": 1, "WEEKLY": 2, "DAILY": 3}
)
"""As ``dateutil`` numbers them."""
FREQUENCIES: Final = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
DAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
MOST_INTERVAL: Final = 1_000
RULE_CHARS: Final = 500
_PARTS: Final = frozenset(
    ("FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "WKST")
)
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,4}\Z", re.ASCII)
_DAY: Final = re.compile(r"(?P<nth>[+-]?[0-9]{1,2})?(?P<day>MO|TU|WE|TH|FR|SA|SU)\Z", re.ASCII)
_UNTIL: Final = re.compile(r"(?P<day>[0-9]{8})(?:T(?P<time>[0-9]{6})(?P<utc>Z)?)?\Z", re.ASCII)
_ZONE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){0,2}\Z", re.ASCII)


class TriggerError(ValueError):
    """A trigger does not say what it may say."""


@frozen
class Rule:
    """A rule, read.

    Attributes:
        freq: One of :data:`FREQUENCIES`.
        interval: Every so many days, weeks, months or years.
        count: So many times in all; 0 where an end is said instead.
        until: The last moment, on the clock of the zone or in UTC (then aware).
        days: Which one of a month or year (0 for every one), and the number of the day of the week.
        month_days: Days of the month; negative from its end.
        months: Months of the year.
        positions: Which of the days that fit a period; negative from its end.
        week_start: Number of the day with which a week begins.
    """

    freq: str
    interval: int = 1
    count: int = 0
    until: datetime | None = None
    days: tuple[tuple[int, int], ...] = ()
    month_days: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()
    week_start: int = 0


def zone_named(name: str) -> ZoneInfo:
    """Returns a zone by its name.

    Raises:
        TriggerError: This machine knows no such zone.
    """
    try:
        if _ZONE.match(name) is None:
            raise ValueError(name)
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise TriggerError(
            f"expected a zone such as Europe/Amsterdam, got {name[:60]!r}"
        ) from error


def rule_from(text: str) -> Rule:
    """Reads a rule strictly.

    Raises:
        TriggerError: It is no rule, or one without an end.
    """
    parts = _parts_of(text)
    freq = parts.get("FREQ", "")
    if freq not in FREQUENCIES:
        raise TriggerError(f"expected FREQ of {', '.join(FREQUENCIES)}, got {freq!r}")
    if ("COUNT" in parts) == ("UNTIL" in parts):
        raise TriggerError("expected a rule with either COUNT or UNTIL: it has to end")
    positions = _numbers(parts, "BYSETPOS", -31, 31)
    days = tuple(map(_day, _items(parts, "BYDAY")))
    if any(nth for nth, _ in days) and freq not in ("MONTHLY", "YEARLY"):
        raise TriggerError(f"expected days of the week alone with FREQ={freq}, got a numbered one")
    if len({bool(nth) for nth, _ in days}) > 1:
        raise TriggerError("expected days of the week that are all numbered, or none of them")
    month_days = _numbers(parts, "BYMONTHDAY", -31, 31)
    if month_days and freq == "WEEKLY":
        raise TriggerError("expected no BYMONTHDAY with FREQ=WEEKLY")
    if positions and (freq != "MONTHLY" or not (days or month_days)):
        raise TriggerError("expected BYSETPOS with FREQ=MONTHLY and BYDAY or BYMONTHDAY alone")
    week_start = parts.get("WKST", "MO")
    if week_start not in DAYS:
        raise TriggerError(f"expected WKST of {', '.join(DAYS)}, got {week_start!r}")
    return Rule(
        freq=freq,
        interval=_number(parts, "INTERVAL", 1, MOST_INTERVAL, default=1),
        count=_number(parts, "COUNT", 1, MOST_OCCURRENCES, default=0),
        until=_until(parts["UNTIL"]) if "UNTIL" in parts else None,
        days=days,
        month_days=month_days,
        months=_numbers(parts, "BYMONTH", 1, 12),
        positions=positions,
        week_start=DAYS.index(week_start),
    )


@lru_cache(maxsize=4_096)
def occurrences_of(trigger: TimeTrigger) -> tuple[Occurrence, ...]:
    """Returns every occurrence of a time, in order.

    Raises:
        TriggerError: It names no zone of this machine, its rule is none, does not begin with the
            time itself, or asks too often or for too long.
    """
    if trigger.at is not None:
        return (Occurrence(key=format_instant(trigger.at), at=trigger.at),)
    start = trigger.local
    if start is None:
        raise TriggerError("expected a time, got none")
    zone = zone_named(trigger.zone)
    locals_ = _local_times(start, rule_from(trigger.rrule), zone) if trigger.rrule else (start,)
    return tuple(
        Occurrence(key=local.isoformat(timespec="seconds"), at=instant_of(local, zone))
        for local in locals_
    )


def instant_of(local: datetime, zone: ZoneInfo) -> datetime:
    """Returns when the clock of a zone shows a time: the first of two, or as if not put forward."""
    return local.replace(tzinfo=zone, fold=0).astimezone(UTC)


def is_skipped(local: datetime, zone: ZoneInfo) -> bool:
    """Tells whether the clock of a zone never shows a time, since it is put forward over it."""
    return instant_of(local, zone).astimezone(zone).replace(tzinfo=None) != local


def _local_times(start: datetime, rule: Rule, zone: ZoneInfo) -> tuple[datetime, ...]:
    try:
        horizon = start + HORIZON
    except OverflowError as error:
        raise TriggerError("expected a time within the next centuries") from error
    until = rule.until
    if until is not None and until.tzinfo is not None:
        until = until.astimezone(zone).replace(tzinfo=None)
    if until is not None and until > horizon:
        raise TriggerError(f"expected UNTIL within ten years of its start, got {until:%Y-%m-%d}")
    if not _is_fitting(start.date(), rule):
        # Asked first: a rule that nothing ever fits is walked along to the end of the calendar.
        raise TriggerError(
            f"expected a rule that begins with its own first time{_hint(start, rule)}"
        )
    most = rule.count or MOST_OCCURRENCES + 1
    found = tuple(islice(iter(_dateutil_rule(start, rule, until or horizon)), most))
    if not found or found[0] != start:
        raise TriggerError("expected a rule that ends after its own first time")
    if len(found) > MOST_OCCURRENCES:
        raise TriggerError(f"expected at most {MOST_OCCURRENCES} times, got more")
    if len(found) < rule.count:
        raise TriggerError(f"expected COUNT={rule.count} times within ten years of its start")
    return found


def _dateutil_rule(start: datetime, rule: Rule, until: datetime) -> dateutil_rrule.rrule:
    from dateutil import rrule  # a question never needs it

    weekdays = [rrule.weekday(day)(nth) if nth else rrule.weekday(day) for nth, day in rule.days]
    return rrule.rrule(
        _FREQ[rule.freq],
        dtstart=start,
        interval=rule.interval,
        until=until,
        wkst=rule.week_start,
        byweekday=weekdays or None,
        bymonthday=rule.month_days or None,
        bymonth=rule.months or None,
        bysetpos=rule.positions or None,
    )


def _is_fitting(day: date, rule: Rule) -> bool:
    """Tells whether a day is one of those that a rule is about, interval and end aside."""
    if not rule.positions:
        return _is_meant(day, rule)
    month = [item for item in _days_of_month(day) if _is_meant(item, rule)]
    chosen = {place for place in rule.positions if -len(month) <= place <= len(month)}
    return day in {month[place - 1 if place > 0 else place] for place in chosen}


def _is_meant(day: date, rule: Rule) -> bool:
    if rule.months and day.month not in rule.months:
        return False
    last = (_next_month(day) - timedelta(days=1)).day
    if rule.month_days and not {day.day, day.day - last - 1} & set(rule.month_days):
        return False
    return not rule.days or any(
        day.weekday() == weekday and (nth == 0 or nth in _places(day, rule))
        for nth, weekday in rule.days
    )


def _places(day: date, rule: Rule) -> tuple[int, int]:
    """Returns which of its weekday a day is, from the beginning and from the end of its period."""
    if rule.freq == "YEARLY" and not rule.months:
        first, after = date(day.year, 1, 1), date(day.year + 1, 1, 1)
    else:
        first, after = day.replace(day=1), _next_month(day)
    return (day - first).days // 7 + 1, -(((after - day).days - 1) // 7 + 1)


def _days_of_month(day: date) -> Iterator[date]:
    first = day.replace(day=1)
    yield from (first + timedelta(days=at) for at in range((_next_month(day) - first).days))


def _next_month(day: date) -> date:
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1)


def _hint(start: datetime, rule: Rule) -> str:
    days = (start.date() + timedelta(days=step) for step in range(1, 400))
    found = next((day for day in days if _is_fitting(day, rule)), None)
    return f"; the first day that fits is {found.isoformat()}" if found is not None else ""


def _parts_of(text: str) -> Mapping[str, str]:
    if len(text) > RULE_CHARS:
        raise TriggerError(f"expected a rule of at most {RULE_CHARS} characters")
    parts: dict[str, str] = {}
    for part in text.split(";"):
        name, equals, value = part.partition("=")
        if not equals or name not in _PARTS:
            choices = ", ".join(sorted(_PARTS))
            raise TriggerError(f"expected parts of {choices}, got {part[:40]!r}")
        if name in parts:
            raise TriggerError(f"expected {name} once, got it twice")
        parts[name] = value
    return parts


def _items(parts: Mapping[str, str], name: str) -> Iterator[str]:
    yield from parts[name].split(",") if name in parts else ()


def _numbers(parts: Mapping[str, str], name: str, lowest: int, highest: int) -> tuple[int, ...]:
    return tuple(_whole(name, item, lowest, highest) for item in _items(parts, name))


def _number(parts: Mapping[str, str], name: str, lowest: int, highest: int, *, default: int) -> int:
    return _whole(name, parts[name], lowest, highest) if name in parts else default


def _whole(name: str, text: str, lowest: int, highest: int) -> int:
    number = int(text) if _NUMBER.match(text) else 0
    if number == 0 or not lowest <= number <= highest:
        raise TriggerError(f"expected {name} of {lowest} to {highest} and not 0, got {text[:20]!r}")
    return number


def _day(text: str) -> tuple[int, int]:
    match = _DAY.match(text)
    if match is None:
        raise TriggerError(f"expected BYDAY of {', '.join(DAYS)}, got {text[:20]!r}")
    nth = _whole("BYDAY", match["nth"], -53, 53) if match["nth"] else 0
    return nth, DAYS.index(match["day"])


def _until(text: str) -> datetime:
    match = _UNTIL.match(text)
    try:
        if match is None:
            raise ValueError(text)
        day = date(int(text[:4]), int(text[4:6]), int(text[6:8]))
        if match["time"] is None:
            return datetime.combine(day, time(23, 59, 59))
        clock = match["time"]
        wanted = time(int(clock[:2]), int(clock[2:4]), int(clock[4:6]))
        return datetime.combine(day, wanted, tzinfo=UTC if match["utc"] else None)
    except ValueError as error:
        raise TriggerError(
            f"expected UNTIL such as 20271231 or 20271231T180000Z, got {text[:20]!r}"
        ) from error
