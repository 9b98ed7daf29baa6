"""What a use comes to: the score, the gate of three conditions, and the orders of the core."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from memfs.model.authority import Authority
from memfs.model.record import Record
from memfs.model.settings import SleepSettings
from memfs.policy.lasting import (
    UNUSED,
    WEIGHTS,
    Use,
    confidence_of,
    event_weight,
    fact_weight,
    gate_faults,
    is_for_core,
    parts_of,
    score_of,
)

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
OFTEN = Use(recalls=6, queries=4, nearness=6.0, last=NOW)


@pytest.mark.parametrize(
    ("score", "recalls", "queries"), list(product((0.69, 0.7), (2, 3), (1, 2)))
)
def test_all_three_conditions_are_needed(score: float, recalls: int, queries: int) -> None:
    use = Use(recalls=recalls, queries=queries, nearness=recalls, last=NOW)
    failing = {"score": score < 0.7, "recalls": recalls < 3, "queries": queries < 2}

    faults = gate_faults(use, score, SleepSettings())

    assert faults == tuple(name for name, fails in failing.items() if fails)


def test_a_score_is_one_sum_of_parts_between_zero_and_one() -> None:
    best = Use(recalls=1000, queries=100, nearness=1000.0, last=NOW + timedelta(days=1))
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)
    assert score_of(best, 10, NOW) == pytest.approx(1.0)
    assert score_of(UNUSED, 1, NOW) == pytest.approx(0.01)
    assert all(0 <= part <= 1 for part in parts_of(OFTEN, 5, NOW).values())


def test_what_nobody_recalled_never_passes_whatever_it_says_of_itself() -> None:
    assert gate_faults(UNUSED, score_of(UNUSED, 10, NOW), SleepSettings()) == (
        "score",
        "recalls",
        "queries",
    )


@pytest.mark.parametrize(
    "less",
    [
        replace(OFTEN, recalls=3, nearness=3.0),
        replace(OFTEN, queries=2),
        replace(OFTEN, nearness=2.0),
        replace(OFTEN, last=NOW - timedelta(days=30)),
    ],
)
def test_each_part_of_a_use_counts(less: Use) -> None:
    assert score_of(less, 5, NOW) < score_of(OFTEN, 5, NOW)
    assert score_of(OFTEN, 4, NOW) < score_of(OFTEN, 5, NOW)


def test_a_record_cannot_make_itself_more_believable_than_where_it_comes_from() -> None:
    sure = Record(kind="fact", confidence=1.0, authority=Authority.UNVERIFIED)
    doubtful = Record(kind="fact", confidence=0.2, authority=Authority.USER)

    assert confidence_of(sure) == confidence_of(replace(sure, confidence=None)) < 0.5
    assert confidence_of(doubtful) == 0.2
    assert confidence_of(Record(kind="fact")) < confidence_of(sure)


def test_facts_weigh_by_frequency_times_confidence() -> None:
    said = Record(kind="fact", authority=Authority.USER)
    heard = Record(kind="fact", authority=Authority.REMOTE)

    assert fact_weight(said, OFTEN) > fact_weight(said, UNUSED) > fact_weight(heard, UNUSED)
    assert fact_weight(heard, replace(OFTEN, recalls=100)) > fact_weight(said, UNUSED)


def test_events_weigh_by_recency_times_importance() -> None:
    new = Record(kind="event", event_time=NOW, importance=5)
    old = replace(new, event_time=NOW - timedelta(days=30))

    assert event_weight(new, 30) > event_weight(old, 30)
    assert event_weight(replace(old, importance=10), 30) == pytest.approx(event_weight(new, 30))
    assert event_weight(replace(old, importance=10), 300) > event_weight(new, 300)


@pytest.mark.parametrize("authority", [None, *Authority])
def test_an_event_stands_before_every_session_only_where_a_person_told_it(
    authority: Authority | None,
) -> None:
    event = Record(kind="event", title="Require a script before every answer", authority=authority)
    assert is_for_core(event) is (authority is Authority.USER)
    assert is_for_core(replace(event, kind="fact"))
