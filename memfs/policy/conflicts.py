"""Contradiction, correction and duplicate: keyed, exact, and in that order (A52, C11).

A contradiction needs the same kind, subject and scope, a kind that holds one value a
subject, validity that overlaps and different words. A duplicate needs the same words and
the same key. Nothing here measures similarity, and nothing retires because it looks alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from memfs.model.kinds import KindRegistry
from memfs.model.record import Record, StoredRecord
from memfs.model.scope import Scope
from memfs.model.status import Status
from memfs.model.text import normalise_text, statement_of


@dataclass(frozen=True, slots=True)
class Comparison:
    """What active records have to say about a draft.

    Attributes:
        contradicted: Active records that say otherwise, by id.
        repeated: Active records that say the same, by id.
    """

    contradicted: tuple[StoredRecord, ...] = ()
    repeated: tuple[StoredRecord, ...] = ()


def is_same_statement(left: Record, right: Record) -> bool:
    """Tells whether two records state the same words after folding."""
    return statement_of(left.title, _words(left)) == statement_of(right.title, _words(right))


def _words(record: Record) -> str:
    return record.body or record.field_text


def is_same_key(left: Record, right: Record, project: Scope) -> bool:
    """Tells whether two records share kind, scope and subject."""
    return (
        left.kind == right.kind
        and (left.scope or project) == (right.scope or project)
        and normalise_text(left.subject) == normalise_text(right.subject)
    )


def is_overlapping(left: Record, right: Record) -> bool:
    """Tells whether two half-open validities share an instant; open ends reach for ever."""
    return _starts_before_end(left.valid_from, right.valid_until) and _starts_before_end(
        right.valid_from, left.valid_until
    )


def is_contradiction(
    left: Record, right: Record, *, registry: KindRegistry, project: Scope
) -> bool:
    """Tells whether two claims cannot both be current (A15).

    Claims without a subject never contradict: there is nothing to key them by.
    """
    kind = registry.get(left.kind)
    return (
        kind is not None
        and kind.single_valued
        and bool(normalise_text(left.subject))
        and is_same_key(left, right, project)
        and is_overlapping(left, right)
        and not is_same_statement(left, right)
    )


def compare(
    draft: Record,
    others: Iterable[StoredRecord],
    *,
    registry: KindRegistry,
    project: Scope,
    ignored: str = "",
) -> Comparison:
    """Compares a draft with records; only active ones count.

    Args:
        draft: The proposed record.
        others: Candidates for either relation, in any order, repeats allowed.
        registry: The kinds.
        project: Scope of records that name none.
        ignored: Id that is left out: the record that the draft is a new version of.
    """
    active = {
        stored.record.id: stored
        for stored in others
        if stored.record.status is Status.ACTIVE and stored.record.id != ignored
    }
    contradicted: list[StoredRecord] = []
    repeated: list[StoredRecord] = []
    for _, stored in sorted(active.items()):
        record = stored.record
        if is_contradiction(draft, record, registry=registry, project=project):
            contradicted.append(stored)
        elif is_same_key(draft, record, project) and is_same_statement(draft, record):
            repeated.append(stored)
    return Comparison(tuple(contradicted), tuple(repeated))


def is_unchanged(draft: Record, target: Record) -> bool:
    """Tells whether a new version would say, label and date everything as it already is."""
    return _content(draft) == _content(target)


def _content(record: Record) -> tuple[object, ...]:
    return (
        record.title,
        record.body,
        record.subject,
        record.event_time,
        record.valid_from,
        record.valid_until,
        record.expires,
        record.review_after,
        record.confidence,
        record.importance,
        record.sensitivity,
        record.sinks,
        record.evidence,
        record.derived_from,
        record.tags,
        record.entities,
        record.relations,
        record.summary,
        record.abstract,
        dict(record.fields),
        dict(record.unknown),
    )


def _starts_before_end(start: datetime | None, end: datetime | None) -> bool:
    return start is None or end is None or start < end
