"""Every part of a record is compared and screened: a new field cannot be forgotten (A28)."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from memfs.model.authority import Sensitivity, Sink
from memfs.model.record import Record
from memfs.model.relation import Relation, RelationKind
from memfs.policy.bounds import check_bounds
from memfs.policy.conflicts import is_unchanged
from memfs.policy.content import fields_of

NOW = datetime(2026, 11, 30, tzinfo=UTC)
OF_A_PERSON: dict[str, Any] = {
    "title": "A title",
    "body": "Words\n",
    "subject": "a-subject",
    "record_class": "a-class",
    "event_time": NOW,
    "valid_from": NOW,
    "valid_until": NOW,
    "review_after": NOW,
    "expires": NOW,
    "confidence": 0.3,
    "importance": 9,
    "sensitivity": Sensitivity.SECRET,
    "sinks": frozenset({Sink.PERSON}),
    "evidence": ("ev_01kb8x3v6yq4m9t2r7w5z1c0de",),
    "derived_from": ("mem_01kb8x3v6yq4m9t2r7w5z1c0de",),
    "tags": ("a-tag",),
    "entities": ("an-entity",),
    "relations": (Relation(RelationKind.RELATED, "mem_01kb8x3v6yq4m9t2r7w5z1c0de", "a-label"),),
    "summary": "A summary",
    "abstract": "An abstract",
    "fields": {"a-field": "its words"},
    "unknown": {"another": "more words"},
}
"""What a person may change, with a value that is not the default."""
OF_MEMFS = {
    "id", "kind", "status", "version", "scope", "observed", "origin", "authority", "taint",
    "transform", "supersedes", "superseded_by", "superseded_from", "conflicts", "branch",
}  # fmt: skip
"""What memfs sets, or what never changes in place."""
WORDS = {
    "subject": "a-subject",
    "record_class": "a-class",
    "tags": "a-tag",
    "entities": "an-entity",
    "relations": "a-label",
    "summary": "A summary",
    "abstract": "An abstract",
    "fields": "a-field: its words",
    "unknown": "another: more words",
}


def test_every_field_of_a_record_is_a_persons_or_memfs_own() -> None:
    assert {item.name for item in fields(Record)} == set(OF_A_PERSON) | OF_MEMFS


@pytest.mark.parametrize("name", OF_A_PERSON)
def test_changing_any_part_is_a_change(name: str) -> None:
    record = Record(kind="note")
    assert is_unchanged(record, record)
    assert not is_unchanged(replace(record, **{name: OF_A_PERSON[name]}), record)


@pytest.mark.parametrize("name", WORDS)
def test_the_words_of_every_part_are_screened(name: str) -> None:
    record = replace(Record(kind="note"), **{name: OF_A_PERSON[name]})
    assert WORDS[name] in set(fields_of(record))


@pytest.mark.parametrize("value", ["c" * 101, "two\nlines"])
def test_a_class_is_bounded_like_a_label(value: str) -> None:
    record = Record(kind="note", body="Words\n", record_class=value)
    assert [item.code for item in check_bounds(record, None, body_bytes=1000)] == ["bounds.text"]
