"""Contradiction, correction and duplicate: keyed, exact, and in that order (A52, C11).

A contradiction needs the same kind, subject and scope, a kind that holds one value a
subject, times that overlap and different words. A duplicate needs the same words, the same
key and a time that is covered already. Nothing here measures similarity, and nothing retires
because it looks alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from memfs.model.frozen import frozen
from memfs.model.graph import ENTITY_KIND
from memfs.model.kinds import KindRegistry, KindSpec
from memfs.model.origin import OriginClass
from memfs.model.record import Record, StoredRecord
from memfs.model.scope import Scope
from memfs.model.status import Status
from memfs.model.text import normalise_text, statement_of
from memfs.policy.content import statement_parts
from memfs.policy.relations import is_single_valued
from memfs.policy.role_lifecycle import is_same_part


@frozen(kw_only=False)
class Comparison:
    """What active records have to say about a draft.

    Attributes:
        contradicted: Records that say otherwise for some of the same time, by id.
        repeated: Active records that say the same for all of it, by id.
    """

    contradicted: tuple[StoredRecord, ...] = ()
    repeated: tuple[StoredRecord, ...] = ()


def is_same_statement(left: Record, right: Record) -> bool:
    """Tells whether two records state the same words after folding."""
    return statement_of(left.title, left.said) == statement_of(right.title, right.said)


def is_same_key(left: Record, right: Record, project: Scope) -> bool:
    """Tells whether two records share kind, scope and subject."""
    return (
        left.kind == right.kind
        and (left.scope or project) == (right.scope or project)
        and normalise_text(left.subject) == normalise_text(right.subject)
    )


def is_overlapping(left: Record, right: Record) -> bool:
    """Tells whether two records answer for a common instant; open ends reach for ever.

    Times are half open. A replaced record answers until its successor begins.
    """
    return (
        _starts_before_end(left.valid_from, left.holds_until)
        and _starts_before_end(right.valid_from, right.holds_until)
        and _starts_before_end(left.valid_from, right.holds_until)
        and _starts_before_end(right.valid_from, left.holds_until)
    )


def is_answering(record: Record, now: datetime | None = None) -> bool:
    """Tells whether a record answers for some time: active, or replaced only from later on.

    Args:
        record: As admitted.
        now: With it, what has expired by then no longer answers for anything.
    """
    if now is not None and record.expires is not None and record.expires <= now:
        return False
    if record.status is Status.ACTIVE:
        return True
    return record.status is Status.SUPERSEDED and record.superseded_from is not None


def is_replaced_already(record: Record, kind: KindSpec) -> bool:
    """Tells whether a draft comes in as something that another took the place of.

    An import brings in an event or edge with its mark, and an entity that gave way to another:
    it is served to nobody as current, and its names are the other's.
    """
    is_told_once = kind.append_only and kind.is_stated
    is_marked = is_told_once or kind.name == ENTITY_KIND
    return is_marked and record.status is Status.SUPERSEDED and bool(record.superseded_by)


def is_reaching_past(draft: Record, record: Record) -> bool:
    """Tells whether ``draft`` holds at least as long as ``record``: nothing of it comes back."""
    if draft.valid_until is None:
        return True
    return record.holds_until is not None and record.holds_until <= draft.valid_until


def replaced_from(successor: Record, record: Record) -> datetime | None:
    """Returns from when on ``successor`` holds, where ``record`` answers for a time before.

    ``None`` where the successor always held, or where nothing is left for the record.
    """
    start = successor.valid_from
    if start is None or (record.valid_from is not None and start <= record.valid_from):
        return None
    return start


def is_observation(record: Record) -> bool:
    """Tells whether a host saw it, at one time, instead of somebody stating it (A16)."""
    return record.origin is not None and record.origin.origin_class is OriginClass.HOST_OBSERVED


def is_newer(record: Record, moment: datetime | None) -> bool:
    """Tells whether a record is about a later moment than ``moment``; unknown times are not."""
    said = record.event_time or record.observed
    return said is not None and moment is not None and said > moment


def is_covered(draft: Record, record: Record) -> bool:
    """Tells whether ``record`` already answers for all of the time that ``draft`` is about."""
    is_begun = record.valid_from is None or (
        draft.valid_from is not None and record.valid_from <= draft.valid_from
    )
    is_lasting = record.holds_until is None or (
        draft.valid_until is not None and draft.valid_until <= record.holds_until
    )
    return is_begun and is_lasting


def is_contradiction(
    left: Record, right: Record, *, registry: KindRegistry, project: Scope
) -> bool:
    """Tells whether two claims cannot both be current (A15).

    Claims without a subject never contradict: there is nothing to key them by.
    """
    return (
        is_single_valued(left, registry)
        and bool(normalise_text(left.subject))
        and is_same_key(left, right, project)
        and is_overlapping(left, right)
        and not is_same_statement(left, right)
    )


def is_naming(draft: Record, record: Record, *, registry: KindRegistry, project: Scope) -> bool:
    """Tells whether a draft says itself that it takes the place of a record.

    Only what is never said anew in its own file does: another event, another edge (O7). Whether
    it may is decided as for any contradiction.
    """
    kind = registry.get(draft.kind)
    return (
        kind is not None
        and kind.append_only
        and kind.is_stated
        and record.kind == draft.kind
        and (draft.scope or project) == (record.scope or project)
        and record.id in draft.supersedes
    )


def compare(
    draft: Record,
    others: Iterable[StoredRecord],
    *,
    registry: KindRegistry,
    project: Scope,
    ignored: str = "",
) -> Comparison:
    """Compares a draft with records; only what still answers for some time counts.

    Args:
        draft: The proposed record.
        others: Candidates for either relation, in any order, repeats allowed.
        registry: The kinds.
        project: Scope of records that name none.
        ignored: Id that is left out: the record that the draft is a new version of.
    """
    if not is_answering(draft):
        # It comes in as something that was replaced already, and stands against nothing.
        return Comparison()
    answering = {
        stored.record.id: stored
        for stored in others
        if is_answering(stored.record) and stored.record.id != ignored
    }
    contradicted: list[StoredRecord] = []
    repeated: list[StoredRecord] = []
    for _, stored in sorted(answering.items()):
        record = stored.record
        is_named = is_naming(draft, record, registry=registry, project=project)
        if is_named or is_contradiction(draft, record, registry=registry, project=project):
            contradicted.append(stored)
        elif _is_repeated(draft, record, project):
            repeated.append(stored)
    return Comparison(tuple(contradicted), tuple(repeated))


def _is_repeated(draft: Record, record: Record, project: Scope) -> bool:
    return (
        record.status is Status.ACTIVE
        and is_same_key(draft, record, project)
        and is_same_statement(draft, record)
        and is_covered(draft, record)
        and is_same_part(draft, record)
    )


def is_unchanged(draft: Record, target: Record) -> bool:
    """Tells whether a new version would say, label and date everything as it already is."""
    return _content(draft) == _content(target)


def _content(record: Record) -> tuple[object, ...]:
    return (
        *statement_parts(record),
        record.record_class,
        record.expires,
        record.review_after,
        record.confidence,
        record.importance,
        record.sensitivity,
        record.sinks,
        record.evidence,
        record.derived_from,
    )


def _starts_before_end(start: datetime | None, end: datetime | None) -> bool:
    return start is None or end is None or start < end
