"""State machines over role memory: whatever is proposed, every memory lives by the table.

Invariants after every step: each memory stands in a pair of the table; each move is one of its
row; what was refused changed nothing; no memory goes, no anchor, tag or word of one is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.domains.roles.rest.settling import settle
from memfs.domains.roles.view import Planned
from memfs.model.record import Record
from memfs.model.record_fields import texts_field
from memfs.model.role import (
    ANCHOR_MISSING,
    Lifecycle,
    Profile,
    is_role_edge,
    lifecycle_of,
    number_of,
    profile_of,
)
from memfs.policy.role_admission import check_anatomy, check_state
from memfs.policy.role_lifecycle import ROW_OF, TABLE, LifecycleRow, check_step, is_open
from memfs.policy.role_ripening import LEAST_SUPPORT, priority_of, ripeness_of
from tests.support.policy import identifier
from tests.support.roles import REASON, RUN, Mind, memory, proposal, whole

CLAIMS = ("Ana deploys on Fridays", "On Fridays Ana deploys", "Ana likes short reviews", "Ben left")
SETTLE, WAIT = "settle", "wait"
_UNIT = st.sampled_from((0.0, 0.3, 1.0))
_STEP = st.tuples(
    st.sampled_from(
        (
            "RecordShortTermMemory",
            "ClusterShortTermMemory",
            "PruneShortTermMemory",
            "ApplyMemoryDistillation",
            "MergeIncubationSupport",
            "ReviseDurableMemory",
            "RetireDurableMemory",
            "CrystallizeMemoryIntoIdentity",
            "QueueCandidateIntervention",
            "RetireCandidateIntervention",
            "MarkCandidateInterventionSpoken",
            "UpsertAgencyPressure",
            "RetireAgencyPressure",
            SETTLE,
            WAIT,
        )
    ),
    st.integers(0, 30),
    st.integers(0, 30),
    st.sampled_from(CLAIMS),
    _UNIT,
)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row.name))
@settings(max_examples=30, deadline=None)
@given(walk=st.lists(st.sampled_from(Lifecycle), max_size=12), start=st.integers(0, 5))
def test_a_life_goes_by_its_row_and_ends_there(
    row: LifecycleRow, walk: list[Lifecycle], start: int
) -> None:
    for profile in sorted(row.profiles):
        begun = sorted(row.starts)[start % len(row.starts)]
        record = memory(profile=str(profile), lifecycle=str(begun))
        assert check_state(record) == ()
        for wanted in walk:
            before = lifecycle_of(record)
            assert before is not None
            moved = memory(profile=str(profile), lifecycle=str(wanted))
            refused = check_state(moved, record)
            is_legal = wanted is before or wanted in row.moves[before]
            assert (refused == ()) is is_legal
            if not is_legal:
                assert f"row {row.name}: " in refused[0].message
                continue
            assert wanted in row.moves
            record = moved


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(_STEP, min_size=1, max_size=25))
def test_whatever_is_proposed_every_memory_lives_by_the_table(
    steps: list[tuple[str, int, int, str, float]],
) -> None:
    mind = Mind()
    for name, first, second, claim, unit in steps:
        before = dict(mind.view.memories)
        planned = _stepped(mind, name, first, second, claim, unit)
        after = mind.view.memories
        if planned.reasons:
            assert after == before
            assert (planned.made, planned.changed, planned.edges) == ((), (), ())
        _assert_lived(before, after)
        _assert_ripened(mind)
        for edge in planned.edges:
            assert is_role_edge(edge)
            assert check_anatomy(edge) == ()
            assert all(mind.view.has(str(edge.fields[end])) for end in ("from", "to"))


def _stepped(mind: Mind, name: str, first: int, second: int, claim: str, unit: float) -> Planned:
    """Lets time pass, settles, or proposes an operation."""
    match name:
        case "wait":
            span = timedelta(days=first, minutes=second)
            mind.view = replace(mind.view, now=mind.view.now + span)
            return Planned()
        case "settle":
            planned = settle(mind.view)
            mind.view = mind.view.after(planned)
            # Settling twice is settling once, and it makes nothing.
            assert settle(mind.view).is_nothing
            assert (planned.made, planned.edges) == ((), ())
            assert all(
                lifecycle_of(item) in (Lifecycle.COOLING, Lifecycle.ACTIVE, *_WAITING)
                for item in planned.changed
            )
            return planned
        case _:
            return mind.apply(_proposed(mind, name, first, second, claim, unit))


_WAITING = (Lifecycle.QUEUED, Lifecycle.DEFERRED)
_ABOUT = {
    "ClusterShortTermMemory": ("conversation",),
    "PruneShortTermMemory": ("conversation",),
    "ApplyMemoryDistillation": ("conversation", "incubation"),
    "MergeIncubationSupport": ("conversation",),
    "ReviseDurableMemory": ("role_self",),
    "RetireDurableMemory": ("role_self",),
    "CrystallizeMemoryIntoIdentity": ("role_self",),
    "RetireCandidateIntervention": ("candidate_intervention",),
    "MarkCandidateInterventionSpoken": ("candidate_intervention",),
    "RetireAgencyPressure": ("agency_pressure",),
}


def _is_fitting(mind: Mind, name: str, *profile: str) -> bool:
    record = mind.view.memories.get(name)
    return record is not None and record.fields["profile"] in profile and is_open(record)


def _assert_lived(before: Mapping[str, Record], after: Mapping[str, Record]) -> None:
    assert before.keys() <= after.keys()
    for name, record in after.items():
        profile, state = profile_of(record), lifecycle_of(record)
        assert profile is not None
        assert state in ROW_OF[profile].moves
        assert check_anatomy(record) == ()
        old = before.get(name)
        if old is None:
            assert state in ROW_OF[profile].starts
            continue
        was = lifecycle_of(old)
        assert was is not None
        assert state is not None
        assert was is state or check_step(profile, was, state) is None
        assert record.body.startswith(old.body)
        assert (record.title, record.subject) == (old.title, old.subject)
        assert set(old.tags) <= set(record.tags)
        kept = {item for item in texts_field(old, "anchors") if item != ANCHOR_MISSING}
        assert kept <= set(texts_field(record, "anchors"))


def _assert_ripened(mind: Mind) -> None:
    """No thread is promoted that was not ripe, and what it says of itself is what is counted."""
    for record in mind.view.memories.values():
        assert 0 <= priority_of(record, mind.view.now) <= 1
        if profile_of(record) is not Profile.INCUBATION:
            continue
        ripeness = ripeness_of(record, mind.view.memories)
        assert number_of(record, "support") == ripeness.support
        assert number_of(record, "maturity") == ripeness.maturity
        if lifecycle_of(record) is Lifecycle.PROMOTED:
            assert ripeness.is_ripe
            assert ripeness.support >= LEAST_SUPPORT


def _proposed(mind: Mind, operation: str, first: int, second: int, claim: str, unit: float) -> str:
    """Returns a proposal about memories that are there: mostly of the profile that it is about."""
    ids = sorted(mind.view.memories) or [identifier(1, "role")]
    fitting = [name for name in ids if _is_fitting(mind, name, *_ABOUT.get(operation, ()))]
    ids = fitting if fitting and first % 5 else ids
    one, other = ids[first % len(ids)], ids[second % len(ids)]
    pressures = [name for name in mind.view.memories if _is_fitting(mind, name, "agency_pressure")]
    threads = [name for name in mind.view.memories if _is_fitting(mind, name, "incubation")]
    topic = ("deploys", "reviews", None)[(first + second) % 3]
    said: dict[str, Any] = {
        "claim": claim,
        "topic": topic,
        "salience": unit,
        "anchors": [("anchor:missing", f"run:{RUN}", f"memory:{one}")[second % 3]],
        "tags": [f"tag{second % 4}"],
    }
    both = [one, other] if one != other else [one]
    match operation:
        case "ClusterShortTermMemory":
            return proposal(operation, memories=[one, other])
        case "PruneShortTermMemory":
            return proposal(operation, memories=both, **REASON)
        case "ApplyMemoryDistillation" | "CrystallizeMemoryIntoIdentity":
            return whole(operation, sources=both, **said)
        case "MergeIncubationSupport":
            thread = threads[0] if threads and second % 2 else None
            return whole(operation, sources=[one], thread=thread, **said)
        case "ReviseDurableMemory":
            return proposal(operation, memory=one, **said, **REASON)
        case "RetireDurableMemory":
            return proposal(operation, memory=one, by=other if second % 2 else None, **REASON)
        case "QueueCandidateIntervention":
            answers = pressures[:1] if second % 2 else None
            more = {"answers": answers, "confidence": (0.5, 0.9)[first % 2]}
            return whole(operation, intent="speech", words="Wait?", **more, **said)
        case "RetireCandidateIntervention":
            return proposal(operation, candidate=one, **REASON)
        case "MarkCandidateInterventionSpoken":
            return proposal(operation, candidate=one, receipt=RUN)
        case "UpsertAgencyPressure":
            return whole(operation, intensity=unit, obligated=bool(second % 2), **said)
        case "RetireAgencyPressure":
            because = ("answered", "wrong")[second % 2]
            return proposal(operation, pressure=one, reason="it is over", because=because)
        case _:
            return whole(operation, **said)


def test_every_profile_lives_in_one_row() -> None:
    assert sorted(ROW_OF) == sorted(Profile)
