"""Triggers and intentions as plain data: read strictly, written one way (A70).

Whatever a trigger does not know refuses it: a field that is dropped in silence is how somebody
is asked about the wrong thing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final, assert_never

from memfs.model.authority import Sensitivity
from memfs.model.decision import Reason
from memfs.model.event import EventSort
from memfs.model.ids import ISSUE_PREFIX, is_id
from memfs.model.instants import format_instant, parse_instant
from memfs.model.intention import (
    INTENTION_PREFIX,
    MOST_OCCURRENCES,
    EventSource,
    EventTrigger,
    Intention,
    IntentionState,
    StateSource,
    StateTrigger,
    TimeTrigger,
    Trigger,
)
from memfs.model.issue import EventKind, IssueState
from memfs.model.record import Record
from memfs.model.run import FINAL_STATES
from memfs.model.values import JsonValue
from memfs.policy.reasons import reason
from memfs.policy.recurrence import TriggerError, occurrences_of

MOST_AFTER: Final = 32
LONGEST_WINDOW: Final = timedelta(days=3_660)
FIELDS: Final[Mapping[EventSource, tuple[str, ...]]] = MappingProxyType(
    {
        EventSource.RUN: ("state", "workflow"),
        EventSource.ISSUE: ("event", "issue"),
        EventSource.TIMELINE: ("entity", "event_kind", "project"),
    }
)
"""What may be said of each sort of event."""
_CHOICES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "state": tuple(map(str, FINAL_STATES)),
        "event": tuple(map(str, EventKind)),
        "event_kind": tuple(map(str, EventSort)),
    }
)
_ISSUE_STATES: Final = tuple(str(state) for state in IssueState if state is not IssueState.UNKNOWN)
_PATH_STATES: Final = ("present", "absent")
_VALUE_CHARS: Final = 200
_YEARS: Final = range(1971, 8_000)
_COMMIT: Final = re.compile(r"[0-9a-f]{7,40}\Z")
_BRANCH: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./+-]{0,199}\Z", re.ASCII)
_LINE: Final = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+\Z")
_NAMES: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "time": frozenset(("type", "at", "local", "zone", "rrule")),
        "event": frozenset(("type", "of", "match", "most")),
        "state": frozenset(("type", "of", "what", "holds")),
    }
)


def trigger_from(value: JsonValue) -> Trigger:
    """Reads a trigger strictly.

    Raises:
        TriggerError: It is none.
    """
    if not isinstance(value, Mapping):
        raise TriggerError("expected a trigger of named parts")
    kind = value.get("type")
    names = _NAMES.get(kind) if isinstance(kind, str) else None
    if names is None:
        raise TriggerError(f"expected a trigger of type {', '.join(_NAMES)}")
    unknown = sorted(value.keys() - names)
    if unknown:
        raise TriggerError(f"expected parts of {', '.join(sorted(names))}, got {unknown[0][:40]!r}")
    match kind:
        case "time":
            return _time(value)
        case "event":
            return _event(value)
        case _:
            return _state(value)


def trigger_value(trigger: Trigger) -> dict[str, JsonValue]:
    """Returns a trigger as plain data; reading it gives the same trigger."""
    match trigger:
        case TimeTrigger(at=at) if at is not None:
            return {"type": "time", "at": format_instant(at)}
        case TimeTrigger(local=local, zone=zone, rrule=rrule):
            shown = local.isoformat(timespec="seconds") if local is not None else ""
            value: dict[str, JsonValue] = {"type": "time", "local": shown, "zone": zone}
            return {**value, "rrule": rrule} if rrule else value
        case EventTrigger(of=of, match=fields, most=most):
            value = {"type": "event", "of": str(of), "match": dict(fields)}
            return {**value, "most": most} if most != 1 else value
        case StateTrigger(of=state, what=what, holds=holds):
            return {"type": "state", "of": str(state), "what": what, "holds": holds}
        case _:
            assert_never(trigger)


def check_trigger(trigger: Trigger) -> Trigger:
    """Returns a trigger that can be kept.

    Raises:
        TriggerError: It cannot: of a rule its times are counted.
    """
    if isinstance(trigger, TimeTrigger):
        occurrences_of(trigger)
    return trigger


def check_intention(record: Record) -> tuple[Reason, ...]:
    """Returns why the draft of an intention cannot be kept; nothing where it can."""
    if record.sensitivity is Sensitivity.SEALED:
        # Nobody could be asked in words that only a key opens.
        return (reason("intention.sealed"),)
    try:
        intention = intention_from(record)
        check_trigger(intention.trigger)
    except TriggerError:
        # What is wrong is told where it was typed: a reason quotes nothing that was submitted.
        return (reason("intention.unreadable"),)
    return ()


def intention_from(record: Record) -> Intention:
    """Reads what a record says of an intention.

    Raises:
        TriggerError: It says something that no intention says.
    """
    fields = record.fields
    try:
        state = IntentionState(str(fields.get("state")))
    except ValueError as error:
        raise TriggerError("expected a state of an intention") from error
    after = _texts(fields.get("after"), "after", MOST_AFTER)
    if any(not _is_condition(name) for name in after):
        raise TriggerError("expected ids of intentions or issues in 'after'")
    if record.observed is None:
        raise TriggerError("expected when it was stated")
    return Intention(
        id=record.id,
        state=state,
        trigger=trigger_from(fields.get("trigger")),
        created=record.observed,
        window=_window(fields.get("window_s")),
        ends=_instant(fields.get("ends"), "ends"),
        after=after,
        occurrence=_text(fields.get("occurrence"), "occurrence"),
        due_at=_instant(fields.get("due_at"), "due_at"),
        last=_text(fields.get("last"), "last"),
        taken=_texts(fields.get("taken"), "taken", MOST_OCCURRENCES),
        asked=_count(fields.get("asked"), "asked"),
        missed=_count(fields.get("missed"), "missed"),
        snoozed_until=_instant(fields.get("snoozed_until"), "snoozed_until"),
    )


def intention_fields(intention: Intention) -> dict[str, JsonValue]:
    """Returns the fields of an intention's record; what is not said is left out."""
    window = intention.window
    said: dict[str, JsonValue] = {
        "state": str(intention.state),
        "trigger": trigger_value(intention.trigger),
        "window_s": int(window.total_seconds()) if window is not None else None,
        "ends": _written(intention.ends),
        "after": list(intention.after),
        "occurrence": intention.occurrence,
        "due_at": _written(intention.due_at),
        "last": intention.last,
        "taken": list(intention.taken),
        "asked": intention.asked,
        "missed": intention.missed,
        "snoozed_until": _written(intention.snoozed_until),
    }
    return {name: value for name, value in said.items() if value not in (None, "", [], 0)}


