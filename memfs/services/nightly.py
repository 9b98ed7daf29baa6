"""When a nightly pass is due: once a local day, caught up after downtime, in any zone (O23).

Pure, and the only place that knows what a local day is. A pass belongs to the *slot* of its day:
the instant at which the clock on the wall shows the wanted time. Where a clock is put forward
over that time, the slot is the moment at which it would have come; where it is put back, the
first of the two. A machine that slept over a slot, or over many, has one pass to catch up.
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Final

_SOON: Final = timedelta(days=1)
"""A mark further ahead than this was made by a clock that went wrong, and says nothing."""


def due_since(
    last: datetime | None, now: datetime, at: str, zone: tzinfo | None = None
) -> datetime | None:
    """Returns the slot that has come and has no pass yet; ``None`` where nothing is due.

    Args:
        last: When the last pass began; ``None`` where there was none. Aware.
        now: The present. Aware.
        at: Time of day as ``HH:MM``, on the clock of ``zone``.
        zone: The zone whose days count; ``None`` for the machine's own.

    Returns:
        An aware instant in UTC, not after ``now``. However many slots were slept over, the
        newest one alone is due.

    Raises:
        ValueError: ``at`` is no time of day.
    """
    slot = newest_slot(now, at, zone)
    return slot if last is None or is_from_wrong_clock(last, now) or last < slot else None


def is_from_wrong_clock(last: datetime, now: datetime) -> bool:
    """Tells whether a mark lies so far ahead that it says nothing."""
    return last - now > _SOON


def newest_slot(now: datetime, at: str, zone: tzinfo | None = None) -> datetime:
    """Returns the newest slot that is not after ``now``, in UTC.

    Raises:
        ValueError: ``at`` is no time of day.
    """
    wanted = time_of_day(at)
    today = now.astimezone(zone).date()
    # Before the slot of a day the one of the day before counts; a zone that moved over the date
    # line leaves a day out, and then the one before that. A time without a zone is the machine's.
    slots = (
        datetime.combine(today - timedelta(days=back), wanted, tzinfo=zone).astimezone(UTC)
        for back in range(3)
    )
    return next(slot for slot in slots if slot <= now)


def next_slot(now: datetime, at: str, zone: tzinfo | None = None) -> datetime:
    """Returns the first slot that is after ``now``, in UTC.

    Raises:
        ValueError: ``at`` is no time of day.
    """
    wanted = time_of_day(at)
    today = now.astimezone(zone).date()
    slots = (
        datetime.combine(today + timedelta(days=ahead), wanted, tzinfo=zone).astimezone(UTC)
        for ahead in range(3)
    )
    return next(slot for slot in slots if slot > now)


def time_of_day(text: str) -> time:
    """Returns ``HH:MM`` as a time.

    Raises:
        ValueError: It is no such time.
    """
    hours, colon, minutes = text.partition(":")
    is_plain = colon and len(hours) == len(minutes) == 2 and (hours + minutes).isdecimal()
    if not is_plain or not text.isascii():
        raise ValueError(f"expected a time of day as HH:MM, got {text!r}")
    return time(int(hours), int(minutes))
