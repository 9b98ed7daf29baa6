"""Rows of an issue tracker as issues, and issues as rows: no field is lost on the way.

A row has ``id title description status priority issue_type created_at …`` and whatever else the
tracker says. What people read (the description, notes, a design, why it was closed) stands in the
log, as events of their own whose ids follow from the row, so that two clones that import the same
row have the same events. Everything else, and every text that a log cannot hold as it is, is kept
field by field under ``tracker``. A state that this store changed since wins over the row's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from memfs.domains.runs.issue_words import shortened
from memfs.formats.issue_log import parse_log, plain_lines, plain_title
from memfs.model.ids import EVENT_PREFIX, derived_id
from memfs.model.instants import format_instant, parse_instant
from memfs.model.issue import EventKind, IssueEvent, IssueState
from memfs.model.issue_fold import fold, in_order
from memfs.model.record import Record
from memfs.model.values import JsonValue

IMPORTED: Final = "import:tracker"
"""Who says what a row says."""
LOG_BYTES: Final = 40_960
"""Longest log that a row is made into; further words stay under ``tracker``."""
_UNTIMED: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TICK: Final = timedelta(seconds=1)
_DONE: Final = frozenset(("closed", "done", "resolved", "fixed", "completed", "complete", "merged"))
_DROPPED: Final = frozenset(
    ("wontfix", "wont_fix", "won't fix", "cancelled", "canceled", "rejected", "invalid")
) | frozenset(("duplicate", "not_planned", "abandoned", "tombstone"))
_OPEN: Final = frozenset(
    ("open", "new", "todo", "backlog", "ready", "triage", "in_progress", "started", "doing")
) | frozenset(("blocked", "deferred", "review", "in_review", "hooked", "pinned", "reopened"))
_NOTES: Final = ("notes", "design", "acceptance_criteria")
_OPENED: Final = "opened"
_CLOSED: Final = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowParts:
    """What a row comes to.

    Attributes:
        title: One line of at most 200 characters.
        events: Oldest first.
        tracker: What of the row the log does not say as it is.
        is_timed: Whether the row says when it was made.
        is_known_status: Whether its status is one that trackers have; it is kept in any case.
    """

    title: str
    events: tuple[IssueEvent, ...]
    tracker: Mapping[str, JsonValue]
    is_timed: bool = True
    is_known_status: bool = True


def parts_of_row(
    row: Mapping[str, JsonValue], key: str, *, known: Sequence[IssueEvent] = ()
) -> RowParts:
    """Returns what a row with an ``id`` and a ``title`` comes to.

    Args:
        row: As the tracker wrote it.
        key: Key of the issue.
        known: Events that the issue has already; they stay as they are.
    """
    title = shortened(plain_title(str(row["title"])))
    made: list[IssueEvent] = []
    for event in (*_events_of(row, key, title), *_reopening(row, key, title, known)):
        fits = _size([*known, *made, event]) <= LOG_BYTES
        made.append(event if fits else _without_detail(event))
    events = {event.id: event for event in (*made, *known)}
    _, is_known_status = state_of_row(row)
    said = {name: value for name, value in row.items() if not _is_said(name, value, key, events)}
    if title == row["title"]:
        said.pop("title", None)
    return RowParts(
        title=title,
        events=in_order(events.values()),
        tracker=said,
        is_timed=_instant(row, "created_at") is not None,
        is_known_status=is_known_status,
    )


def row_of_issue(record: Record) -> dict[str, JsonValue]:
    """Returns the row of an issue: the tracker's own, brought up to what happened here."""
    tracker = record.fields.get("tracker")
    events = in_order(parse_log(record.body).events)
    if not isinstance(tracker, Mapping):
        return _own_row(record, events)
    by_id = {event.id: event for event in events}
    key = record.subject
    row: dict[str, JsonValue] = {}
    for name, value in tracker.items():
        row[name] = value
        if name == "id":
            row.update(_restored(tracker, key, by_id, record.title))
    later = [event for event in events if event.by != IMPORTED]
    if later:
        row["memfs_events"] = [_event_row(event) for event in later]
        _bring_up(row, events, later)
    return row


