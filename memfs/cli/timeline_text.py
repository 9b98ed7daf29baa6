"""The timeline as a person looks at it in a terminal: days with what happened, or bars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Final

from memfs.cli.terminal import columns, faint, printable, strong
from memfs.model.event import EventSort
from memfs.model.ids import short_id
from memfs.model.instants import format_instant

if TYPE_CHECKING:
    from memfs.domains.timeline.events import EventView

_BAR: Final = 40
_GAP: Final = 4
_MARKS: Final[Mapping[EventSort, str]] = {
    EventSort.WORK: "▪",
    EventSort.DECISION: "◆",
    EventSort.LEARNING: "●",
    EventSort.EVENT: "○",
}
_DAYS: Final = timedelta(days=62)
_MONTHS: Final = timedelta(days=366 * 5)


def event_lines(events: Sequence[EventView]) -> str:
    """Returns one line an event below the line of its day; days of UTC, in the order given."""
    parts: list[str] = []
    for day, group in groupby(events, key=lambda event: format_instant(event.at)[:10]):
        parts.append(strong(day))
        parts.append(columns([_row(event) for event in group], indent="  "))
    return "\n".join(parts)


def _row(event: EventView) -> tuple[str, ...]:
    title = printable(event.title) or "(no title)"
    if event.superseded_by:
        title = faint(f"{title}  (told anew: {short_id(event.superseded_by)})")
    about = ", ".join(printable(name) for name in event.names)
    return (
        format_instant(event.at)[11:16],
        _MARKS[event.sort],
        str(event.sort),
        short_id(event.id),
        f"{title}  {faint(f'[{about}]')}" if about else title,
    )


def chart_lines(events: Sequence[EventView]) -> str:
    """Returns a bar a day, month or year, whichever fits the time that the events span.

    What lies between the first and the last is there too, long gaps as one line; in the order
    given.
    """
    if not events:
        return ""
    first, last = min(event.at for event in events), max(event.at for event in events)
    width = _width_of(last - first)
    counts: dict[str, Counter[EventSort]] = {}
    for event in events:
        counts.setdefault(format_instant(event.at)[:width], Counter())[event.sort] += 1
    names = list(_periods(first, last, width))
    if events[0].at > events[-1].at:
        names.reverse()
    most = max(sum(count.values()) for count in counts.values())
    rows: list[tuple[str, str, str]] = []
    for has_events, group in groupby(names, key=counts.__contains__):
        period = list(group)
        if has_events or len(period) < _GAP:
            rows.extend(_bar(name, counts.get(name, Counter()), most) for name in period)
        else:
            rows.append(("⋮", "", faint(f"{len(period)} without")))
    return columns(rows)


def _bar(name: str, count: Counter[EventSort], most: int) -> tuple[str, str, str]:
    total = sum(count.values())
    size = max(1, round(total * _BAR / most)) if total else 0
    told = ", ".join(f"{count[sort]} {sort}" for sort in EventSort if count[sort])
    return name, str(total), f"{'█' * size} {faint(told)}".strip() if total else "·"


def _width_of(span: timedelta) -> int:
    """Returns how much of an instant names a period: a day, a month or a year."""
    if span <= _DAYS:
        return len("2026-11-30")
    return len("2026-11") if span <= _MONTHS else len("2026")


def _periods(first: datetime, last: datetime, width: int) -> Iterator[str]:
    """Yields the names of all periods from the first to the last."""
    end, name = format_instant(last)[:width], ""
    moment = first
    while name < end:
        found = format_instant(moment)[:width]
        if found != name:
            name = found
            yield name
        moment = min(moment + timedelta(days=1 if width > len("2026") else 28), last)
