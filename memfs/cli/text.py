"""Typed answers as text for people: aligned, calm, one idea a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from memfs.cli.terminal import columns, faint, printable, say, strong, write
from memfs.model.ids import short_id, split_version
from memfs.model.instants import format_instant
from memfs.model.packet import ScoredRecord
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.model.role import told_fields
from memfs.model.scope import GLOBAL_SCOPE
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.domains.sessions.sources import SaidIn
    from memfs.model.candidate import Candidate
    from memfs.model.decision import Reason
    from memfs.model.operation import Commit
    from memfs.services.ledger_log import LoggedOperation


def day(moment: datetime | None) -> str:
    """Returns the UTC date of an instant, or a dash."""
    return format_instant(moment)[:10] if moment is not None else "-"


def write_result(result: Result) -> None:
    """Writes what was done to stdout, or why not to stderr, with the reasons and details."""
    good = result.exit_status == 0
    line = printable(result.message)
    if result.target and result.target not in line:
        line = f"{printable(result.target)}: {line}" if line else printable(result.target)
    (write if good else say)(line)
    for title in _items(result.data.get("preview")):
        write(f"  {printable(str(title))}")
    if result.status is not ResultStatus.DONE:
        for reason in result.reasons:
            is_said = reason.message in result.message
            say(f"  {reason.code}" if is_said else f"  {reason_line(reason)}")
    for detail in (*_refusals(result), *_items(result.data.get("problems"))):
        say(f"  {printable(str(detail))}")


def _items(value: JsonValue) -> tuple[JsonValue, ...]:
    return tuple(value) if isinstance(value, list | tuple) else ()


def _refusals(result: Result) -> Iterator[str]:
    for refused in _items(result.data.get("refused")):
        if isinstance(refused, Mapping):
            yield f"{refused.get('source')}: {refused.get('code')}: {refused.get('message')}"


def reason_line(reason: Reason) -> str:
    """Returns ``code: sentence``."""
    return f"{reason.code}: {printable(reason.message)}"


def title_of(record: Record) -> str:
    """Returns the title, or the first line of the body, safe to print."""
    lines = record.body.strip().splitlines()
    return printable(record.title or (lines[0] if lines else "(no title)"))


def list_lines(records: Sequence[StoredRecord]) -> str:
    """Returns one line a record: short id, kind, date, status unless active, title, tags."""
    rows = []
    for stored in records:
        record = stored.record
        title = title_of(record)
        if record.status != "active":
            title = f"({record.status}) {title}"
        tags = (
            f"  {faint('[' + ', '.join(map(printable, record.tags)) + ']')}" if record.tags else ""
        )
        tags += _mark(record)
        rows.append((short_id(record.id), record.kind, day(record.observed), title + tags))
    return columns(rows)


def hit_lines(hits: Sequence[ScoredRecord], *, explain: bool) -> str:
    """Returns one line a hit, best first; with ``explain`` the parts of its score below."""
    rows: list[str] = []
    for hit in hits:
        record = hit.stored.record
        title = title_of(record) + _mark(record)
        head = (f"{hit.score:.3f}", short_id(record.id), record.kind, title)
        rows.append("  ".join((head[0], head[1], head[2].ljust(10), head[3])).rstrip())
        if explain:
            parts = "  ".join(f"{name} {part:.3f}" for name, part in hit.components.items())
            rows.append(faint(f"       {parts}"))
    return "\n".join(rows)


def _mark(record: Record) -> str:
    """Says of a record that others contradict it, and that it holds everywhere."""
    names = ", ".join(map(short_id, record.conflicts))
    conflict = f"  {strong(f'(conflicts with {names})')}" if names else ""
    return conflict + (f"  {faint('(global)')}" if record.scope == GLOBAL_SCOPE else "")


def said_by(record: Record) -> str:
    """Returns who said it and over which channel."""
    origin = record.origin
    return printable(f"{origin.principal}, {origin.channel}") if origin else "origin unknown"


def record_page(
    stored: StoredRecord, against: Sequence[StoredRecord] = (), place: SaidIn | None = None
) -> str:
    """Returns a record as a page: what it is, where it comes from, what it says.

    Args:
        stored: The record.
        against: The records that say otherwise, shown with who said them.
        place: The conversation that it comes from.
    """
    record = stored.record
    head = f"{record.reference}  {record.kind} · {record.status}"
    if record.scope is not None:
        head += f" · {record.scope}"
    facts = [(name, printable(value)) for name, value in _facts(stored) if value]
    if place is not None:
        facts.append(("session", printable(_place(place))))
    parts = [faint(head), strong(title_of(record)), "", columns(facts, indent="  "), ""]
    for label, text in (("Summary", record.summary), ("Abstract", record.abstract)):
        if text:
            parts += [f"{label}: {printable(text, keep_lines=True)}", ""]
    body = record.body.strip("\n")
    if body:
        parts.append(printable(body, keep_lines=True))
    for name, value in told_fields(record).items():
        parts.append(f"{name}: {printable(field_text(value), keep_lines=True)}")
    for other in against:
        said = f"{other.record.reference}  {said_by(other.record)}"
        parts += ["", strong(f"says otherwise: {said}")]
        parts.append(printable(other.record.body.strip("\n"), keep_lines=True))
    return "\n".join(parts).rstrip() + "\n"


def _place(place: SaidIn) -> str:
    """Returns where a record was said, in words."""
    if place.is_gone:
        return "source gone"
    turn = f", turn {place.turn}" if place.turn is not None else ""
    return f"{place.title or 'a conversation without a name'}{turn}"


def field_text(value: JsonValue) -> str:
    """Returns what a field holds in words: lists by commas, groups by names."""
    match value:
        case bool():
            return "yes" if value else "no"
        case Mapping():
            return ", ".join(f"{name} {field_text(part)}" for name, part in value.items())
        case str():
            return value
        case Sequence():
            between = "; " if any(isinstance(part, Mapping) for part in value) else ", "
            return between.join(map(field_text, value))
        case _:
            return str(value)


def _facts(stored: StoredRecord) -> list[tuple[str, str]]:
    record = stored.record
    origin = record.origin
    said = f"{origin.principal}, {origin.channel} ({origin.origin_class})" if origin else ""
    return [
        ("subject", record.subject),
        ("observed", format_instant(record.observed) if record.observed else ""),
        ("happened", format_instant(record.event_time) if record.event_time else ""),
        ("valid", _validity(record)),
        ("review", day(record.review_after) if record.review_after else ""),
        ("origin", said),
        ("source", origin.source if origin else ""),
        ("authority", record.authority.label if record.authority is not None else ""),
        ("importance", str(record.importance)),
        ("tags", ", ".join(record.tags)),
        ("conflicts", ", ".join(record.conflicts)),
        ("replaces", ", ".join(record.supersedes)),
        ("replaced by", record.superseded_by),
        ("replaced from", format_instant(record.superseded_from) if record.superseded_from else ""),
        ("evidence", ", ".join(record.evidence)),
        ("file", stored.path),
        ("store", stored.store if record.scope == GLOBAL_SCOPE else ""),
    ]


def _validity(record: Record) -> str:
    if record.valid_from is None and record.valid_until is None:
        return ""
    start = format_instant(record.valid_from) if record.valid_from else ""
    end = format_instant(record.valid_until) if record.valid_until else ""
    return f"{start}..{end}"


def history_lines(commits: Sequence[Commit]) -> str:
    """Returns one line an operation, newest first: commit, date, author, subject."""
    return columns(
        (
            commit.id[:8],
            day(commit.at),
            printable(commit.author),
            printable(commit.subject) + ("" if commit.is_operation else faint("  (by hand)")),
        )
        for commit in commits
    )


def log_lines(operations: Sequence[LoggedOperation]) -> str:
    """Returns one line an operation, newest first: time, who, what was done, and to what."""
    return columns(
        (
            f"{item.commit.at:%Y-%m-%d %H:%M}",
            printable(item.commit.author),
            item.did,
            printable(item.about) if item.about else faint(_named(item.commit)),
        )
        for item in operations
    )


def _named(commit: Commit) -> str:
    """Returns what a commit is called by where its subject is not told."""
    names = [printable(short_id(split_version(item)[0])) for item in commit.records[:3]]
    return " ".join(names) + (" …" if len(commit.records) > 3 else "") or commit.id[:8]


def candidate_lines(candidates: Sequence[Candidate], *, limit: int = 0) -> str:
    """Returns what waits, grouped by who said it and the first reason why it waits.

    Args:
        candidates: In the order in which they came.
        limit: At most so many of one group; 0 for all.
    """
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(_why(candidate), []).append(candidate)
    lines = []
    for why, members in groups.items():
        shown = members[:limit] if limit else members
        lines.append(faint(why))
        lines.append(columns(map(_candidate_row, shown), indent="  "))
        if len(shown) < len(members):
            lines.append(faint(f"  … and {len(members) - len(shown)} more"))
    return "\n".join(lines)


def _why(candidate: Candidate) -> str:
    said = f"{candidate.origin.principal}, {candidate.origin.channel}"
    return f"{said} · {reason_line(candidate.reasons[0])}" if candidate.reasons else said


def _candidate_row(candidate: Candidate) -> tuple[str, ...]:
    title = candidate.title or PurePosixPath(candidate.path).name
    kind = candidate.kind or "-"
    return (short_id(candidate.id), str(candidate.action), kind, printable(title))


def candidate_page(candidate: Candidate, difference: str) -> str:
    """Returns a candidate as a page: reasons, then the difference from the ledger."""
    facts = [
        ("action", str(candidate.action)),
        ("record", candidate.record_id),
        ("file", candidate.path),
        ("origin", f"{candidate.origin.principal}, {candidate.origin.channel}"),
        ("source", candidate.origin.source),
        ("created", format_instant(candidate.created)),
        ("expires", day(candidate.expires) if candidate.expires else ""),
        ("batch", candidate.batch),
    ]
    parts = [
        faint(f"{candidate.id}  {candidate.kind} · {candidate.state}"),
        strong(printable(candidate.title or candidate.path)),
        "",
        columns([(name, printable(value)) for name, value in facts if value], indent="  "),
        "",
        *(f"why: {reason_line(reason)}" for reason in candidate.reasons),
        "",
        printable(difference or candidate.content.decode("utf-8", "replace"), keep_lines=True),
    ]
    return "\n".join(parts).rstrip() + "\n"
