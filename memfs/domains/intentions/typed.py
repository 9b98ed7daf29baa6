"""Intentions as people type them: refused with what was expected, never guessed (A70).

A time says its offset or its zone; a duration says its unit. Nothing that is left open is filled
in: a wrong guess is a question at the wrong hour.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from memfs.errors import UsageError
from memfs.model.instants import parse_instant
from memfs.model.intention import HORIZON, TimeTrigger, Trigger
from memfs.model.values import JsonValue
from memfs.policy.intention_triggers import check_trigger, trigger_from
from memfs.policy.recurrence import TriggerError

_DURATION: Final = re.compile(
    r"(?P<count>[1-9][0-9]{0,4})\s*(?P<unit>minutes?|min|m|hours?|h|days?|d|weeks?|w)\Z"
)
_UNITS: Final = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_EXAMPLE: Final = "such as 2027-03-01T09:00 with --zone Europe/Amsterdam, or 2027-03-01T09:00+01:00"


def duration_from(text: str) -> timedelta | None:
    """Reads a duration such as ``30m``, ``2 hours`` or ``1w``; ``None`` for nothing.

    Raises:
        UsageError: It is none, or longer than ten years.
    """
    if not text.strip():
        return None
    match = _DURATION.match(text.strip().lower())
    if match is None:
        raise UsageError(f"expected a duration such as 30m, 2h, 3d or 1w, got {text!r}")
    length = timedelta(seconds=int(match["count"]) * _UNITS[match["unit"][0]])
    if length > HORIZON:
        raise UsageError(f"expected a duration of at most ten years, got {text!r}")
    return length


def moment_from(text: str, now: datetime) -> datetime | None:
    """Reads an instant to come: with an offset, a date in UTC, or a duration from now.

    Raises:
        UsageError: It is none, or is over.
    """
    words = text.strip()
    if not words:
        return None
    if _DURATION.match(words.lower()):
        length = duration_from(words)
        return now + length if length is not None else None
    try:
        moment = parse_instant(words)
    except (ValueError, OverflowError):
        raise UsageError(
            f"expected an instant such as 2027-03-01T09:00+01:00, or 3d from now, got {text!r}"
        ) from None
    if moment <= now:
        raise UsageError(f"expected an instant to come, got {text!r}")
    return moment.replace(microsecond=0)


def time_trigger(at: str, zone: str, rrule: str, now: datetime) -> Trigger:
    """Reads a time to come.

    Raises:
        UsageError: It is none, is over, or its rule is none.
    """
    try:
        moment = datetime.fromisoformat(at.strip())
    except ValueError:
        moment = None
    is_local = moment is not None and moment.tzinfo is None and len(at.strip()) > len("2027-03-01")
    if not zone:
        if is_local or rrule:
            raise UsageError(f"expected a zone beside a time of the clock, {_EXAMPLE}")
        instant = moment_from(at, now)
        if instant is None or len(at.strip()) == len("2027-03-01"):
            raise UsageError(f"expected a time, {_EXAMPLE}, got {at!r}")
        return TimeTrigger(at=instant)
    if moment is None or not is_local:
        raise UsageError(f"expected a time of the clock in {zone}, {_EXAMPLE}, got {at!r}")
    value: dict[str, JsonValue] = {
        "type": "time",
        "local": moment.isoformat(timespec="seconds"),
        "zone": zone,
        "rrule": rrule.strip().upper().removeprefix("RRULE:"),
    }
    return _typed(value)


def event_trigger(of: str, matches: Sequence[str], most: int) -> Trigger:
    """Reads an event: what it is one of, and ``name=value`` for each field.

    Raises:
        UsageError: It is none.
    """
    fields: dict[str, JsonValue] = {}
    for item in matches:
        name, equals, wanted = item.partition("=")
        if not equals or name in fields:
            raise UsageError(f"expected fields as NAME=VALUE, each once, got {item!r}")
        fields[name] = wanted
    value: dict[str, JsonValue] = {"type": "event", "of": of, "match": fields, "most": most}
    return _typed(value)


def state_trigger(text: str) -> Trigger:
    """Reads a state: ``path=FILE``, ``no-path=FILE``, ``issue=ID:STATE`` or ``commit=ID@BRANCH``.

    Raises:
        UsageError: It is none.
    """
    name, _, rest = text.partition("=")
    match name:
        case "path" | "no-path":
            what, holds = rest, "present" if name == "path" else "absent"
        case "issue":
            what, _, holds = rest.rpartition(":")
        case "commit":
            what, _, holds = rest.partition("@")
        case _:
            raise UsageError(
                "expected path=FILE, no-path=FILE, issue=ID:STATE or commit=ID@BRANCH, "
                f"got {text!r}"
            )
    of = "path" if name == "no-path" else name
    return _typed({"type": "state", "of": of, "what": what, "holds": holds})


def _typed(value: dict[str, JsonValue]) -> Trigger:
    try:
        return check_trigger(trigger_from(value))
    except TriggerError as error:
        raise UsageError(str(error)) from error
