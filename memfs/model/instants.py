"""Instants: aware, in UTC, written as RFC 3339 with a ``Z``.

No function here reads a clock. A date without a time means midnight UTC at its start;
a time without a zone is refused, since guessing one is how memories end up hours off.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Final

_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}\Z")


def parse_instant(text: str) -> datetime:
    """Parses an RFC 3339 instant or an ISO date into an aware UTC ``datetime``.

    Raises:
        ValueError: The text is no instant, has a time but no zone, or names one that
            UTC has no year for (``0001-01-01T00:00:00+05:00``).
    """
    if _DATE.match(text):
        day = date.fromisoformat(text)
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"expected an instant with a zone, got {text!r}")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"expected an instant of the years 1 to 9999, got {text!r}") from None


def format_instant(moment: datetime) -> str:
    """Formats an aware instant as ``2026-11-29T10:12:00Z``; fractions only when not zero."""
    moment = moment.astimezone(UTC)
    spec = "microseconds" if moment.microsecond else "seconds"
    return moment.replace(tzinfo=None).isoformat(timespec=spec) + "Z"


def month_of(moment: datetime) -> str:
    """Returns the UTC month as ``2026-11``, the name of a month folder."""
    return moment.astimezone(UTC).strftime("%Y-%m")