def _time(value: Mapping[str, JsonValue]) -> TimeTrigger:
    if "at" in value:
        if value.keys() & {"local", "zone", "rrule"}:
            raise TriggerError("expected an instant or a time of a zone, got both")
        at = _instant(value["at"], "at")
        if at is None or at.year not in _YEARS or at.microsecond:
            raise TriggerError("expected an instant in whole seconds, such as 2027-03-01T09:00:00Z")
        return TimeTrigger(at=at)
    zone, rrule = _text(value.get("zone"), "zone"), _text(value.get("rrule"), "rrule")
    try:
        local = datetime.fromisoformat(_text(value.get("local"), "local"))
    except ValueError as error:
        raise TriggerError("expected a local time such as 2027-03-01T09:00:00") from error
    if local.tzinfo is not None or local.microsecond or local.year not in _YEARS:
        raise TriggerError("expected a local time in whole seconds and without an offset")
    if not zone:
        raise TriggerError("expected the zone of a local time")
    return TimeTrigger(local=local, zone=zone, rrule=rrule)


def _event(value: Mapping[str, JsonValue]) -> EventTrigger:
    try:
        of = EventSource(_text(value.get("of"), "of"))
    except ValueError as error:
        raise TriggerError(f"expected an event of {', '.join(EventSource)}") from error
    match = value.get("match", {})
    if not isinstance(match, Mapping):
        raise TriggerError("expected fields to match")
    for name, wanted in match.items():
        if name not in FIELDS[of]:
            raise TriggerError(f"expected fields of {', '.join(FIELDS[of])}, got {name[:40]!r}")
        text = _text(wanted, name)
        if not text:
            raise TriggerError(f"expected a value of {name}, got none")
        if name in _CHOICES and text not in _CHOICES[name]:
            raise TriggerError(f"expected {name} of {', '.join(_CHOICES[name])}, got {text[:40]!r}")
        if name == "issue" and not is_id(text, ISSUE_PREFIX):
            raise TriggerError("expected the id of an issue")
    most = value.get("most", 1)
    if type(most) is not int or not 1 <= most <= MOST_OCCURRENCES:
        raise TriggerError(f"expected most of 1 to {MOST_OCCURRENCES}")
    pairs = tuple(sorted((name, str(text)) for name, text in match.items()))
    return EventTrigger(of=of, match=pairs, most=most)


