"""Entities and their edges as text for people and as values for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memfs.cli.terminal import columns, faint, printable, strong
from memfs.cli.text import day, field_text, title_of
from memfs.model.ids import short_id
from memfs.model.instants import format_instant
from memfs.model.record import Record, StoredRecord
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from datetime import datetime

    from memfs.domains.graph.entity_views import EdgeView, EntityView


def entity_lines(found: Sequence[StoredRecord]) -> str:
    """Returns one line an entity: short id, type, date, name, other names."""
    rows = []
    for stored in found:
        record = stored.record
        others = _aliases(record)
        tail = f"  {faint(printable('also ' + ', '.join(others)))}" if others else ""
        kind = printable(str(record.fields.get("entity_type", "")) or "-")
        rows.append((short_id(record.id), kind, day(record.observed), title_of(record) + tail))
    return columns(rows)


def entity_page(view: EntityView) -> str:
    """Returns an entity as a page: names, what is known of it, its edges, what names it."""
    record = view.stored.record
    kind = str(record.fields.get("entity_type", "")) or "entity"
    head = f"{record.reference}  {kind}"
    parts = [faint(printable(f"{head} · {record.scope}" if record.scope else head))]
    parts.append(strong(title_of(record)))
    if view.names[1:]:
        parts.append(f"also: {printable(', '.join(view.names[1:]))}")
    known = record.fields.get("attributes")
    if known:
        parts.append(f"known: {printable(field_text(known))}")
    body = record.body.strip("\n")
    if body:
        parts += ["", printable(body, keep_lines=True)]
    if view.edges:
        parts += ["", columns(map(_edge_row, view.edges), indent="  ")]
    if view.mentions:
        parts += ["", f"named in {len(view.mentions)}{'+' if view.is_cut else ''}:"]
        parts.append(columns(map(_mention_row, view.mentions), indent="  "))
    if view.stored.path:
        parts += ["", faint(f"file  {view.stored.path}")]
    return "\n".join(parts)


def _edge_row(edge: EdgeView) -> tuple[str, ...]:
    is_out = edge.link.other_end(edge.link.start) == edge.other.record.id
    arrow = "→" if is_out else "←"
    title = title_of(edge.other.record)
    notes = [_during(edge.link.since, edge.link.until)]
    if edge.stored.record.confidence is not None:
        notes.append(f"confidence {edge.stored.record.confidence:g}")
    if edge.stored.record.conflicts:
        notes.append("others say otherwise")
    if edge.is_pressure:
        notes.append("likeness, no proof")
    told = ", ".join(note for note in notes if note)
    tail = f"  {faint(f'({told})')}" if told else ""
    return (arrow, printable(edge.link.relation), short_id(edge.other.record.id), title + tail)


def _during(since: datetime | None, until: datetime | None) -> str:
    if since is None and until is None:
        return ""
    if until is None:
        return f"since {day(since)}"
    return f"until {day(until)}" if since is None else f"{day(since)} to {day(until)}"


def _mention_row(stored: StoredRecord) -> tuple[str, ...]:
    record = stored.record
    moment = record.event_time or record.observed
    return (short_id(record.id), record.kind, day(moment), title_of(record))


def page_value(stored: StoredRecord) -> JsonValue:
    """Returns an entity as a value."""
    record = stored.record
    return {
        "id": record.id,
        "version": record.version,
        "type": str(record.fields.get("entity_type", "")),
        "name": record.title,
        "aliases": list(_aliases(record)),
        "attributes": record.fields.get("attributes") or {},
        "scope": str(record.scope or ""),
        "path": stored.path,
    }


def entity_value(view: EntityView) -> JsonValue:
    """Returns an entity with its edges and with what names it as a value."""
    page = page_value(view.stored)
    assert isinstance(page, dict)
    record = view.stored.record
    return {
        **page,
        "about": record.body,
        "edges": [edge_value(edge) for edge in view.edges],
        "mentions": [_named_value(stored.record) for stored in view.mentions],
        "is_cut": view.is_cut,
    }


def edge_value(edge: EdgeView) -> JsonValue:
    """Returns an edge of an entity as a value."""
    record = edge.stored.record
    return {
        "id": record.id,
        "from": edge.link.start,
        "relation": edge.link.relation,
        "to": edge.link.end,
        "other": _named_value(edge.other.record),
        "event_time": _instant(record.event_time),
        "observed": _instant(record.observed),
        "valid_from": _instant(edge.link.since),
        "valid_until": _instant(edge.link.until),
        "confidence": record.confidence,
        "superseded_by": record.superseded_by,
        "conflicts": list(record.conflicts),
        "is_pressure": edge.is_pressure,
    }


def _named_value(record: Record) -> JsonValue:
    return {"id": record.id, "kind": record.kind, "title": record.title}


def _instant(moment: datetime | None) -> str:
    return format_instant(moment) if moment is not None else ""


def _aliases(record: Record) -> tuple[str, ...]:
    value = record.fields.get("aliases")
    return tuple(str(name) for name in value) if isinstance(value, list | tuple) else ()
