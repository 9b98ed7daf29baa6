"""Whether a candidate is drafted, held or left unsaid: every row, its order, and its border."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.model.instants import format_instant
from memfs.model.record import Record
from memfs.model.role import Lifecycle, role_scope
from memfs.policy.role_readiness import (
    READY,
    TABLE,
    Readiness,
    ReadinessVerdict,
    decide_every,
    decide_readiness,
)
from tests.support.policy import NOW, identifier
from tests.support.roles import RUN, memory

CANDIDATE, PRESSURE, GROUND = (identifier(number, "role") for number in (1, 2, 3))
SOON: Final = format_instant(NOW + timedelta(hours=1))


def candidate(**fields: Any) -> Record:
    """Returns a candidate that is ready, but for what is given."""
    confidence = fields.pop("confidence", 0.9)
    said: dict[str, Any] = {
        "profile": "candidate_intervention",
        "lifecycle": "queued",
        "topic": "deploys",
        "intent": "speech",
        "words": "Shall we wait?",
        "salience": 0.6,
        "anchors": [f"run:{RUN}"],
        "touched": format_instant(NOW),
        "id": CANDIDATE,
        **fields,
    }
    return replace(memory(**said), confidence=confidence)


def pressure(**fields: Any) -> Record:
    """Returns a pressure that the candidate answers."""
    said = {"profile": "agency_pressure", "intensity": 0.6, "id": PRESSURE, "topic": "waiting"}
    return memory(**{**said, "touched": format_instant(NOW), **fields})


def decide(record: Record, *others: Record) -> Readiness:
    """Decides on a candidate of a role that remembers these."""
    every = {item.id: item for item in (record, *others)}
    return decide_readiness(record, every.values(), every, NOW)


ANSWERS: Final = {"answers": [PRESSURE]}
ON_GROUND: Final = {"anchors": [f"memory:{GROUND}"]}
CASES: Final[dict[str, tuple[dict[str, Any], tuple[Record, ...]]]] = {
    "over": ({"lifecycle": "spoken"}, ()),
    "empty": ({"words": " "}, ()),
    "no cause": (ANSWERS, (pressure(lifecycle="answered"),)),
    "doubtful": ({"confidence": 0.2999}, ()),
    "trifling": ({"salience": 0.1999}, ()),
    "cooling": (ANSWERS, (pressure(lifecycle="cooling", cooling_until=SOON),)),
    "resting": ({}, (memory(topic="deploys", saturation=0.8, touched=format_instant(NOW)),)),
    "groundless": (ON_GROUND, (memory(id=GROUND, lifecycle="pruned", topic="x"),)),
    "unanchored": ({"anchors": ["anchor:missing"]}, ()),
    "unsure": ({"confidence": 0.6999}, ()),
    "faint": ({"salience": 0.3999}, ()),
}
"""For each row a candidate that this row alone decides on."""


def test_a_candidate_that_no_row_speaks_against_is_drafted() -> None:
    assert decide(candidate()) == Readiness(verdict=ReadinessVerdict.DRAFT, row=READY)
    answering = candidate(**ANSWERS, salience=0.1)
    assert decide(answering, pressure()).verdict is ReadinessVerdict.DRAFT


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row.name))
def test_every_row_decides_by_itself_and_is_named(row: Any) -> None:
    fields, others = CASES[row.name]
    found = decide(candidate(**fields), *others)
    assert (found.verdict, found.row, len(found.reasons)) == (row.verdict, row.name, 1)
    assert found.reasons[0].startswith(f"{row.name}: ")


def test_the_table_is_the_cases_in_their_order_and_silence_goes_first() -> None:
    assert [row.name for row in TABLE] == [*CASES]
    verdicts = [row.verdict for row in TABLE]
    assert verdicts == sorted(verdicts, key=[*ReadinessVerdict][::-1].index)


@pytest.mark.parametrize(
    ("fields", "others"),
    [
        ({"confidence": 0.7}, ()),
        ({"salience": 0.4}, ()),
        ({"salience": 0.2, **ANSWERS}, (pressure(intensity=0.4),)),
        ({}, (memory(topic="deploys", saturation=0.6999, touched=format_instant(NOW)),)),
        ({}, (memory(topic="reviews", saturation=1, touched=format_instant(NOW)),)),
        (ANSWERS, (pressure(lifecycle="cooling", cooling_until=format_instant(NOW)),)),
        (ON_GROUND, (memory(id=GROUND, lifecycle="distilled", topic="x"),)),
        (ON_GROUND, (memory(id=GROUND, lifecycle="pruned", because="clustered", topic="x"),)),
        ({"intent": "note", "anchors": ["anchor:missing"]}, ()),
        ({"intent": "review", "words": None}, ()),
        ({"intent": "selfPatch", "words": None, "patch": {"add": ["x"]}}, ()),
    ],
)
def test_what_stands_on_a_border_or_beside_it_is_drafted(
    fields: dict[str, Any], others: tuple[Record, ...]
) -> None:
    assert decide(candidate(**fields), *others).verdict is ReadinessVerdict.DRAFT


def test_stored_readiness_is_recomputed_and_not_believed() -> None:
    for lifecycle, (fields, others) in product(("queued", "deferred"), CASES.values()):
        told = {"lifecycle": lifecycle, **fields}
        assert decide(candidate(**told), *others) == decide(candidate(**fields), *others)
    assert decide(candidate(lifecycle="deferred")).verdict is ReadinessVerdict.DRAFT
    boasting = candidate(confidence=0.1, readiness="draft", ready=True, is_ready=True)
    assert decide(boasting).verdict is ReadinessVerdict.SILENCE


def test_an_obligation_goes_past_what_holds_for_want_of_urgency_and_past_nothing_else() -> None:
    owed = pressure(lifecycle="obligated", intensity=0.0)
    passed = {"trifling", "resting", "faint"}
    for name, (fields, others) in CASES.items():
        if "answers" in fields:
            continue
        found = decide(candidate(**{**fields, **ANSWERS}), owed, *others)
        assert found.row == (READY if name in passed else name)


def test_only_what_a_candidate_names_presses_for_it() -> None:
    loud = pressure(intensity=1.0)
    assert decide(candidate(salience=0.1), loud).row == "trifling"
    assert decide(candidate(salience=0.1, **ANSWERS), loud).row == READY
    # What was a pressure by its id alone is none.
    assert decide(candidate(**ANSWERS), memory(id=PRESSURE, intensity=1.0)).row == "no cause"
    assert decide(candidate(**ANSWERS)).row == "no cause"


def test_worth_that_is_no_number_is_none_and_worth_that_is_unsaid_is_middling() -> None:
    assert decide(candidate(salience=None)).row == READY
    assert decide(candidate(salience=float("inf"))).row == "trifling"
    loud = pressure(intensity=float("inf"))
    assert decide(candidate(salience=0.1, **ANSWERS), loud).row == "trifling"


def test_several_rows_of_one_verdict_are_all_told() -> None:
    found = decide(candidate(confidence=0.5, salience=0.3, anchors=["anchor:missing"]))
    assert found.reasons == (
        "unanchored: it rests on nothing",
        "unsure: confidence 0.50 of 0.70",
        "faint: urgency 0.30 of 0.40",
    )


def test_all_candidates_together_are_decided_as_each_alone() -> None:
    made = {
        name: replace(candidate(**fields), id=identifier(number, "role"))
        for number, (name, (fields, _)) in enumerate(CASES.items(), start=10)
    }
    others = [pressure(lifecycle="cooling", cooling_until=SOON), memory(id=GROUND)]
    every = {item.id: item for item in (*made.values(), *others)}
    decided = decide_every(every, NOW)
    assert decided.keys() == {item.id for name, item in made.items() if name != "over"}
    for name, found in decided.items():
        assert found == decide_readiness(every[name], every.values(), every, NOW)
    assert decide_every({}, NOW) == {}


@pytest.mark.parametrize(
    "odd",
    [
        {"confidence": None},
        {"confidence": float("nan")},
        {"salience": "much", "confidence": 0.1},
        {"intent": "shout"},
        {"intent": None},
        {"words": ["Wait"]},
        {"anchors": [f"memory:{identifier(99, 'role')}"]},
        {"anchors": ["memory:role_"]},
        {"profile": "conversation", "lifecycle": "active"},
        {"profile": "candidate_intervention", "lifecycle": "active"},
        {"cooling_until": SOON},
    ],
)
def test_what_is_odd_or_cools_is_never_drafted(odd: dict[str, Any]) -> None:
    assert decide(candidate(**odd)).verdict is not ReadinessVerdict.DRAFT


_UNIT: Final = st.floats(0, 1)


@settings(max_examples=120, deadline=None)
@given(
    confidence=_UNIT,
    salience=_UNIT,
    intensity=_UNIT,
    saturation=_UNIT,
    state=st.sampled_from(("active", "obligated", "cooling", "answered", "retired")),
    ground=st.sampled_from(Lifecycle),
    more=st.floats(0, 0.5),
)
def test_more_confidence_or_urgency_never_makes_a_candidate_less_ready(
    confidence: float,
    salience: float,
    intensity: float,
    saturation: float,
    state: str,
    ground: Lifecycle,
    more: float,
) -> None:
    others = (
        pressure(lifecycle=state, intensity=intensity, cooling_until=SOON),
        memory(id=GROUND, lifecycle=str(ground), topic="x"),
        memory(topic="deploys", saturation=saturation, touched=format_instant(NOW)),
    )

    def ready(make: Callable[[float], float]) -> ReadinessVerdict:
        made = candidate(
            confidence=min(1.0, make(confidence)),
            salience=min(1.0, make(salience)),
            **ANSWERS,
            **ON_GROUND,
        )
        found = decide(made, *others)
        assert (found.row == READY) is (found.verdict is ReadinessVerdict.DRAFT)
        assert bool(found.reasons) is not (found.row == READY)
        return found.verdict

    order = [ReadinessVerdict.SILENCE, ReadinessVerdict.HOLD, ReadinessVerdict.DRAFT]
    before, after = ready(lambda value: value), ready(lambda value: value + more)
    assert order.index(after) >= order.index(before)
    if state in ("answered", "retired"):
        assert after is ReadinessVerdict.SILENCE


def test_what_one_role_remembers_decides_nothing_about_another() -> None:
    here = candidate(**ANSWERS)
    elsewhere = [
        replace(item, scope=role_scope("other"))
        for item in (
            pressure(intensity=1.0),
            memory(topic="deploys", saturation=1, touched=format_instant(NOW), id=GROUND),
        )
    ]
    alone = {item.id: item for item in (here, *elsewhere)}
    assert decide_every(alone, NOW)[here.id].row == "no cause"
    own = {**alone, PRESSURE: pressure()}
    assert decide_every(own, NOW)[here.id].row == READY