def _state(value: Mapping[str, JsonValue]) -> StateTrigger:
    what, holds = _text(value.get("what"), "what"), _text(value.get("holds"), "holds")
    match value.get("of"):
        case "path":
            parts = what.split("/")
            if not what or what.startswith("/") or {"", ".", "..", ".git"} & set(parts):
                raise TriggerError("expected a path inside the project, such as docs/plan.md")
            _require(holds in _PATH_STATES, f"expected a path to be {' or '.join(_PATH_STATES)}")
            return StateTrigger(of=StateSource.PATH, what=what, holds=holds)
        case "issue":
            _require(is_id(what, ISSUE_PREFIX), "expected the id of an issue")
            _require(holds in _ISSUE_STATES, f"expected a state of {', '.join(_ISSUE_STATES)}")
            return StateTrigger(of=StateSource.ISSUE, what=what, holds=holds)
        case "commit":
            _require(_COMMIT.match(what) is not None, "expected the id of a commit")
            is_plain = _BRANCH.match(holds) is not None and ".." not in holds
            _require(is_plain, "expected the name of a branch")
            return StateTrigger(of=StateSource.COMMIT, what=what, holds=holds)
        case _:
            raise TriggerError(f"expected a state of {', '.join(StateSource)}")


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise TriggerError(message)


def _is_condition(name: str) -> bool:
    return is_id(name, INTENTION_PREFIX) or is_id(name, ISSUE_PREFIX)


def _text(value: JsonValue, name: str) -> str:
    if value is None or value == "":
        return ""
    is_plain = isinstance(value, str) and len(value) <= 500 and _LINE.match(value) is not None
    if not is_plain or (name in ("what", "holds") and len(str(value)) > _VALUE_CHARS):
        raise TriggerError(f"expected one line as {name}")
    return str(value)


def _texts(value: JsonValue, name: str, most: int) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > most:
        raise TriggerError(f"expected at most {most} of {name}")
    return tuple(_text(item, name) for item in value)


def _count(value: JsonValue, name: str) -> int:
    if value is None:
        return 0
    if type(value) is not int or not 0 <= value <= 1_000_000:
        raise TriggerError(f"expected a count as {name}")
    return value


def _window(value: JsonValue) -> timedelta | None:
    if value is None:
        return None
    if type(value) is not int or not 1 <= value <= LONGEST_WINDOW.total_seconds():
        raise TriggerError("expected a window of a second to ten years")
    return timedelta(seconds=value)


def _instant(value: JsonValue, name: str) -> datetime | None:
    if value is None or value == "":
        return None
    try:
        return parse_instant(value) if isinstance(value, str) else _no_instant(name)
    except (ValueError, OverflowError) as error:
        raise TriggerError(f"expected an instant as {name}") from error


def _no_instant(name: str) -> datetime:
    raise TriggerError(f"expected an instant as {name}")


def _written(moment: datetime | None) -> str:
    return format_instant(moment) if moment is not None else ""
