"""Events as they are read: one record, seen as what happened, when, and how that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from memfs.model.event import EventSort
from memfs.model.record import Record, StoredRecord
from memfs.model.record_fields import text_field, texts_field

UNKNOWN_TIME: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventView:
    """One event as a reader may see it.

    Attributes:
        id: ``event_…``.
        sort: What sort of event it is.
        title: What happened, on one line.
        text: All that is said of it; the title where that is all.
        at: When it happened, UTC.
        learned: When memory learned of it, UTC.
        entities: What it is about: ids, or names as they were written.
        project: Where it happened; may be empty.
        session: In which session; may be empty.
        turns: Which turns of it tell of it.
        commit: The commit that it is known from; may be empty.
        run: The run in which it happened; may be empty.
        superseded_by: What was told of the same fact later; empty for nothing.
        names: What it is about, by the names that those bear today whom the reader may see.
        stored: The record.
    """

    id: str
    sort: EventSort
    title: str
    text: str
    at: datetime
    learned: datetime
    entities: tuple[str, ...] = ()
    project: str = ""
    session: str = ""
    turns: tuple[str, ...] = ()
    commit: str = ""
    run: str = ""
    superseded_by: str = ""
    names: tuple[str, ...] = ()
    stored: StoredRecord


def view_of(stored: StoredRecord, titles: Mapping[str, str] = MappingProxyType({})) -> EventView:
    """Returns an event as it is shown; what is hidden of it is empty.

    Args:
        stored: As it may be seen.
        titles: Names of entities by their ids; an id without one goes by itself.
    """
    record = stored.record
    learned = record.observed or UNKNOWN_TIME
    return EventView(
        id=record.id,
        sort=_sort_of(record),
        title=record.title,
        text=record.summary or record.title,
        at=happened(record),
        learned=learned,
        entities=record.entities,
        project=text_field(record, "project"),
        session=text_field(record, "session"),
        turns=texts_field(record, "turns"),
        commit=text_field(record, "commit"),
        run=text_field(record, "run"),
        superseded_by=record.superseded_by,
        names=tuple(titles.get(name, name) for name in record.entities),
        stored=stored,
    )


def happened(record: Record) -> datetime:
    """Returns when an event happened; when it was learned, where nobody said or it is hidden."""
    return record.event_time or record.observed or UNKNOWN_TIME


def newest_first(stored: StoredRecord) -> tuple[datetime, str]:
    """Orders events; to be sorted in reverse. What happened at once is ordered by id."""
    return happened(stored.record), stored.record.id


def _sort_of(record: Record) -> EventSort:
    try:
        return EventSort(text_field(record, "event_kind"))
    except ValueError:
        # Seen in part: what sort it is stays hidden too.
        return EventSort.EVENT
