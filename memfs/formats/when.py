"""Instants as people type them: ISO first, then durations back from now, then a few words.

Whatever is not understood is an error. A word that silently means *now* is how a question
about last week gets today's answer.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

from memfs.errors import UsageError
from memfs.model.instants import parse_instant

_DURATION: Final = re.compile(
    r"(?P<count>[1-9][0-9]{0,3})\s*(?P<unit>minutes?|min|m|hours?|h|days?|d|weeks?|w|months?|years?|y)"
    r"(?:\s+ago)?\Z"
)
_NO_ZONE: Final = re.compile(r"\d[t ]\d\d:[\d:.]+\Z")
_UNITS: Final = {"mi": 1 / 1440, "h": 1 / 24, "d": 1, "w": 7, "mo": 30, "y": 365}


def parse_when(text: str, now: datetime) -> datetime:
    """Reads an instant, a date, a duration back from ``now`` or ``now|today|yesterday``.

    Args:
        text: Such as ``2026-11-29``, ``2026-11-29T10:12:00Z``, ``3d``, ``2 weeks ago``.
        now: The present, aware, UTC.

    Raises:
        UsageError: It is none of these; the message shows the forms.
    """
    words = text.strip().lower()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    match words:
        case "now":
            return now
        case "today":
            return midnight
        case "yesterday":
            return midnight - timedelta(days=1)
    duration = _DURATION.match(words)
    if duration is not None:
        unit = duration["unit"]
        key = "mi" if unit == "m" else next(name for name in _UNITS if unit.startswith(name))
        return now - timedelta(days=int(duration["count"]) * _UNITS[key])
    try:
        return parse_instant(text.strip())
    except ValueError:
        raise UsageError(
            f"expected an instant such as 2026-11-29, 2026-11-29T10:12:00Z, 3d or yesterday, "
            f"got {text!r}",
            hint="a time of the day needs its zone: Z, or +01:00" if _NO_ZONE.search(words) else "",
        ) from None