def state_of_row(row: Mapping[str, JsonValue]) -> tuple[IssueState, bool]:
    """Returns how a row stands, and whether its status is one that trackers have.

    An unknown status counts as open, unless the row says when it was closed.
    """
    status = str(row.get("status") or "open").strip().casefold().replace("-", "_")
    if status in _DONE:
        return IssueState.RESOLVED, True
    if status in _DROPPED:
        return IssueState.WONTFIX, True
    if status in _OPEN:
        return IssueState.OPEN, True
    is_closed = _instant(row, "closed_at") is not None
    return (IssueState.RESOLVED if is_closed else IssueState.OPEN), False


def _events_of(row: Mapping[str, JsonValue], key: str, title: str) -> list[IssueEvent]:
    opened_at = _instant(row, "created_at") or _instant(row, "updated_at") or _UNTIMED
    changed_at = max(_instant(row, "updated_at") or opened_at, opened_at)
    opened = _event(EventKind.OPENED, key, _OPENED, opened_at, title, _words(row, "description"))
    events = [opened]
    for name in _NOTES:
        words = _words(row, name)
        if plain_lines(words):
            events.append(_event(EventKind.NOTED, key, name, changed_at, title, words))
    state, _ = state_of_row(row)
    if state.is_closed:
        kind = EventKind.RESOLVED if state is IssueState.RESOLVED else EventKind.WONTFIX
        at = max(_instant(row, "closed_at") or changed_at, opened_at)
        name = f"{_CLOSED} {format_instant(at)}"
        closed = _event(kind, key, name, at, title, _words(row, "close_reason"))
        if closed.order < opened.order:
            at += _TICK
            closed = _event(kind, key, name, at, title, _words(row, "close_reason"))
        events.append(closed)
    return events


def _reopening(
    row: Mapping[str, JsonValue], key: str, title: str, known: Sequence[IssueEvent]
) -> tuple[IssueEvent, ...]:
    """Returns the event that a tracker has opened again what it had closed."""
    imported = [event for event in known if event.by == IMPORTED]
    state, _ = state_of_row(row)
    if state.is_closed or not fold(imported).state.is_closed:
        return ()
    last = max(event.at for event in imported)
    at = max(_instant(row, "updated_at") or last, last + _TICK)
    name = f"reopened {format_instant(at)}"
    return (_event(EventKind.REOPENED, key, name, at, title, ""),)


def _event(
    kind: EventKind, key: str, name: str, at: datetime, title: str, words: str
) -> IssueEvent:
    return IssueEvent(
        id=derived_id(EVENT_PREFIX, key, name),
        at=at,
        kind=kind,
        by=IMPORTED,
        title=title,
        detail=plain_lines(words),
    )


def _without_detail(event: IssueEvent) -> IssueEvent:
    return IssueEvent(id=event.id, at=event.at, kind=event.kind, by=event.by, title=event.title)


def _size(events: Sequence[IssueEvent]) -> int:
    return sum(len(event.detail.encode("utf-8", "replace")) + 256 for event in events)


def _is_said(name: str, value: JsonValue, key: str, events: Mapping[str, IssueEvent]) -> bool:
    """Tells whether the log says a text of a row just as it is."""
    if not isinstance(value, str) or not value:
        return False
    if name == "description":
        found = events.get(derived_id(EVENT_PREFIX, key, _OPENED))
    elif name in _NOTES:
        found = events.get(derived_id(EVENT_PREFIX, key, name))
    elif name == "close_reason":
        found = _standing_close(tuple(events.values()))
    else:
        return False
    return found is not None and found.by == IMPORTED and found.detail == value


