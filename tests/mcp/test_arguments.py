"""Arguments are taken as they are meant, or refused with what was expected."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from memfs.mcp.arguments import ArgumentError, Field, FieldType, input_schema, read_arguments
from memfs.model.values import JsonValue

FIELDS = (
    Field(name="question", is_required=True, most=50),
    Field(name="dry_run", type=FieldType.FLAG),
    Field(name="limit", type=FieldType.NUMBER, least=1, most=50),
    Field(name="tags", type=FieldType.TEXTS, most=3),
    Field(name="where", choices=("here", "there")),
)


def refused(given: Mapping[str, JsonValue]) -> ArgumentError:
    with pytest.raises(ArgumentError) as caught:
        read_arguments(FIELDS, given)
    return caught.value


def test_what_is_given_is_read_by_its_type() -> None:
    read = read_arguments(
        FIELDS, {"question": "why", "limit": 3, "tags": ["a", "b"], "dry_run": True, "where": None}
    )

    assert read.text("question") == "why"
    assert read.number("limit", 20) == 3
    assert read.texts("tags") == ("a", "b")
    assert read.flag("dry_run")
    assert read.text("where") == ""
    assert "where" not in read.values


def test_an_unknown_argument_is_refused_with_the_one_that_was_meant() -> None:
    error = refused({"question": "why", "dryrun": True})

    assert error.code == "usage.arguments"
    assert error.message == "unknown argument 'dryrun'"
    assert error.hint.startswith("did you mean dry_run?")
    assert "arguments: question, dry_run, limit" in error.hint


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "question: expected a value, got none"),
        ({"question": ""}, "question: expected a value, got an empty text"),
        ({"question": None}, "question: expected a value, got none"),
        ({"question": 7}, "question: expected a text, got the number 7"),
        ({"question": ["why"]}, "question: expected a text, got a list"),
        ({"question": {"a": 1}}, "question: expected a text, got an object"),
        ({"question": "x" * 51}, "question: expected at most 50 characters, got 51"),
        ({"question": "\ud800"}, "question: expected text in Unicode, got half a character"),
        ({"question": "q", "limit": "3"}, "limit: expected a whole number, got the text '3'"),
        ({"question": "q", "limit": 2.5}, "limit: expected a whole number, got the number 2.5"),
        ({"question": "q", "limit": True}, "limit: expected a whole number, got true or false"),
        ({"question": "q", "limit": 0}, "limit: expected 1 to 50, got 0"),
        ({"question": "q", "limit": 51}, "limit: expected 1 to 50, got 51"),
        ({"question": "q", "tags": "a"}, "tags: expected a list of texts, got the text 'a'"),
        ({"question": "q", "tags": ["a", 1]}, "tags: expected a text, got the number 1"),
        ({"question": "q", "tags": list("abcd")}, "tags: expected at most 3 items, got 4"),
        ({"question": "q", "where": "up"}, "where: expected one of here, there, got 'up'"),
        ({"question": "q", "dry_run": 1}, "dry_run: expected true or false, got the number 1"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(given: Mapping[str, JsonValue], told: str) -> None:
    assert refused(given).message == told


def test_every_fault_is_told_at_once_and_what_was_sent_is_shown_in_ascii() -> None:
    error = refused({"quest\u202eion": "q", "limit": "é" * 100})

    assert error.message.isascii()
    assert "unknown argument 'quest\\u202eion'" in error.message
    assert "limit: expected a whole number" in error.message
    assert "question: expected a value, got none" in error.message


def test_the_schema_is_a_closed_plain_object() -> None:
    schema = input_schema(FIELDS)

    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["question"]
    assert schema["properties"] == {
        "question": {"type": "string"},
        "dry_run": {"type": "boolean"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50},
        "tags": {"type": "array", "items": {"type": "string"}},
        "where": {"type": "string", "enum": ["here", "there"]},
    }
