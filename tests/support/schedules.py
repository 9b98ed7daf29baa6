"""Seeded schedules of intentions, and what they have to come to by a count of their own (A70).

The oracle knows nothing of memfs: it walks along the calendar a day at a time, finds the instant
of a time of the clock by asking every instant of that day what its clock shows, and says of each
look at the schedules which occurrence is to be asked about then. Every schedule has its traps:
clocks that are put forward and back, looks that stay away for days, clocks of machines that run
back, two that look at once, schedules that take the place of others, and ones that must not ask.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from random import Random
from zoneinfo import ZoneInfo

ZONES = (
    "UTC",
    "Europe/Amsterdam",
    "America/New_York",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Asia/Kolkata",
    "Africa/Casablanca",
    "America/Sao_Paulo",
    "Pacific/Chatham",
)
EDGES = (
    datetime(2026, 3, 29, 2, 30),
    datetime(2026, 10, 25, 2, 30),
    datetime(2026, 3, 8, 2, 0),
    datetime(2026, 11, 1, 1, 30),
    datetime(2026, 4, 5, 1, 45),
    datetime(2026, 10, 4, 2, 15),
    datetime(2028, 2, 28, 23, 59, 59),
    datetime(2026, 12, 31, 0, 0),
)
"""Times of the clock near which somewhere a clock is put forward or back, or a year ends."""
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """One intention and what is done with it.

    Attributes:
        number: Which one it is.
        zone: Whose clock.
        local: Its first time.
        rrule: How it comes again; empty for once.
        window: How long it is worth asking; ``None`` for always.
        ends: When it ends; ``None`` for never.
        free_at: When what it comes after is completed; ``None`` where it comes after nothing.
        stopped_at: When a person ends or replaces it; ``None`` where nobody does.
        looks: When somebody looks, by the clock of the machine, which may run back.
        times: The occurrences by the oracle: what the clock shows, and the instant.
    """

    number: int
    zone: str
    local: datetime
    rrule: str = ""
    window: timedelta | None = None
    ends: datetime | None = None
    free_at: datetime | None = None
    stopped_at: datetime | None = None
    looks: tuple[datetime, ...] = ()
    times: tuple[tuple[str, datetime], ...] = field(default=())

    @property
    def expected(self) -> frozenset[tuple[int, str]]:
        """Number and time of each occurrence that has to be asked about, once."""
        return frozenset((self.number, shown) for shown in _expected(self))


@lru_cache(maxsize=4)
def schedules(seed: int, count: int) -> tuple[Schedule, ...]:
    """Returns schedules, the same for a seed."""
    random = Random(seed)
    return tuple(_schedule(random, number) for number in range(count))


def _schedule(random: Random, number: int) -> Schedule:
    zone = random.choice(ZONES)
    local = random.choice(EDGES) if random.random() < 0.5 else _any_time(random)
    local -= timedelta(days=random.choice((0, 0, 1, 2, 7, 30)))
    rrule, days = _rule(random, local)
    times = tuple((f"{shown.isoformat()}", instant(shown, zone)) for shown in days)
    first, last = times[0][1], times[-1][1]
    ends = free_at = stopped_at = None
    if random.random() < 0.25:
        ends = first + (last - first) * random.random() + timedelta(minutes=random.randint(1, 999))
        ends = random.choice((ends, ends, times[-1][1], times[len(times) // 2][1]))
    if random.random() < 0.2:
        free_at = first + (last - first) * random.random() + timedelta(hours=random.randint(-9, 60))
    if random.random() < 0.3:
        stopped_at = (
            first + (last - first) * random.random() + timedelta(hours=random.randint(-2, 9))
        )
    ends, free_at, stopped_at = (
        mark.replace(microsecond=0) if mark is not None else None
        for mark in (ends, free_at, stopped_at)
    )
    marks = [mark for mark in (ends, free_at, stopped_at) if mark is not None]
    window = random.choice((None, 60, 3_600, 86_400, 3 * 86_400, 700))
    return Schedule(
        number=number,
        zone=zone,
        local=local,
        rrule=rrule,
        window=timedelta(seconds=window) if window is not None else None,
        ends=ends,
        free_at=free_at,
        stopped_at=stopped_at,
        looks=tuple(_looks(random, sorted([*marks, *(moment for _, moment in times)]))),
        times=times,
    )


def _any_time(random: Random) -> datetime:
    start = datetime(2026, 1, 1)
    return start + timedelta(minutes=random.randrange(3 * 365 * 24 * 60))


def _rule(random: Random, local: datetime) -> tuple[str, list[datetime]]:
    """Returns a rule, and by a walk along the calendar the times that it means."""
    count = random.randint(1, 12)
    interval = random.choice((1, 1, 1, 2, 3))
    first = local.date()
    match random.choice(("once", "daily", "daily", "weekly", "monthly", "yearly")):
        case "once":
            return "", [local]
        case "daily":
            rule = "FREQ=DAILY"
            days = (day for day in _days(first) if (day - first).days % interval == 0)
        case "weekly":
            chosen = {first.weekday(), *random.sample(range(7), random.randint(0, 3))}
            names = ",".join(DAYS[day] for day in sorted(chosen))
            rule = f"FREQ=WEEKLY;BYDAY={names}"
            monday = first - timedelta(days=first.weekday())
            days = (
                day
                for day in _days(first)
                if day.weekday() in chosen and (day - monday).days // 7 % interval == 0
            )
        case "monthly" if random.random() < 0.5:
            rule = f"FREQ=MONTHLY;BYMONTHDAY={first.day}"
            days = (
                day
                for day in _days(first)
                if day.day == first.day and _months(first, day) % interval == 0
            )
        case "monthly":
            nth = (first.day - 1) // 7 + 1
            rule = f"FREQ=MONTHLY;BYDAY={nth}{DAYS[first.weekday()]}"
            days = (
                day
                for day in _days(first)
                if day.weekday() == first.weekday()
                and (day.day - 1) // 7 + 1 == nth
                and _months(first, day) % interval == 0
            )
        case _:
            interval, count = 1, min(count, 2)
            if (first.month, first.day) == (2, 29):
                first = local.date()
            rule = "FREQ=YEARLY"
            days = (day for day in _days(first) if (day.month, day.day) == (first.month, first.day))
    found = [datetime.combine(next(days), local.time()) for _ in range(count)]
    rule += f";INTERVAL={interval}" if interval > 1 else ""
    if random.random() < 0.3:
        end = found[-1]
        return f"{rule};UNTIL={end:%Y%m%dT%H%M%S}", found
    return f"{rule};COUNT={count}", found


def _days(first: date) -> Iterator[date]:
    return (first + timedelta(days=step) for step in range(3_600))


def _months(first: date, day: date) -> int:
    return (day.year - first.year) * 12 + day.month - first.month


@lru_cache(maxsize=65_536)
def instant(shown: datetime, zone: str) -> datetime:
    """Returns the first instant at which a clock shows a time; one that it jumps over comes when
    it would have come by the clock of the day before.
    """
    place = ZoneInfo(zone)
    days = ((shown + timedelta(days=step)).replace(tzinfo=UTC) for step in (-2, -1, 0, 1, 2))
    offsets = [place.utcoffset(day.astimezone(place)) or timedelta() for day in days]
    guesses = sorted((shown - offset).replace(tzinfo=UTC) for offset in offsets)
    for guess in guesses:
        if guess.astimezone(place).replace(tzinfo=None) == shown:
            return guess
    return (shown - offsets[0]).replace(tzinfo=UTC)


def _looks(random: Random, moments: list[datetime]) -> Iterator[datetime]:
    """Yields looks: now dense around a time, now away for long, and now with a clock run back."""
    now = moments[0] - timedelta(hours=random.randint(1, 30))
    end = moments[-1] + timedelta(days=4)
    steps = (7, 3_600, 6 * 3_600, 12 * 3_600, 86_400, 86_400, 5 * 86_400)
    stretch = max(1.0, (end - now) / timedelta(days=60))
    while now < end:
        yield now
        if random.random() < 0.08:
            yield now - timedelta(seconds=random.choice((1, 3_600, 86_400)))
        near = [it for it in moments if timedelta() < it - now < timedelta(days=1)]
        if near and random.random() < 0.5:
            now = near[0] + timedelta(seconds=random.choice((-1, 0, 1, 59, 60, 3_599)))
            if now <= near[0] - timedelta(seconds=2):
                continue
            yield now
        now += timedelta(seconds=random.choice(steps) * stretch)
        now = now.replace(microsecond=0)


def _expected(schedule: Schedule) -> Iterator[str]:
    """Yields what has to be asked about, from the looks alone: between two of them the newest."""
    seen = datetime.min.replace(tzinfo=UTC)
    held: tuple[str, datetime] | None = None
    for now in schedule.looks:
        if schedule.stopped_at is not None and now >= schedule.stopped_at:
            return
        if schedule.ends is not None and now >= schedule.ends:
            return
        came = [item for item in schedule.times if seen < item[1] <= now]
        if came:
            seen, held = came[-1][1], came[-1]
        if held is not None and schedule.window is not None and now >= held[1] + schedule.window:
            held = None
        is_over = not held and schedule.times[-1][1] <= seen
        if held is not None and (schedule.free_at is None or now >= schedule.free_at):
            yield held[0]
            held = None
            is_over = False
        if is_over:
            return
