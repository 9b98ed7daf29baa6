"""Intentions as an iCalendar of to-dos, for whoever may have them outside of the store (A70).

What waits for an event or a state has no time and is in no calendar. A calendar asks by itself:
what is answered there is not answered here. Zones are written out, so that a program which knows
none shows the same hours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Final

from memfs.errors import UsageError
from memfs.model.intention import (
    INTENTION_FOLDER,
    INTENTION_KIND,
    Intention,
    IntentionState,
    TimeTrigger,
)
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.policy.intention_triggers import intention_from
from memfs.policy.recurrence import TriggerError, instant_of, occurrences_of, rule_from, zone_named
from memfs.services.exported import Exported, Leaving
from memfs.services.links import with_open_links
from memfs.services.ports import Workspace

if TYPE_CHECKING:
    from icalendar import Calendar, Todo

FORMAT: Final = "ical"
_BEGIN: Final = "\nBEGIN:VTODO\r\n"
_STATUS: Final = {
    IntentionState.PENDING: "NEEDS-ACTION",
    IntentionState.BLOCKED: "NEEDS-ACTION",
    IntentionState.DUE: "NEEDS-ACTION",
    IntentionState.COMPLETED: "COMPLETED",
    IntentionState.CANCELLED: "CANCELLED",
}
"""What stands in a calendar, and as what; what was replaced or went by does not."""


class NoCalendarError(UsageError):
    """What writes calendars is not installed."""

    code = "usage.no-calendar"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    record: Record
    intention: Intention
    time: TimeTrigger


def export_calendar(workspace: Workspace, actor: Actor) -> Exported:
    """Returns every intention with a time that ``actor`` may take out of the store, by id.

    Each line is one to-do, its own lines ended as the format wants; the first and the last carry
    what stands around them.

    Raises:
        NoCalendarError: What writes calendars is not installed.
    """
    # What was replaced is no intention any more, and nothing that is left out.
    leaving = Leaving(workspace, actor, sees_replaced=True)
    records = (
        with_open_links(workspace, leaving.snapshot, stored, leaving.request).record
        for stored in leaving.records(INTENTION_FOLDER, (INTENTION_KIND,))
    )
    entries = sorted(_timed(records), key=lambda entry: entry.record.id)
    lines = tuple(_lines(entries, workspace.settings.store_id)) if entries else ()
    return leaving.exported(FORMAT, lines)


def _timed(records: Iterator[Record]) -> Iterator[_Entry]:
    for record in records:
        try:
            intention = intention_from(record)
            time = intention.trigger
            if not isinstance(time, TimeTrigger) or intention.state not in _STATUS:
                continue
            occurrences_of(time)
        except TriggerError:
            continue
        yield _Entry(record=record, intention=intention, time=time)


def _lines(entries: list[_Entry], store_id: str) -> Iterator[str]:
    """Yields the to-dos; what stands before and after them goes with the first and the last."""
    calendar = _calendar()
    todos = [_todo(entry, store_id) for entry in entries]
    for todo in todos:
        calendar.add_component(todo)
    times = [item.at for entry in entries for item in occurrences_of(entry.time)]
    first, last = min(times).date(), max(times).date()
    # From before the first of them to after the last: what a zone did otherwise is left out.
    calendar.add_missing_timezones(
        first_date=first.replace(year=first.year - 1, day=1),
        last_date=last.replace(year=last.year + 1, day=1),
    )
    calendar.subcomponents.sort(key=lambda item: item.name == "VTODO")
    text = calendar.to_ical().decode("utf-8").removesuffix("\n")
    # At the start of a line alone: what is folded begins with a blank.
    head, *parts = text.split(_BEGIN)
    for number, part in enumerate(parts):
        yield f"{head}{_BEGIN}{part}" if number == 0 else f"{_BEGIN[1:]}{part}"


def _calendar() -> Calendar:
    try:
        from icalendar import Calendar  # only an export needs it
    except ImportError as error:
        raise NoCalendarError(
            "expected icalendar to be installed: it writes calendars",
            hint="install it: pip install 'memfs-ledger[calendar]'",
        ) from error
    calendar = Calendar()
    calendar.add("prodid", "-//memfs//intentions//EN")
    calendar.add("version", "2.0")
    return calendar


def _todo(entry: _Entry, store_id: str) -> Todo:
    from icalendar import Todo

    record, intention, time = entry.record, entry.intention, entry.time
    todo = Todo()
    todo.add("uid", f"{record.id}@{store_id}")
    todo.add("dtstamp", intention.created)
    todo.add("created", intention.created)
    todo.add("summary", record.title)
    if record.body.strip():
        todo.add("description", record.body.strip())
    if time.local is None:
        todo.add("dtstart", time.at)
    else:
        todo.add("dtstart", time.local.replace(tzinfo=zone_named(time.zone)))
    if time.rrule:
        todo.add("rrule", _recurrence(time, intention))
    if intention.window is not None:
        todo.add("duration", intention.window)
    todo.add("status", _STATUS[intention.state])
    todo.add("sequence", record.version)
    todo.add("class", "PRIVATE")
    return todo


def _recurrence(time: TimeTrigger, intention: Intention) -> dict[str, object]:
    """Returns a rule as calendars read it: its end in UTC, and none of it after the intention's."""
    from icalendar import vRecur

    zone, rule = zone_named(time.zone), rule_from(time.rrule)
    recurrence = vRecur.from_ical(time.rrule)
    times = occurrences_of(time)
    if intention.ends is not None:
        times = tuple(item for item in times if item.at < intention.ends)
    if rule.until is None:
        recurrence["COUNT"] = [max(1, len(times))]
        return dict(recurrence)
    until = rule.until if rule.until.tzinfo is not None else instant_of(rule.until, zone)
    if intention.ends is not None:
        until = min(until, intention.ends - timedelta(seconds=1))
    recurrence["UNTIL"] = [until.astimezone(UTC)]
    return dict(recurrence)
