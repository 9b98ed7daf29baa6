"""Invariants over all records of a snapshot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memfs.app.registry import REGISTRY
from memfs.model.record import StoredRecord
from memfs.model.status import Status
from memfs.policy.invariants import check_invariants
from tests.support.policy import claim, identifier, stored


def found(*records: StoredRecord) -> list[tuple[str, str]]:
    """Returns path and code of each problem, in order."""
    problems = check_invariants(records, REGISTRY)
    return [(problem.path, problem.code) for problem in problems]


def cited(field: str, reference: str) -> StoredRecord:
    """Returns a record whose ``field`` names ``reference``."""
    fields: dict[str, Any] = {field: (reference,)}
    return stored(1, **fields)


def superseded(number: int, by: int) -> StoredRecord:
    return stored(number, status=Status.SUPERSEDED, superseded_by=identifier(by))


def test_a_sound_snapshot_has_no_problems() -> None:
    assert found(superseded(1, 2), stored(2, supersedes=(identifier(1),))) == []


def test_two_files_with_one_id_are_a_problem_of_the_second() -> None:
    copy = replace(stored(1), path="records/preference/copy.md")
    assert found(stored(1), copy) == [
        ("records/preference/copy.md", "invariant.duplicate-id"),
    ]


def test_an_active_record_has_an_origin() -> None:
    bare = StoredRecord(record=claim(id=identifier(1)), path="a.md", blob="0" * 40)
    assert found(bare) == [("a.md", "invariant.no-origin")]


@pytest.mark.parametrize("field", ["evidence", "derived_from", "conflicts"])
def test_dangling_and_self_references_are_named(field: str) -> None:
    dangling = cited(field, f"{identifier(9)}@2")
    assert found(dangling) == [(dangling.path, "invariant.dangling-reference")]
    own = cited(field, identifier(1))
    assert found(own) == [(own.path, "invariant.self-reference")]


def test_what_a_record_replaced_may_have_been_erased() -> None:
    assert found(stored(1, supersedes=(identifier(9),))) == []


def test_supersession_has_a_successor_and_no_cycle() -> None:
    alone = stored(1, status=Status.SUPERSEDED)
    assert found(alone) == [(alone.path, "invariant.no-successor")]
    two_lives = stored(1, superseded_by=identifier(2))
    assert found(two_lives, stored(2)) == [(two_lives.path, "invariant.active-superseded")]
    ring = [superseded(1, 2), superseded(2, 3), superseded(3, 1), superseded(4, 1)]
    assert found(*ring) == [(ring[0].path, "invariant.supersession-cycle")]


def test_an_active_record_does_not_rest_on_one_that_was_taken_back() -> None:
    gone = stored(1, status=Status.RETRACTED)
    child = stored(2, derived_from=(identifier(1),))
    assert found(gone, child) == [(child.path, "invariant.rests-on-withdrawn")]


def test_an_id_has_the_prefix_of_its_kind() -> None:
    odd = stored(1, id=identifier(1, "ev"))
    assert found(odd) == [(odd.path, "invariant.id-prefix")]
