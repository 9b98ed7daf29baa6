"""The body of an issue: an event log in Markdown, oldest first, that only ever grows (C15).

An event is one line that nothing else can look like, since every line of its detail is indented::

    - 2026-11-30T08:00:00Z opened by run_…: The upload stalls (evt_…)
      It stops after the first block.

Reading never fails: a line that is neither is a finding, stays where it is and says nothing of
the state. Reading what was written gives the same event again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.ids import EVENT_PREFIX, RUN_PREFIX
from memfs.model.instants import format_instant, parse_instant
from memfs.model.issue import EventKind, IssueEvent

_ULID: Final = r"[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}"
_INSTANT: Final = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z"
_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9._@+/-]{0,63}"
_WHO: Final = rf"(?:{RUN_PREFIX}_{_ULID}|(?:user|agent|tool|system|import):{_NAME})"
_EVENT: Final = re.compile(
    rf"- (?P<at>{_INSTANT}) (?P<kind>{'|'.join(EventKind)}) by (?P<by>{_WHO}): "
    rf"(?P<title>\S(?:.*\S)?) \((?P<id>{EVENT_PREFIX}_{_ULID})\)\Z"
)
_LINE_BREAKS: Final = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
INDENT: Final = "  "


@frozen
class LogFault:
    """A line of a body that is no part of an event.

    Attributes:
        line: 1-based, within the body.
        code: Stable code.
        message: What is wrong.
    """

    line: int
    code: str
    message: str


@frozen
class IssueLog:
    """What stands in the body of an issue.

    Attributes:
        events: In the order of the file.
        faults: What could not be read, in the order of the file.
    """

    events: tuple[IssueEvent, ...] = ()
    faults: tuple[LogFault, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        """Ids of all events."""
        return frozenset(event.id for event in self.events)


def parse_log(body: str) -> IssueLog:
    """Reads the body of an issue."""
    events: list[IssueEvent] = []
    details: list[list[str]] = []
    faults: list[LogFault] = []
    seen: set[str] = set()
    is_inside = False
    for number, raw in enumerate(body.split("\n"), 1):
        line = raw.removesuffix("\r")
        if not line.strip():
            if is_inside:
                details[-1].append("")
            continue
        if is_inside and line.startswith(INDENT):
            details[-1].append(line[len(INDENT) :])
            continue
        event = _event_from(line)
        is_inside = event is not None and event.id not in seen
        if event is None:
            message = "expected an event, or its detail indented by two blanks"
            faults.append(LogFault(line=number, code="issue.line", message=message))
        elif event.id in seen:
            message = f"expected an event of its own, got {event.id} again"
            faults.append(LogFault(line=number, code="issue.repeated-event", message=message))
        else:
            seen.add(event.id)
            events.append(event)
            details.append([])
    told = zip(events, details, strict=True)
    found = tuple(replace(event, detail=_detail_of(lines)) for event, lines in told)
    return IssueLog(events=found, faults=tuple(faults))


def encode_events(events: Iterable[IssueEvent]) -> str:
    """Returns events as they stand in a body, each ending in a line feed.

    Raises:
        ValueError: One of them would not read back the same.
    """
    chosen = tuple(events)
    text = "".join(map(_encoded, chosen))
    log = parse_log(text)
    if log.faults or log.events != chosen:
        raise ValueError("expected events that read back the same, got others")
    return text


def appended_body(body: str, events: Iterable[IssueEvent]) -> str:
    """Returns a body with events at its end; no earlier byte changes, its line ends are kept."""
    newline = "\r\n" if "\r\n" in body else "\n"
    text = encode_events(events).replace("\n", newline)
    if body and not body.endswith("\n"):
        body += newline
    return body + text


def with_events_since(body: str, base: str, other: str) -> str:
    """Returns a body with what ``other`` got after ``base``, where it lacks that.

    Args:
        body: An edit of ``base``.
        base: What both started from.
        other: What stands there now.
    """
    mine, before = parse_log(body).ids, parse_log(base).ids
    missing = [
        event
        for event in parse_log(other).events
        if event.id not in before and event.id not in mine
    ]
    return appended_body(body, missing) if missing else body


def plain_lines(text: str) -> str:
    """Returns text as a detail holds it: with line feeds, and no blank lines around it."""
    return _detail_of(_LINE_BREAKS.sub("\n", text).split("\n"))


def plain_title(text: str) -> str:
    """Returns text on one line."""
    return " ".join(text.split())


def _event_from(line: str) -> IssueEvent | None:
    match = _EVENT.match(line)
    if match is None:
        return None
    try:
        at = parse_instant(match["at"])
    except ValueError:
        return None
    return IssueEvent(
        id=match["id"],
        at=at,
        kind=EventKind(match["kind"]),
        by=match["by"],
        title=match["title"],
    )


def _encoded(event: IssueEvent) -> str:
    at = format_instant(event.at)
    head = f"- {at} {event.kind} by {event.by}: {event.title} ({event.id})\n"
    lines = event.detail.split("\n") if event.detail else []
    return head + "".join(f"{INDENT}{line}\n" if line else "\n" for line in lines)


def _detail_of(lines: list[str]) -> str:
    """Returns lines without the blank ones around them."""
    first = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    last = next((at for at in range(len(lines), first, -1) if lines[at - 1].strip()), first)
    return "\n".join(line if line.strip() else "" for line in lines[first:last])
