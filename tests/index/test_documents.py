from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memfs.index.analysis import Analyzer
from memfs.index.documents import Document, document_from, gate_of, group_number, session_of
from memfs.index.port import FieldWeights
from memfs.model.authority import Sensitivity
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.status import Status
from memfs.services.index_gates import record_of_gate
from tests.support.recall_stores import note, stored, turn


def document(record: Record, weights: FieldWeights = FieldWeights()) -> Document:  # noqa: B008
    return document_from(stored(record), Analyzer(), weights)


def test_a_document_holds_terms_keys_and_columns_and_no_text() -> None:
    record = turn(
        1, "s", 7, "Ana", "alpha beta alpha",
        subject="web-framework", tags=("python",), entities=("FastAPI",), importance=9,
    )  # fmt: skip

    made = document(replace(record, title="Gamma"))

    assert made.terms["alpha"] == 2.0
    assert {"beta", "gamma", "web", "framework", "python", "fastapi"} <= made.terms.keys()
    assert made.length == 4
    assert {f"id:{record.id}", "subject:web-framework", "tag:python", "entity:FastAPI"} <= made.keys
    assert (made.sequence, made.speaker, made.importance) == (7, "ana", 9)
    assert made.group == group_number("s") > 0


@pytest.mark.parametrize("title", ["alpha beta", "alpha…", ""])
def test_a_title_that_repeats_the_body_counts_once(title: str) -> None:
    plain = document(replace(note(1, "alpha beta gamma"), title=title))
    heading = document(replace(note(1, "# alpha beta gamma"), title=title))

    assert plain.terms == heading.terms == {"alpha": 1.0, "beta": 1.0, "gamma": 1.0}


def test_summary_and_abstract_are_found_beside_the_content() -> None:
    node = replace(
        note(1, "nightly at two"),
        title="backups by",
        summary="backups by disk",
        abstract="a mirror",
    )

    made = document(node)

    assert {"nightli", "two", "backup", "disk", "mirror"} <= made.terms.keys()
    assert made.terms["backup"] == 1.0
    assert document(replace(node, body="backups by disk, nightly")).terms["disk"] == 1.0
    assert "mirror" in document(replace(node, body="", summary="")).terms


def test_a_field_of_weight_zero_is_not_indexed() -> None:
    record = replace(note(1, "alpha"), title="beta", subject="gamma", tags=("delta",))

    weights = FieldWeights(title=0.0, subject=0.0, tags=0.0)
    assert set(document(record, weights).terms) == {"alpha"}
    assert document(record, FieldWeights(body=3.0)).terms["alpha"] == 3.0


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("session:abc#12", ("abc", 12)),
        ("session:a#b#3", ("a#b", 3)),
        ("session:#1", ("", 0)),
        ("session:abc", ("", 0)),
        ("file:docs/setup.md", ("", 0)),
        ("", ("", 0)),
    ],
)
def test_session_and_turn_come_from_the_source(source: str, expected: tuple[str, int]) -> None:
    record = note(1, "x")
    assert record.origin is not None

    assert session_of(replace(record, origin=replace(record.origin, source=source))) == expected
    assert session_of(replace(record, origin=None)) == ("", 0)


def test_a_gate_is_all_that_access_depends_on_and_can_be_judged_again() -> None:
    record = note(
        1, "x", scope=Scope.parse("agent:bot"), sensitivity=Sensitivity.CONFIDENTIAL,
        status=Status.RETRACTED, branch="topic", taint=("remote",),
    )  # fmt: skip

    again = record_of_gate(gate_of(record))

    assert gate_of(again) == gate_of(record)
    assert gate_of(replace(record, body="other", title="t", id="mem_x")) == gate_of(record)
    changes: list[dict[str, Any]] = [
        {"scope": None},
        {"sensitivity": Sensitivity.NORMAL},
        {"status": Status.ACTIVE},
        {"branch": ""},
        {"kind": "fact"},
        {"sinks": frozenset()},
        {"origin": None},
    ]
    assert all(gate_of(replace(record, **change)) != gate_of(record) for change in changes)
