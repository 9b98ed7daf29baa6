"""Keyed contradiction and exact duplicate; nothing by likeness."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.app.registry import REGISTRY
from memfs.model.record import Record
from memfs.model.scope import GLOBAL_SCOPE
from memfs.model.status import Status
from memfs.policy.conflicts import compare, is_contradiction, is_overlapping, is_unchanged
from tests.support.policy import NOW, PROJECT, claim, identifier, stored

DAY = timedelta(days=1)
TIMES = st.one_of(st.none(), st.integers(0, 6).map(lambda days: NOW + days * DAY))


def contradicts(left: Record, right: Record) -> bool:
    return is_contradiction(left, right, registry=REGISTRY, project=PROJECT)


def test_two_values_of_one_subject_contradict() -> None:
    left, right = claim("Tabs.", subject="indent"), claim("Spaces.", subject=" Indent ")
    assert contradicts(left, right)
    assert contradicts(right, left)


@pytest.mark.parametrize(
    "other",
    [
        claim("Spaces.", subject="width"),
        claim("Spaces.", subject="indent", kind="fact"),
        claim("Spaces.", subject="indent", scope=GLOBAL_SCOPE),
        claim("TABS.", subject="indent"),
        claim("Spaces.", subject="indent", valid_until=NOW - DAY),
    ],
)
def test_another_key_the_same_words_or_another_time_do_not_contradict(other: Record) -> None:
    assert not contradicts(claim("Tabs.", subject="indent", valid_from=NOW), other)


def test_claims_without_a_subject_and_kinds_with_many_values_never_contradict() -> None:
    assert not contradicts(claim("Tabs."), claim("Spaces."))
    left = claim("docs/a.md", kind="reference", subject="docs")
    assert not contradicts(left, claim("docs/b.md", kind="reference", subject="docs"))


@given(TIMES, TIMES, TIMES, TIMES)
def test_overlap_is_symmetric_and_half_open(
    start: datetime | None,
    end: datetime | None,
    other_start: datetime | None,
    other_end: datetime | None,
) -> None:
    left = claim(valid_from=start, valid_until=end)
    right = claim(valid_from=other_start, valid_until=other_end)
    assert is_overlapping(left, right) == is_overlapping(right, left)


def test_validities_that_touch_do_not_overlap() -> None:
    before, after = claim(valid_until=NOW), claim(valid_from=NOW)
    assert not is_overlapping(before, after)
    assert is_overlapping(claim(valid_until=NOW + DAY), after)


def test_only_active_records_are_compared_each_once_by_id() -> None:
    first, second = stored(2, body="Use Flask.", subject="b"), stored(1, subject="b")
    gone = stored(3, body="Use Bottle.", subject="b", status=Status.RETRACTED)
    found = compare(
        claim(subject="b"),
        (first, second, first, gone),
        registry=REGISTRY,
        project=PROJECT,
    )
    assert [item.record.id for item in found.contradicted] == [identifier(2)]
    assert [item.record.id for item in found.repeated] == [identifier(1)]


def test_a_generated_title_does_not_make_another_claim() -> None:
    long = "Use FastAPI for every backend that we write in Python from now on"
    found = compare(
        claim(long),
        (stored(1, body=long, title="Use FastAPI for every backend…"),),
        registry=REGISTRY,
        project=PROJECT,
    )
    assert len(found.repeated) == 1


def test_near_likeness_is_neither_duplicate_nor_contradiction() -> None:
    found = compare(
        claim("Use FastAPI, never Flask!!"),
        (stored(1),),
        registry=REGISTRY,
        project=PROJECT,
    )
    assert found.repeated == ()
    assert found.contradicted == ()


@pytest.mark.parametrize(
    "change",
    [{"title": "T"}, {"tags": ("a",)}, {"importance": 9}, {"unknown": {"x": 1}}, {"expires": NOW}],
)
def test_any_change_of_words_labels_or_dates_is_a_change(change: dict[str, Any]) -> None:
    assert is_unchanged(claim(), claim(version=3, status=Status.SUPERSEDED))
    assert not is_unchanged(claim(**change), claim())
