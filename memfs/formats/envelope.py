"""The envelope as one table: canonical order, how each field reads and how it writes.

This is the lean reader of bytes that the ledger holds: it stops at the first fault and says
little. What a person or an agent wrote goes through ``record_models``, which reports every fault
with its place; a property test holds both to the same answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from memfs.formats.canonical import UnwritableError, Verbatim, plain_data, title_of
from memfs.formats.field_readers import (
    integer_of,
    label_of,
    list_of,
    read_confidence,
    read_id,
    read_instant,
    read_label,
    read_labels,
    read_line,
    read_line_of,
    read_origin,
    read_reference,
    read_relation,
    read_scope,
    read_sinks,
    read_taint,
    read_text,
    write_origin,
    write_relation,
)
from memfs.formats.kind_fields import FieldError, check_field, grants_in
from memfs.model.authority import DEFAULT_SINKS, Authority, Sensitivity, Sink
from memfs.model.frozen import frozen
from memfs.model.instants import format_instant
from memfs.model.kinds import FieldType, KindSpec
from memfs.model.limits import BODY_BYTES, MAX_VERSION, TITLE_CHARS
from memfs.model.record import DEFAULT_IMPORTANCE, Record
from memfs.model.status import Status
from memfs.model.values import JsonValue

REQUIRED: Final = ("id", "kind", "scope", "observed", "origin")
"""What every record of the ledger says of itself (A3); a draft needs none but the kind."""


@frozen(kw_only=False)
class EnvelopeField:
    """One field: its name in files and in ``Record``, and both directions."""

    name: str
    read: Callable[[JsonValue], Any]
    write: Callable[[Any], JsonValue]
    default: Any


def _same(value: Any) -> JsonValue:
    plain: JsonValue = value
    return plain


def _write_instant(moment: datetime) -> JsonValue:
    return Verbatim(format_instant(moment))


def _sink_order(sinks: frozenset[Sink]) -> JsonValue:
    return [sink.value for sink in Sink if sink in sinks]


def _instant_field(name: str) -> EnvelopeField:
    return EnvelopeField(name, read_instant, _write_instant, None)


_references: Final = list_of(read_reference)
ENVELOPE: Final[tuple[EnvelopeField, ...]] = (
    EnvelopeField("id", read_id, _same, ""),
    EnvelopeField("kind", read_line, _same, ""),
    EnvelopeField("title", read_line_of(TITLE_CHARS), _same, ""),
    EnvelopeField("status", label_of({i.value: i for i in Status}), str, Status.ACTIVE),
    EnvelopeField("version", integer_of(1, MAX_VERSION), _same, 1),
    EnvelopeField("scope", read_scope, str, None),
    EnvelopeField("subject", read_line, _same, ""),
    EnvelopeField("record_class", read_label, _same, ""),
    _instant_field("observed"),
    _instant_field("event_time"),
    _instant_field("valid_from"),
    _instant_field("valid_until"),
    _instant_field("review_after"),
    _instant_field("expires"),
    EnvelopeField("authority", label_of({i.label: i for i in Authority}), lambda i: i.label, None),
    EnvelopeField("confidence", read_confidence, _same, None),
    EnvelopeField("importance", integer_of(1, 10), _same, DEFAULT_IMPORTANCE),
    EnvelopeField(
        "sensitivity",
        label_of({i.label: i for i in Sensitivity}),
        lambda i: i.label,
        Sensitivity.NORMAL,
    ),
    EnvelopeField("sinks", read_sinks, _sink_order, DEFAULT_SINKS),
    EnvelopeField("taint", read_taint, list, ()),
    EnvelopeField("tags", read_labels, list, ()),
    EnvelopeField("entities", list_of(read_line), list, ()),
    EnvelopeField("origin", read_origin, write_origin, None),
    EnvelopeField("evidence", _references, list, ()),
    EnvelopeField("derived_from", _references, list, ()),
    EnvelopeField("transform", read_line, _same, ""),
    EnvelopeField("supersedes", _references, list, ()),
    EnvelopeField("superseded_by", read_reference, _same, ""),
    _instant_field("superseded_from"),
    EnvelopeField("conflicts", _references, list, ()),
    EnvelopeField(
        "relations", list_of(read_relation), lambda items: [write_relation(i) for i in items], ()
    ),
    EnvelopeField("branch", read_line, _same, ""),
    EnvelopeField("summary", read_text, _same, ""),
    EnvelopeField("abstract", read_text, _same, ""),
)
FIELD_ORDER: Final = tuple(field.name for field in ENVELOPE)
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z\Z", re.ASCII)
_READERS: Final = {field.name: field.read for field in ENVELOPE}


def build_record(values: Mapping[str, JsonValue], body: str, kind: KindSpec) -> Record:
    """Builds a record of ``kind`` from what a file says.

    A key without a value counts as left out. Which fields a record of the ledger must have is
    not checked here.

    Raises:
        FieldError: The first field that is wrong.
    """
    known: dict[str, Any] = {}
    extra: dict[str, JsonValue] = {}
    readers = _READERS
    for name, value in values.items():
        if name not in readers:
            extra[name] = value
        elif value is not None:
            try:
                known[name] = readers[name](value)
            except ValueError as error:
                raise FieldError(name, str(error)) from None
    if "id" in known and not known["id"].startswith(f"{kind.id_prefix}_"):
        raise FieldError("id", f"expected an id that starts with {kind.id_prefix}_")
    known["kind"] = kind.name
    if "title" not in known and body:
        known["title"] = title_of(body)
    fields, unknown = _split_extra(extra, kind) if extra or kind.fields else ({}, {})
    if fields:
        known["fields"] = fields
    if unknown:
        known["unknown"] = unknown
    check_body(body, kind)
    return Record(body=body, **known)


def check_body(body: str, kind: KindSpec) -> None:
    """Checks that a body is not too long, and that only prose kinds have one.

    Raises:
        FieldError: It is too long, or the kind has none.
    """
    if kind.extension == ".json":
        if body:
            raise FieldError("body", f"expected no text, a {kind.name} is JSON only")
    elif len(body) > BODY_BYTES // 4 and len(body.encode("utf-8")) > BODY_BYTES:
        raise FieldError("body", f"expected at most {BODY_BYTES} bytes")


def _split_extra(
    extra: Mapping[str, JsonValue], kind: KindSpec
) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    fields: dict[str, JsonValue] = {}
    unknown = dict(extra)
    for spec in kind.fields:
        value = unknown.pop(spec.name, None)
        if value is not None:
            check_field(spec, value)
            fields[spec.name] = value
    for place in grants_in({**unknown, **fields}):
        raise FieldError(str(place[0]), "no field can grant an action")
    return fields, unknown


def record_values(record: Record, kind: KindSpec) -> dict[str, JsonValue]:
    """Returns what a file says of ``record``, in canonical order, defaults left out."""
    values: dict[str, JsonValue] = {}
    for item in ENVELOPE:
        value = getattr(record, item.name)
        if value != item.default:
            values[item.name] = item.write(value)
    instants = {spec.name for spec in kind.fields if spec.field_type is FieldType.INSTANT}
    for name, value in (*record.fields.items(), *record.unknown.items()):
        if name in values or name in _READERS:
            raise UnwritableError(f"the field {name!r} is said twice")
        is_instant = name in instants and isinstance(value, str) and _INSTANT.match(value)
        values[name] = Verbatim(value) if is_instant else plain_data(value)
    return values
