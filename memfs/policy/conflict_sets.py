"""Conflict sets: which records disagree, computed from the records themselves (A15).

A set is what hangs together by contradictions among records of one key. It depends on
nothing but what the records say and when they hold, so that neither the order in which
they arrived nor the way they got there changes who is marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final

from memfs.model.conflict import Conflict, Resolution
from memfs.model.kinds import KindRegistry
from memfs.model.operation import OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.status import Status
from memfs.model.text import normalise_text, statement_of
from memfs.policy.conflicts import is_answering, is_overlapping
from memfs.policy.relations import is_single_valued

NAMED_SIDES: Final = 20
"""How many others a record names that say otherwise; the set names all of them."""


@dataclass(frozen=True, slots=True, order=True)
class ClaimKey:
    """What two claims have in common when they speak of the same thing.

    ``subject`` is folded; a part of it behind ``#`` names the predicate.
    """

    kind: str
    scope: str
    subject: str


def key_of(record: Record, *, registry: KindRegistry, project: Scope) -> ClaimKey | None:
    """Returns the key of a claim that can contradict others, ``None`` for any other."""
    subject = normalise_text(record.subject)
    if not subject or not is_single_valued(record, registry):
        return None
    return ClaimKey(record.kind, str(record.scope or project), subject)


def contradictions(
    records: Iterable[Record], *, registry: KindRegistry, project: Scope, now: datetime
) -> Mapping[str, tuple[str, ...]]:
    """Returns for each record that still answers the ids of those that say otherwise, sorted.

    As :func:`memfs.policy.conflicts.is_contradiction` defines it; of more than
    :data:`NAMED_SIDES` the oldest alone, so that a flood about one subject stays readable.

    Args:
        records: All records of one key, in any order.
        registry: The kinds.
        project: Scope of records that name none.
        now: What has expired by then says nothing any more.
    """
    answering = sorted(
        (
            (item.id, key, statement_of(item.title, item.said), item)
            for item in records
            if is_answering(item, now)
            and (key := key_of(item, registry=registry, project=project)) is not None
        ),
        key=lambda entry: entry[0],
    )
    found: dict[str, tuple[str, ...]] = {}
    for name, key, said, record in answering:
        others = (
            other
            for other, other_key, words, other_record in answering
            if words != said and other_key == key and is_overlapping(record, other_record)
        )
        found[name] = tuple(islice(others, NAMED_SIDES))
    return found


def conflict_groups(marks: Mapping[str, Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """Returns the sets that hang together by contradictions, each sorted, two or more in each."""
    edges: dict[str, set[str]] = {name: set() for name in marks}
    for name, others in marks.items():
        for other in others:
            edges[name].add(other)
            edges.setdefault(other, set()).add(name)
    seen: set[str] = set()
    groups: list[tuple[str, ...]] = []
    for start in sorted(edges):
        if start in seen:
            continue
        group, waiting = {start}, [start]
        while waiting:
            fresh = edges[waiting.pop()] - group
            group |= fresh
            waiting.extend(fresh)
        seen |= group
        if len(group) > 1:
            groups.append(tuple(sorted(group)))
    return tuple(groups)


def continued(
    groups: Sequence[tuple[str, ...]], standing: Iterable[Conflict]
) -> tuple[Conflict | None, ...]:
    """Returns for each group the open set that it continues, each at most once.

    The set with the most members in common, the oldest of several.
    """
    free = {item.id: item for item in standing if item.is_open}
    found: list[Conflict | None] = []
    for group in groups:
        shared = {name: len(set(group) & set(item.member_ids)) for name, item in free.items()}
        best = min(shared, key=lambda name: (-shared[name], name), default="")
        found.append(free.pop(best) if best and shared[best] else None)
    return tuple(found)


def resolution_of(
    conflict: Conflict,
    records: Mapping[str, Record],
    grouped: frozenset[str],
    *,
    operation: OperationKind,
    actor: Actor,
) -> Resolution:
    """Returns how an open set ended that no group continues.

    Args:
        conflict: The set.
        records: Its members as the operation leaves them, by id; what is gone is not there.
        grouped: Ids that stand in another set.
        operation: What ended it.
        actor: Who carried that out.
    """
    if operation is OperationKind.RESOLVE:
        return Resolution.PERSON if actor.is_person else Resolution.VERIFIER
    members = [records.get(name) for name in conflict.member_ids]
    if sum(item is not None and item.id in grouped for item in members) > 1:
        return Resolution.MERGED
    standing = [item for item in members if item is not None]
    is_whole = len(standing) == len(members)
    has_moved_on = all(item.status in (Status.ACTIVE, Status.SUPERSEDED) for item in standing)
    return Resolution.NEWER_STATEMENT if is_whole and has_moved_on else Resolution.WITHDRAWN
