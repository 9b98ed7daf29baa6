"""Causal closure: everything that a record flowed into (A12, A37).

Only causal edges count: what a record was derived from and what it cites as evidence.
Semantic links, tags and shared subjects carry nothing (A38). Pure and linear in the edges.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from memfs.model.ids import split_version
from memfs.model.record import Record


def inputs_of(record: Record) -> tuple[str, ...]:
    """Returns the ids that a record rests on, without versions, in order, unique."""
    cited = (*record.derived_from, *record.evidence)
    return tuple(dict.fromkeys(split_version(reference)[0] for reference in cited))


def dependents(records: Iterable[Record]) -> Mapping[str, tuple[str, ...]]:
    """Returns for each input the ids of the records that rest on it directly, sorted."""
    found: dict[str, set[str]] = {}
    for record in records:
        for source in inputs_of(record):
            if source != record.id:
                found.setdefault(source, set()).add(record.id)
    return {source: tuple(sorted(ids)) for source, ids in found.items()}


def closure(roots: Iterable[str], edges: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Returns the roots and everything that can be reached from them; cycles are harmless.

    Args:
        roots: Ids to start from.
        edges: Id to the ids that rest on it (see :func:`dependents`).
    """
    reached = set(roots)
    waiting = deque(reached)
    while waiting:
        for identifier in edges.get(waiting.popleft(), ()):
            if identifier not in reached:
                reached.add(identifier)
                waiting.append(identifier)
    return frozenset(reached)


def descendants(roots: Iterable[str], records: Iterable[Record]) -> frozenset[str]:
    """Returns the ids of all records that rest on any of ``roots``, without the roots."""
    start = frozenset(roots)
    return closure(start, dependents(records)) - start


def is_supported(record: Record, withdrawn: frozenset[str]) -> bool:
    """Tells whether something that a record rests on still stands.

    A record that was derived from other records needs all of them; evidence is
    alternative: one piece that still stands is enough. A record without inputs rests on
    its own origin.
    """
    derived = {split_version(reference)[0] for reference in record.derived_from}
    if derived & withdrawn:
        return False
    evidence = {split_version(reference)[0] for reference in record.evidence}
    return not evidence or bool(evidence - withdrawn)
