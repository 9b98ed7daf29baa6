"""What roles remember as people read it: how it stands, and all of it in one look."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memfs.cli.terminal import columns, faint, printable, strong
from memfs.model.ids import short_id
from memfs.model.instants import format_instant
from memfs.model.record_fields import text_field, texts_field
from memfs.model.role import anchors_of
from memfs.policy.role_freshness import not_looked_at

if TYPE_CHECKING:
    from memfs.domains.roles.packets.operator_view import Line, OperatorView, Part
    from memfs.domains.roles.packets.packets import Named
    from memfs.domains.roles.packets.role_status import RoleStatus
    from memfs.model.record import Record
    from memfs.policy.role_schedule import Schedule

_ANCHORS: Final = 4


def status_page(status: RoleStatus) -> str:
    """Returns how a role's memory stands: counts by profile, then what asks for a look."""
    rows = [
        (printable(profile), ", ".join(f"{printable(state)} {n}" for state, n in states.items()))
        for profile, states in status.counts.items()
    ]
    lines = [strong(printable(status.role)), columns(rows, indent="  ") or "  nothing"]
    lines += [f"  {line}" for line in _asking(status)]
    return "\n".join(lines)


def _asking(status: RoleStatus) -> Iterator[str]:
    yield f"open short-term: {status.open_short_term}, pressure {status.pressure:.2f}"
    yield _resting(status.schedule)
    if status.is_pressed:
        yield "something presses hard: packets tell the exact memories"
    count, standing = status.summaries
    if count:
        yield f"{standing} of {count} summaries stand for what they cover"
    if status.readiness:
        decided = (f"{verdict} {number}" for verdict, number in status.readiness.items())
        yield f"candidates: {', '.join(decided)}"
    named = (
        ("owed", status.obligations),
        ("ripe", status.ripe),
        ("stale", status.stale),
        ("contradicted", status.contradicted),
    )
    yield from (f"{words}: {_ids(listed)}" for words, listed in named if listed.ids)
    if status.unlooked:
        yield f"warning: {not_looked_at(status.unlooked)}"
    if status.unanchored:
        yield f"{status.unanchored} rest on nothing that is named"
    yield from (f"warning: {printable(line)}" for line in status.differences)
    if status.waiting:
        yield f"{status.waiting} wait for a person: memfs review"
    if status.last_receipt is not None:
        yield f"last changed {format_instant(status.last_receipt)}"


def _resting(schedule: Schedule) -> str:
    times = (("nap", schedule.next_nap), ("sleep", schedule.next_sleep))
    told = (f"next {name} {format_instant(time)}" for name, time in times if time is not None)
    return "; ".join((str(schedule.cycle), *told))


def _ids(named: Named) -> str:
    more = [f"{named.beyond} more"] if named.beyond else []
    return ", ".join([*(printable(name) for name in named.ids), *more])


def view_page(view: OperatorView) -> str:
    """Returns all of a role's memory: how it stands, part by part, what was done to it."""
    parts = [status_page(view.status)]
    parts += [_part(part) for part in (*view.parts, view.summaries) if part.lines or part.aside]
    if view.receipts:
        lines = "\n".join(map(_receipt, view.receipts))
        parts.append(f"{strong('receipts')}\n{lines}")
    return "\n\n".join(parts)


def _part(part: Part) -> str:
    lines = [strong(part.name), *(_line(line) for line in part.lines)]
    if part.beyond:
        lines.append(f"  {part.beyond} more")
    if part.aside:
        lines.append(f"  {part.aside} put aside: --all")
    return "\n".join(lines)


def _line(line: Line) -> str:
    record = line.record
    state = text_field(record, "lifecycle")
    head = f"  {faint(short_id(record.id))} {printable(state)}  {printable(record.title)}"
    below = [*_rests(record), *map(printable, line.notes), *map(printable, line.lineage)]
    return "\n".join([head, *(f"    {text}" for text in below)])


def _rests(record: Record) -> Iterator[str]:
    """Yields evidence, and apart from it what is only remembered (E44)."""
    anchors = anchors_of(record)
    for words, listed in (("evidence", anchors.evidence), ("remembered", anchors.remembered)):
        if listed:
            more = [f"{len(listed) - _ANCHORS} more"] if len(listed) > _ANCHORS else []
            yield f"{words}: {', '.join([*map(printable, listed[:_ANCHORS]), *more])}"
    if anchors.is_missing:
        yield "no anchor"


def _receipt(record: Record) -> str:
    at = format_instant(record.observed) if record.observed else ""
    targets = texts_field(record, "targets")
    told = printable(text_field(record, "operation"))
    if targets:
        more = [f"{len(targets) - _ANCHORS} more"] if len(targets) > _ANCHORS else []
        told += f": {', '.join([*map(printable, targets[:_ANCHORS]), *more])}"
    return f"  {faint(short_id(record.id))} {at}  {told}"
