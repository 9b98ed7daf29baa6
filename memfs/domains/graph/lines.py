"""Entities and edges as the lines of JSON files that other systems write and read, and back.

An entity is ``id type name aliases attributes text summary scope event_time ingestion_time
importance confidence sensitivity tags superseded_by``; an edge is ``id from to relation
event_time ingestion_time valid_from valid_until confidence provenance superseded_by
superseded_from importance sensitivity tags scope``. What is empty is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from memfs.errors import UsageError
from memfs.formats.foreign_line import (
    Line,
    LineError,
    LineFields,
    as_it_came,
    importance_from,
    kept_otherwise,
    sensitivity_from,
)
from memfs.model.authority import Sensitivity
from memfs.model.graph import EDGE_KIND, ENTITY_KIND, RELATED
from memfs.model.ids import EDGE_PREFIX, ENTITY_PREFIX, derived_id, is_id
from memfs.model.instants import format_instant
from memfs.model.limits import TEXT_CHARS
from memfs.model.naming import entity_key
from memfs.model.origin import Origin
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.model.values import JsonValue
from memfs.services.graph_drafts import name_from, other_names, relation_from

FORMAT: Final = "graph"
_FIXED: Final = frozenset(("id", "from", "to", "scope", "ingestion_time", "provenance"))
"""Fields that stay as they came: a record has one id, and is told where it is from once."""


def is_entity_line(line: Line) -> bool:
    """Tells whether a line is an entity by its look."""
    if not isinstance(line.get("name"), str) or "observations" in line or is_edge_line(line):
        return False
    return is_id(str(line.get("id", "")), ENTITY_PREFIX) or bool(
        {"aliases", "attributes"} & {*line}
    )


def is_edge_line(line: Line) -> bool:
    """Tells whether a line is an edge by its look."""
    return {"from", "to", "relation"} <= line.keys()


def own_line(record: Record) -> dict[str, JsonValue]:
    """Returns an entity or edge as a line of ours, however it came in."""
    line = _edge_line(record) if record.kind == EDGE_KIND else _entity_line(record)
    return {name: value for name, value in line.items() if value not in (None, "", [], {}, ())}


def line_of(record: Record) -> dict[str, JsonValue]:
    """Returns an entity or edge as a line; one that came in as a line goes out as it came."""
    own = own_line(record)
    return as_it_came(
        FORMAT, own, record.unknown, lambda said: own_line(draft_from(said)), fixed=_FIXED
    )


def _entity_line(record: Record) -> dict[str, JsonValue]:
    fields = record.fields
    aliases = fields.get("aliases")
    return {
        "id": record.id,
        "type": fields.get("entity_type"),
        "name": record.title,
        "aliases": list(aliases) if isinstance(aliases, list | tuple) else None,
        "attributes": _plain(fields.get("attributes")),
        "text": record.body.rstrip("\n"),
        "summary": record.summary,
        "event_time": _instant(record.event_time),
        **_shared(record),
    }


def _edge_line(record: Record) -> dict[str, JsonValue]:
    fields = record.fields
    return {
        "id": record.id,
        "from": fields.get("from"),
        "to": fields.get("to"),
        "relation": fields.get("relation"),
        "event_time": _instant(record.event_time),
        "valid_from": _instant(record.valid_from),
        "valid_until": _instant(record.valid_until),
        **_shared(record),
        "provenance": _provenance(record),
        "superseded_from": _instant(record.superseded_from),
    }


def _shared(record: Record) -> dict[str, JsonValue]:
    is_plain = record.sensitivity is Sensitivity.NORMAL
    return {
        "scope": str(record.scope or ""),
        "ingestion_time": _instant(record.observed),
        "importance": record.importance,
        "confidence": record.confidence,
        "sensitivity": "" if is_plain else record.sensitivity.label,
        "tags": list(record.tags),
        "superseded_by": record.superseded_by,
    }


def _provenance(record: Record) -> dict[str, JsonValue]:
    said: dict[str, JsonValue] = {
        **(_origin(record.origin) if record.origin is not None else {}),
        "evidence": list(record.evidence),
        "derived_from": list(record.derived_from),
        "transform": record.transform,
    }
    return {name: value for name, value in said.items() if value not in ("", [])}


def _origin(origin: Origin) -> dict[str, JsonValue]:
    return {
        "class": str(origin.origin_class),
        "principal": str(origin.principal),
        "channel": str(origin.channel),
        "source": origin.source,
        "speaker": origin.speaker,
    }


def _plain(value: JsonValue) -> JsonValue:
    return dict(value) if isinstance(value, Mapping) else None


def _instant(moment: datetime | None) -> str:
    return format_instant(moment) if moment is not None else ""


def draft_from(line: Line) -> Record:
    """Returns the draft of what a line says.

    Ids that are none of ours stand for one that follows from them: whoever imports the lines
    knows by it which line names which.

    Raises:
        LineError: It is neither an entity nor an edge, or a field is wrong.
    """
    try:
        if is_edge_line(line):
            draft = _edge_from(LineFields(line))
        elif isinstance(line.get("name"), str):
            draft = _entity_from(LineFields(line))
        else:
            raise LineError("import.unknown-line", "expected an entity or an edge, got neither")
    except UsageError as error:
        raise LineError("import.bad-field", error.message) from error
    return replace(draft, unknown=kept_otherwise(FORMAT, line, own_line(draft)))


def _entity_from(line: LineFields) -> Record:
    name = name_from(line.text("name", TEXT_CHARS))
    fields: dict[str, JsonValue] = {
        "entity_type": relation_from(line.label("type")) if line.label("type") else "",
        "aliases": list(other_names(name, line.labels("aliases"))),
        "attributes": _attributes(line.values.get("attributes")),
    }
    text = line.text("text", TEXT_CHARS * 100)
    draft = Record(
        kind=ENTITY_KIND,
        id=_own_id(ENTITY_PREFIX, line.label("id")),
        title=name,
        subject=entity_key(name),
        body=f"{text}\n" if text else "",
        summary=line.text("summary", TEXT_CHARS),
        event_time=line.moment("event_time"),
        fields={key: value for key, value in fields.items() if value not in ("", [], {})},
    )
    return _with_shared(draft, line, ENTITY_PREFIX)


def _edge_from(line: LineFields) -> Record:
    start, end = (_own_id(ENTITY_PREFIX, line.label(name)) for name in ("from", "to"))
    if not start or not end:
        raise LineError("import.missing-field", "expected an edge with 'from' and 'to'")
    if start == end:
        raise LineError("import.bad-field", "expected an edge between two, got the same twice")
    label = relation_from(line.label("relation"))
    draft = Record(
        kind=EDGE_KIND,
        id=_own_id(EDGE_PREFIX, line.label("id")),
        title=label or RELATED,
        event_time=line.moment("event_time"),
        valid_from=line.moment("valid_from"),
        valid_until=line.moment("valid_until"),
        superseded_from=line.moment("superseded_from"),
        fields={"from": start, "to": end, "relation": label},
    )
    return _with_shared(draft, line, EDGE_PREFIX)


def _with_shared(draft: Record, line: LineFields, prefix: str) -> Record:
    successor = _own_id(prefix, line.label("superseded_by"))
    return replace(
        draft,
        observed=line.moment("ingestion_time"),
        importance=importance_from(line.values.get("importance")),
        confidence=line.share("confidence"),
        sensitivity=sensitivity_from(line.label("sensitivity")),
        tags=line.labels("tags"),
        status=Status.SUPERSEDED if successor else Status.ACTIVE,
        superseded_by=successor,
    )


def _own_id(prefix: str, said: str) -> str:
    """Returns the id that a foreign one stands for: itself where it is one of ours."""
    return said if not said or is_id(said) else derived_id(prefix, FORMAT, said)


def _attributes(value: JsonValue) -> dict[str, JsonValue]:
    if value in (None, "", []):
        return {}
    if not isinstance(value, Mapping):
        raise LineError("import.bad-field", "expected attributes as an object")
    return dict(value)
