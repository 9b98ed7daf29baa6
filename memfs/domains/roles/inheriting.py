"""What a memory inherits from those that it takes in: it rests on them, and is kept as closely.

What is said of one stays as it was said wherever it is said again: who may read it, where it may
go, and what it is marked as. What was forgotten is not heard again. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memfs.model.record import Record
from memfs.model.role import ROLE_KIND, subject_of
from memfs.model.role_operation import Anatomy
from memfs.policy.authority import derive_sensitivity, derive_sinks, derive_taint


def resting_on(record: Record, sources: Iterable[Record]) -> Record:
    """Returns a memory that rests on others besides, no less closely kept than any of them."""
    others = tuple(item for item in sources if item.id not in record.derived_from)
    every = (record, *others)
    names = dict.fromkeys((*record.derived_from, *(item.id for item in others)))
    return replace(
        record,
        derived_from=tuple(names),
        sensitivity=derive_sensitivity(item.sensitivity for item in every),
        sinks=derive_sinks(item.sinks for item in every),
        taint=derive_taint(item.taint for item in every),
        record_class=next((item.record_class for item in every if item.record_class), ""),
    )


def heard_as(record: Record, anatomy: Anatomy) -> tuple[Record, ...]:
    """Returns what a memory would take in as a memory of its own; nothing where it says nothing.

    So it is compared with what was forgotten, as it would be if nothing took it in.
    """
    if not anatomy.claim:
        return ()
    words = ("question", "tension", "implication")
    about = subject_of(anatomy.target, anatomy.topic) if anatomy.target else record.subject
    heard = Record(
        kind=ROLE_KIND,
        title=anatomy.claim,
        subject=about,
        scope=record.scope,
        fields={name: said for name in words if (said := getattr(anatomy, name))},
    )
    return (heard,)
