"""Invariants of a whole snapshot, as a visible list of pure checks (A12, A36).

Each check looks at all records together and yields problems; none repairs anything. What a
single file can get wrong by itself is found by decoding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.ids import prefix_of, split_version
from memfs.model.kinds import KindRegistry
from memfs.model.problem import Problem, Severity
from memfs.model.record import StoredRecord
from memfs.model.status import Status

_SUCCESSORS: Final = frozenset({Status.SUPERSEDED})


@frozen(kw_only=False)
class _Snapshot:
    records: Sequence[StoredRecord]
    by_id: Mapping[str, StoredRecord]


Check = Callable[[_Snapshot], Iterator[Problem]]


def check_invariants(
    records: Sequence[StoredRecord], registry: KindRegistry | None = None
) -> tuple[Problem, ...]:
    """Returns every broken invariant of a snapshot, in the order of paths.

    Args:
        records: All readable records of one snapshot.
        registry: The kinds; with them, ids are compared with the prefix of their kind.
    """
    snapshot = _Snapshot(records, {stored.record.id: stored for stored in reversed(records)})
    found = [problem for check in CHECKS for problem in check(snapshot)]
    if registry is not None:
        found += _check_prefixes(snapshot, registry)
    return tuple(sorted(found))


def _problem(
    stored: StoredRecord,
    code: str,
    message: str,
    *,
    hint: str = "",
    severity: Severity = Severity.ERROR,
) -> Problem:
    return Problem(stored.path, 0, 0, f"invariant.{code}", message, hint, severity)


def _check_unique_ids(snapshot: _Snapshot) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for stored in snapshot.records:
        other = first.setdefault(stored.record.id, stored.path)
        if other != stored.path:
            yield _problem(
                stored,
                "duplicate-id",
                f"expected an id of its own, got {stored.record.id} of {other}",
                hint="remove the id of the copy; it gets a new one when it is accepted",
            )


def _check_origins(snapshot: _Snapshot) -> Iterator[Problem]:
    for stored in snapshot.records:
        if stored.record.status is Status.ACTIVE and stored.record.origin is None:
            yield _problem(stored, "no-origin", "expected an active record to have an origin")


def _check_references(snapshot: _Snapshot) -> Iterator[Problem]:
    for stored in snapshot.records:
        record = stored.record
        superseded_by = (record.superseded_by,) if record.superseded_by else ()
        named = {
            "evidence": record.evidence,
            "derived_from": record.derived_from,
            "superseded_by": superseded_by,
            "conflicts": record.conflicts,
        }
        for name, references in named.items():
            for reference in references:
                identifier, _ = split_version(reference)
                if identifier == record.id:
                    yield _problem(stored, "self-reference", f"{name} names the record itself")
                elif identifier not in snapshot.by_id:
                    yield _problem(
                        stored,
                        "dangling-reference",
                        f"{name} names {identifier}, which is not in the store",
                        severity=Severity.WARNING,
                    )


def _check_successors(snapshot: _Snapshot) -> Iterator[Problem]:
    for stored in snapshot.records:
        record = stored.record
        if record.status in _SUCCESSORS and not record.superseded_by:
            yield _problem(
                stored, "no-successor", "expected a superseded record to name its successor"
            )
        if record.status is Status.ACTIVE and record.superseded_by:
            yield _problem(stored, "active-superseded", "expected no successor on an active record")


def _check_supersession(snapshot: _Snapshot) -> Iterator[Problem]:
    """Following successors must end; a record in a cycle could never be current."""
    ended: set[str] = set()
    for stored in snapshot.records:
        trail: list[str] = []
        current = stored.record.id
        while current and current not in ended and current not in trail:
            trail.append(current)
            successor = snapshot.by_id.get(current)
            current = successor.record.superseded_by if successor is not None else ""
        if current in trail:
            cycle = trail[trail.index(current) :]
            yield _problem(
                snapshot.by_id[min(cycle)],
                "supersession-cycle",
                f"expected supersession to end, got a cycle of {len(cycle)} records",
            )
        ended.update(trail)


def _check_derivation(snapshot: _Snapshot) -> Iterator[Problem]:
    """An active record may not rest on one that was taken back."""
    taken_back = {Status.RETRACTED, Status.DELETED, Status.REPAIR_PENDING}
    for stored in snapshot.records:
        if stored.record.status is not Status.ACTIVE:
            continue
        for reference in stored.record.derived_from:
            source = snapshot.by_id.get(split_version(reference)[0])
            if source is not None and source.record.status in taken_back:
                yield _problem(
                    stored,
                    "rests-on-withdrawn",
                    f"is active and derived from {source.record.id}, which was taken back",
                )


def _check_prefixes(snapshot: _Snapshot, registry: KindRegistry) -> Iterator[Problem]:
    for stored in snapshot.records:
        kind = registry.get(stored.record.kind)
        prefix = prefix_of(stored.record.id)
        if kind is not None and prefix != kind.id_prefix:
            yield _problem(
                stored,
                "id-prefix",
                f"expected an id of the kind {kind.id_prefix}_, got {prefix or 'none'}",
            )


CHECKS: Final[tuple[Check, ...]] = (
    _check_unique_ids,
    _check_origins,
    _check_references,
    _check_successors,
    _check_supersession,
    _check_derivation,
)
"""Every invariant that needs no registry, in the order in which they are checked."""