def _standing_close(events: Sequence[IssueEvent]) -> IssueEvent | None:
    """Returns the event by which a tracker closed an issue; ``None`` where it is open there."""
    imported = [event for event in events if event.by == IMPORTED]
    if not fold(imported).state.is_closed:
        return None
    found = [item for item in imported if item.kind in (EventKind.RESOLVED, EventKind.WONTFIX)]
    return max(found, key=lambda event: event.order)


def _restored(
    tracker: Mapping[str, JsonValue], key: str, events: Mapping[str, IssueEvent], title: str
) -> dict[str, JsonValue]:
    """Returns the texts of a row that stand in the log and not under ``tracker``."""
    found: dict[str, JsonValue] = {} if "title" in tracker else {"title": title}
    names = {"description": _OPENED, **{name: name for name in _NOTES}}
    for name, event_name in names.items():
        event = events.get(derived_id(EVENT_PREFIX, key, event_name))
        if name not in tracker and event is not None and event.detail:
            found[name] = event.detail
    closing = _standing_close(tuple(events.values()))
    if "close_reason" not in tracker and closing is not None and closing.detail:
        found["close_reason"] = closing.detail
    return found


def _bring_up(
    row: dict[str, JsonValue], events: Sequence[IssueEvent], later: Sequence[IssueEvent]
) -> None:
    """Says in a row what happened here since it was imported."""
    last = later[-1]
    before = fold(event for event in events if event.by == IMPORTED).state
    folded = fold(events)
    if _is_later(row.get("updated_at"), last.at):
        row["updated_at"] = format_instant(last.at)
    if folded.state is before or folded.state is IssueState.UNKNOWN:
        return
    _say_state(row, folded.state, events)


def _say_state(row: dict[str, JsonValue], state: IssueState, events: Sequence[IssueEvent]) -> None:
    closing = {IssueState.RESOLVED: EventKind.RESOLVED, IssueState.WONTFIX: EventKind.WONTFIX}
    kind = closing.get(state)
    if kind is None:
        row["status"] = "open"
        row.pop("closed_at", None)
        row.pop("close_reason", None)
        return
    event = max((item for item in events if item.kind is kind), key=lambda item: item.order)
    row["status"] = "closed"
    row["closed_at"] = format_instant(event.at)
    reason = event.detail or ("wontfix" if state is IssueState.WONTFIX else "")
    row.pop("close_reason", None)
    if reason:
        row["close_reason"] = reason


def _own_row(record: Record, events: Sequence[IssueEvent]) -> dict[str, JsonValue]:
    folded = fold(events)
    opening = next((item for item in events if item.kind is EventKind.OPENED), None)
    row: dict[str, JsonValue] = {"id": record.id, "title": record.title}
    if opening is not None and opening.detail:
        row["description"] = opening.detail
    row |= {"status": "open", "issue_type": "task"}
    if folded.opened is not None:
        row |= {"created_at": format_instant(folded.opened), "created_by": folded.opened_by}
    if events:
        row["updated_at"] = format_instant(max(event.at for event in events))
    if folded.state.is_closed:
        _say_state(row, folded.state, events)
    if record.tags:
        row["labels"] = list(record.tags)
    row["memfs_events"] = [_event_row(event) for event in events]
    return row


def _event_row(event: IssueEvent) -> dict[str, JsonValue]:
    row: dict[str, JsonValue] = {
        "id": event.id,
        "at": format_instant(event.at),
        "event": str(event.kind),
        "by": event.by,
    }
    return {**row, "detail": event.detail} if event.detail else row


def _words(row: Mapping[str, JsonValue], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _instant(row: Mapping[str, JsonValue], name: str) -> datetime | None:
    value = row.get(name)
    if not isinstance(value, str):
        return None
    try:
        return parse_instant(value.strip())
    except ValueError:
        return None


def _is_later(said: JsonValue, at: datetime) -> bool:
    try:
        return not isinstance(said, str) or parse_instant(said) < at
    except ValueError:
        return True
