"""Sizes, shapes and references of drafts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memfs.app.registry import REGISTRY
from memfs.model.limits import BODY_BYTES, LABEL_CHARS, LIST_ITEMS, TEXT_CHARS, TITLE_CHARS
from memfs.model.record import Record
from memfs.policy.bounds import check_atomic, check_bounds, check_kind, check_stage
from tests.support.policy import NOW, claim, identifier


def broken(**fields: Any) -> list[str]:
    return [item.code for item in check_bounds(claim(**fields))]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"body": " \n"}, "bounds.empty"),
        ({"title": "x" * (TITLE_CHARS + 1)}, "bounds.title"),
        ({"title": "two\nlines"}, "bounds.title"),
        ({"body": "ä" * (BODY_BYTES // 2 + 1)}, "bounds.body"),
        ({"summary": "x" * (TEXT_CHARS + 1)}, "bounds.text"),
        ({"tags": ("x" * (LABEL_CHARS + 1),)}, "bounds.text"),
        ({"subject": "a\nb"}, "bounds.text"),
        ({"tags": ("x",) * (LIST_ITEMS + 1)}, "bounds.items"),
        ({"body": "bell \x07"}, "bounds.control-characters"),
        ({"title": "escape \x1b[31m"}, "bounds.control-characters"),
        ({"unknown": {"a": "\x00"}}, "bounds.control-characters"),
        ({"importance": 0}, "bounds.number"),
        ({"confidence": 1.5}, "bounds.number"),
        ({"version": 0}, "bounds.number"),
        ({"valid_from": NOW, "valid_until": NOW}, "bounds.validity"),
        ({"evidence": ("../../etc/passwd",)}, "bounds.reference"),
        ({"supersedes": ("mem_short",)}, "bounds.reference"),
        ({"id": "mem_../x"}, "bounds.reference"),
    ],
)
def test_each_bound_is_reported(fields: dict[str, Any], code: str) -> None:
    assert broken(**fields) == [code]


def test_what_lies_exactly_on_the_bound_is_fine() -> None:
    assert (
        broken(
            title="x" * TITLE_CHARS,
            body="x" * BODY_BYTES,
            importance=10,
            confidence=1.0,
            evidence=(f"{identifier(1, 'ev')}@3",),
            valid_from=NOW,
            valid_until=NOW + timedelta(microseconds=1),
        )
        == []
    )


def test_line_ends_and_tabs_are_no_control_characters() -> None:
    assert broken(body="a\r\nb\tc") == []


def test_a_kind_must_be_known_complete_and_within_its_choices() -> None:
    def code(record: Record) -> str:
        found = check_kind(record, REGISTRY)
        return found.code if found else ""

    assert code(claim(kind="wish")) == "kind.unknown"
    assert code(Record(kind="receipt")) == "kind.missing-field"
    assert code(Record(kind="episode", fields={"outcome": "maybe"})) == "kind.bad-choice"
    assert code(claim()) == ""


@pytest.mark.parametrize("stage", ["held_out", "canary", "active"])
def test_a_stage_beyond_trial_is_never_stated(stage: str) -> None:
    found = check_stage(claim(kind="procedure", fields={"stage": stage}))
    assert found is not None
    assert found.code == "procedure.stage"
    assert check_stage(claim(kind="procedure", fields={"stage": "trial"})) is None


def test_several_claims_in_one_record_are_noticed_in_kinds_of_one_value() -> None:
    listed = "\n".join(f"{number}. item" for number in range(7))
    assert check_atomic(claim(listed))
    assert check_atomic(claim("So it is. " * 13, kind="fact"))
    assert check_atomic(claim(listed, kind="note")) is None
    assert check_atomic(claim("One. Two.")) is None
    assert check_atomic(claim("- tabs\n- four spaces\n- no trailing blanks"))
    assert check_atomic(claim("- tabs\n- in Makefiles too")) is None
