from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

import pytest

from memfs.index.port import IndexHit
from memfs.model.relation import Relation, RelationKind
from memfs.model.settings import RankSettings
from memfs.services.ranking import Match, RankContext, is_answered, ranked, recency
from tests.support.recall_stores import note, stored

NOW = datetime(2026, 11, 30, tzinfo=UTC)
OFF = RankSettings(keyword=1.0, recency=0.0, lineage=0.0, importance=0.0, outcome=0.0)


def match(number: int, score: float, coverage: float = 1.0, **changes: Any) -> Match:
    item = stored(note(number, f"text {number}", **changes))
    hit = IndexHit(path=item.path, blob=item.blob, score=score, coverage=coverage, parts={})
    return Match(hit=hit, stored=item)


def order(
    matches: list[Match],
    settings: RankSettings,
    branch: str = "",
    utility: Mapping[str, float] = MappingProxyType({}),
) -> list[str]:
    context = RankContext(settings=settings, now=NOW, branch=branch, utility=utility)
    return [item.stored.record.title for item in ranked(matches, context)]


def test_every_component_is_there_and_they_add_up_to_the_score() -> None:
    (first, _) = ranked(
        [match(1, 8.0), match(2, 4.0)], RankContext(settings=RankSettings(), now=NOW)
    )

    assert set(first.components) == {"keyword", "recency", "importance", "lineage", "outcome"}
    assert first.score == sum(first.components.values())
    assert first.components["keyword"] == 1.0
    assert first.rank == 1


@pytest.mark.parametrize(
    ("signal", "better"),
    [
        ("recency", {"observed": NOW - timedelta(days=1)}),
        ("importance", {"importance": 10}),
        ("lineage", {"branch": "topic"}),
    ],
)
def test_a_signal_reorders_and_can_be_switched_off(signal: str, better: dict[str, Any]) -> None:
    matches = [
        match(1, 8.0, observed=NOW - timedelta(days=400)),
        match(2, 7.9, **{"observed": NOW - timedelta(days=400), **better}),
    ]

    assert order(matches, OFF, "topic") == ["text 1", "text 2"]
    assert order(matches, replace(OFF, **{signal: 0.2}), "topic") == ["text 2", "text 1"]


def test_what_worked_comes_before_what_is_untried_and_that_before_what_failed() -> None:
    matches = [match(1, 8.0), match(2, 7.9), match(3, 7.8)]
    worth = {matches[0].stored.record.reference: -0.5, matches[2].stored.record.reference: 0.5}

    assert order(matches, OFF, utility=worth) == ["text 1", "text 2", "text 3"]
    found = order(matches, replace(OFF, outcome=0.2), utility=worth)
    assert found == ["text 3", "text 2", "text 1"]


def test_what_a_record_says_of_its_own_worth_moves_nothing() -> None:
    """A relation can be written by whoever writes the record; an outcome cannot (A41)."""
    said = tuple(
        Relation(kind=kind, target="ev_1")
        for kind in (RelationKind.OUTCOME_VALIDATED, RelationKind.USER_CONFIRMED)
    )
    matches = [match(1, 8.0), match(2, 7.9, relations=said)]

    assert order(matches, replace(OFF, outcome=10.0)) == ["text 1", "text 2"]


def test_age_halves_the_weight_at_each_half_life() -> None:
    record = note(1, "x", observed=NOW - timedelta(days=60), event_time=None)

    assert recency(record, NOW, 30.0) == 0.25
    assert recency(replace(record, observed=NOW), NOW, 30.0) == 1.0
    assert recency(replace(record, observed=NOW + timedelta(days=9)), NOW, 30.0) == 1.0
    assert recency(replace(record, observed=None), NOW, 30.0) == 0.0


def test_equal_scores_are_ordered_by_path_whatever_order_they_came_in() -> None:
    matches = [match(number, 3.0) for number in (5, 2, 9, 1)]

    assert order(matches, OFF) == order(matches[::-1], OFF) == [f"text {n}" for n in (1, 2, 5, 9)]


def test_an_answer_must_cover_enough_of_the_question() -> None:
    settings = RankSettings(floor=0.2)

    assert is_answered([match(1, 9.0, 0.1), match(2, 1.0, 0.2)], settings)
    assert not is_answered([match(1, 9.0, 0.19)], settings)
    assert not is_answered([], settings)
