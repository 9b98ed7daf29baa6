"""What taking a record back means: what it bars, what goes with it, what takes it back (A14).

A withdrawal reaches everything that rests on the record, however far. What accounts for others
(envelopes, receipts, grants, conflicts) is never withheld by it; the words of a deleted source
are. What may be served again, and how, is decided in ``memfs.policy.repair``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from memfs.model.record import Record
from memfs.model.status import Status
from memfs.policy.content import statement_parts
from memfs.policy.logs import is_continued
from memfs.policy.role_lifecycle import is_lived_on
from memfs.policy.transitions import check_move

_WITHDRAWN: Final = frozenset({Status.RETRACTED, Status.DELETED, Status.REPAIR_PENDING})
_ACCOUNTS: Final = frozenset(
    {"evidence", "receipt", "grant", "conflict", "pollution", "publication"}
)
PENDING_STATUS: Final = Status.REPAIR_PENDING
"""The status behind a barrier; lookups may narrow by it."""
RETRACTED_STATUS: Final = Status.RETRACTED
"""The status of what a person took back; lookups may narrow by it."""


def is_withdrawn(record: Record) -> bool:
    """Tells whether ``record``, as it stands now, bars its earlier versions from being served.

    What memory knew at an earlier moment may be told, replaced wording included; what was
    retracted, forgotten or awaits repair since then may not, however the question is put.
    """
    return record.status in _WITHDRAWN


def is_withdrawn_status(status: str) -> bool:
    """Tells whether a status, as a row of the catalogue has it, is one of what was taken back."""
    return status in {str(item) for item in _WITHDRAWN}


def is_pending(record: Record) -> bool:
    """Tells whether a record stands behind a barrier."""
    return record.status is PENDING_STATUS


def is_retracted(record: Record) -> bool:
    """Tells whether a person took the record itself back."""
    return record.status is Status.RETRACTED


def is_standing(record: Record) -> bool:
    """Tells whether others may rest on a record."""
    return record.status is Status.ACTIVE


def has_given_way(record: Record, heir: str = "") -> bool:
    """Tells whether a record was replaced; with ``heir``, by exactly that one."""
    return record.status is Status.SUPERSEDED and (not heir or record.superseded_by == heir)


def holds_somewhere(record: Record) -> bool:
    """Tells whether what a record says is said somewhere: by itself, or by what replaced it."""
    return is_standing(record) or has_given_way(record)


def goes_with_its_source(record: Record) -> bool:
    """Tells whether a barrier on what a record rests on reaches the record itself.

    Everything that a reader could ever be shown, replaced and retracted records included.
    """
    return (
        record.kind not in _ACCOUNTS
        and record.status is not Status.REPAIR_PENDING
        and check_move(record.status, Status.REPAIR_PENDING) is None
    )


def takes_back(old: Record, new: Record | None) -> bool:
    """Tells whether putting ``new`` in the place of ``old`` takes a statement back (A60).

    Args:
        old: The record as it is admitted.
        new: What stands there afterwards; ``None`` when it is removed.
    """
    if new is None:
        return True
    if old.status is not Status.ACTIVE:
        return False
    if new.status in (Status.SUPERSEDED, Status.RETRACTED, Status.REPAIR_PENDING, Status.DELETED):
        return True
    is_restated = statement_parts(old) != statement_parts(new) and not (
        is_continued(old, new) or is_lived_on(old, new)
    )
    return is_restated or _is_stricter(old, new)


def is_taken_over(old: Record, heir: Record | None) -> bool:
    """Tells whether a record that gave way still says all of it, in the record that took it over.

    So it is with a merge: what stays rests on what gave way, and goes with it when that is taken
    back. What rested on what gave way loses nothing.
    """
    return heir is not None and heir.status is Status.ACTIVE and old.id in heir.derived_from


def is_added_to(old: Record, new: Record, taken_over: Collection[str]) -> bool:
    """Tells whether a record only took others over and says everything that it said before.

    Args:
        old: The record as it is admitted.
        new: What stands in its place.
        taken_over: Ids of the records that give way to it in the same operation.
    """
    brought = set(new.derived_from) - set(old.derived_from)
    return (
        new.status is Status.ACTIVE
        and bool(brought)
        and brought <= set(taken_over)
        and (new.title, new.subject) == (old.title, old.subject)
        and new.body.startswith(old.body.rstrip("\n"))
        and old.summary in ("", new.summary)
        and old.abstract in ("", new.abstract)
        and not _is_stricter(old, new)
    )


def _is_stricter(old: Record, new: Record) -> bool:
    """Labels that became stricter have to reach what was derived under the old ones (A6)."""
    is_lower = (
        old.authority is not None and new.authority is not None and new.authority < old.authority
    )
    return (
        is_lower
        or new.sensitivity > old.sensitivity
        or not old.sinks <= new.sinks
        or not set(new.taint) <= set(old.taint)
        or new.record_class != old.record_class
    )
