"""Events as the lines of a JSON file that other systems write and read, and back again.

A line is one object: ``id kind title text event_time ingestion_time entities project session
nodes commit run importance confidence sensitivity tags fact superseded_by``; what is empty is
left out. What a foreign line says otherwise than we would (a time in another zone, ``null``, a
field of its own) is kept with the record, so that it is handed out as it came in.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memfs.domains.timeline.events import EventView
from memfs.formats.foreign_line import (
    LineError,
    LineFields,
    importance_from,
    kept_of,
    kept_otherwise,
    sensitivity_from,
)
from memfs.model.authority import Sensitivity
from memfs.model.event import EVENT_KIND, EventSort
from memfs.model.ids import TIMELINE_PREFIX, derived_id, is_id
from memfs.model.instants import format_instant
from memfs.model.limits import LABEL_CHARS, LINE_CHARS, TEXT_CHARS, TITLE_CHARS
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.model.values import JsonValue
from memfs.services.proposals import title_from

FORMAT: Final = "timeline"
_MARK: Final = "superseded_by"
_LEARNED: Final = "ingestion_time"


_BREAK: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def line_of(record: Record) -> dict[str, JsonValue]:
    """Returns an event as a line; one that came in as a line goes out as it came."""
    line = own_line(record)
    kept = kept_of(FORMAT, record.unknown)
    if kept is None:
        return line
    said, missing = kept.otherwise, kept.without
    line = {name: value for name, value in line.items() if name not in missing or name == _MARK}
    mark = _foreign_mark(said.get(_MARK), record.superseded_by)
    line |= {name: value for name, value in said.items() if name != _MARK}
    if _MARK in said or mark:
        line[_MARK] = mark
    return line


def _foreign_mark(said: JsonValue, successor: str) -> JsonValue:
    """Returns the mark as it was said where it still says so, else as it is."""
    if not successor:
        return None if isinstance(said, str) and said else said
    return said if isinstance(said, str) and own_id(said) == successor else successor


def own_line(record: Record) -> dict[str, JsonValue]:
    """Returns an event as a line of ours, however it came in."""
    fields = record.fields
    line: dict[str, JsonValue] = {
        "id": record.id,
        "kind": fields.get("event_kind"),
        "title": record.title,
        "text": record.summary,
        "event_time": _instant(record.event_time),
        _LEARNED: _instant(record.observed),
        "entities": list(record.entities),
        "project": fields.get("project"),
        "session": fields.get("session"),
        "nodes": fields.get("turns"),
        "commit": fields.get("commit"),
        "run": fields.get("run"),
        "importance": record.importance,
        "confidence": record.confidence,
        "sensitivity": "" if record.sensitivity is Sensitivity.NORMAL else record.sensitivity.label,
        "tags": list(record.tags),
        "fact": record.subject,
        _MARK: record.superseded_by,
    }
    return {name: value for name, value in line.items() if value not in (None, "", [], ())}


def _instant(moment: datetime | None) -> str:
    return format_instant(moment) if moment is not None else ""


def own_id(said: str) -> str:
    """Returns the id that a foreign one stands for: itself where it is one of ours."""
    return said if is_id(said, TIMELINE_PREFIX) else derived_id(TIMELINE_PREFIX, FORMAT, said)


def event_value(event: EventView) -> dict[str, JsonValue]:
    """Returns an event as answers carry it: a line, with what it is about by name."""
    line = own_line(event.stored.record)
    if event.names != event.entities:
        line["names"] = list(event.names)
    return line


@dataclass(frozen=True, slots=True)
class _Line:
    """The fields of a line, read one by one; words of any length, labels on one line each."""

    fields: LineFields

    def words(self, name: str) -> str:
        """Returns a text without white space around it, whatever its size."""
        return self.fields.text(name, most=sys.maxsize)

    def label(self, name: str) -> str:
        """Returns a field of one line.

        Raises:
            LineError: It has several lines, or is longer than one may be.
        """
        value = self.words(name)
        if len(value) > LINE_CHARS or _BREAK.search(value):
            message = f"expected {name} on one line of at most {LINE_CHARS} characters"
            raise LineError("import.too-large", message)
        return value

    def labels(self, name: str, longest: int = LINE_CHARS) -> tuple[str, ...]:
        """Returns a list of labels, each once; numbers among them are written out.

        Args:
            name: Name of the field.
            longest: Most characters of one label.

        Raises:
            LineError: It is no list of labels, or one of them is too long.
        """
        found = self.fields.labels(name)
        if any(len(item) > longest or _BREAK.search(item) for item in found):
            message = f"expected each of {name} on one line of at most {longest} characters"
            raise LineError("import.too-large", message)
        return found


def draft_from(values: Mapping[str, JsonValue]) -> Record:
    """Returns the draft of an event that a line tells of.

    Raises:
        LineError: It has no words, no time or no sort that there is.
    """
    fields = LineFields(values)
    line = _Line(fields)
    text, title = line.words("text"), line.words("title")
    if not (text or title):
        raise LineError("import.missing-field", "expected an event with a title or a text")
    if max(len(text), len(title)) > TEXT_CHARS:
        raise LineError("import.too-large", f"expected a text of at most {TEXT_CHARS} characters")
    happened = fields.moment("event_time")
    if happened is None:
        raise LineError("import.no-time", "expected an event with an event_time, got none")
    whole = text or title
    short = title if title and _is_title(title) else _one_line(title_from(title or text))
    if not short:
        raise LineError("import.missing-field", "expected an event with words, got none")
    foreign, successor = line.label("id"), line.label(_MARK)
    draft = Record(
        kind=EVENT_KIND,
        id=own_id(foreign) if foreign else "",
        title=short,
        summary="" if whole == short else whole,
        event_time=happened,
        observed=fields.moment(_LEARNED),
        entities=line.labels("entities"),
        importance=importance_from(values.get("importance")),
        confidence=fields.share("confidence"),
        sensitivity=sensitivity_from(line.words("sensitivity")),
        tags=line.labels("tags", LABEL_CHARS),
        subject=line.label("fact"),
        status=Status.SUPERSEDED if successor else Status.ACTIVE,
        superseded_by=own_id(successor) if successor else "",
        fields=_fields(line),
    )
    # When it was learned is known of every record, said or not.
    kept = kept_otherwise(FORMAT, values, own_line(draft), later=(_LEARNED,))
    return replace(draft, unknown=kept)


def _fields(line: _Line) -> dict[str, JsonValue]:
    said: dict[str, JsonValue] = {
        "event_kind": _sort(line.words("kind")),
        "project": line.label("project"),
        "session": line.label("session"),
        "turns": list(line.labels("nodes")),
        "commit": line.label("commit"),
        "run": line.label("run"),
    }
    return {name: value for name, value in said.items() if value not in ("", [])}


def _is_title(text: str) -> bool:
    return len(text) <= TITLE_CHARS and text.isprintable()


def _one_line(text: str) -> str:
    return " ".join(_BREAK.sub(" ", text).split())


def _sort(text: str) -> str:
    try:
        return str(EventSort(text or EventSort.EVENT))
    except ValueError:
        message = f"expected a kind of {', '.join(EventSort)}, got {text!r:.60}"
        raise LineError("import.bad-kind", message) from None
