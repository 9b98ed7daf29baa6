from __future__ import annotations

import pytest

from memfs.formats.canonical import claim_key, emit_matter, emit_value, normalise, title_of
from memfs.formats.scalars import resolve_plain
from memfs.model.values import JsonValue
from tests.support.records import make_record


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain words", "plain words"),
        ("FastAPI for every backend, never Flask", "FastAPI for every backend, never Flask"),
        ("user:ana", "user:ana"),
        ("記憶", "記憶"),
        ("", '""'),
        ("no", '"no"'),
        ("Null", '"Null"'),
        ("42", '"42"'),
        ("2026-11-29", '"2026-11-29"'),
        ("1234e56", '"1234e56"'),
        ("a: b", '"a: b"'),
        ("a #b", '"a #b"'),
        ("ends:", '"ends:"'),
        ("ends ", '"ends "'),
        ("- item", '"- item"'),
        ("two\nlines", '"two\\nlines"'),
        ('a "quote"', '"a \\"quote\\""'),
        ("\u0085\u2028\ufeff", '"\\u0085\\u2028\\ufeff"'),
        ("👩‍💻", '"👩‍💻"'),
    ],
)
def test_text_is_plain_only_where_no_reader_can_mistake_it(text: str, written: str) -> None:
    assert emit_value(text) == written


def test_lists_and_mappings_stand_on_one_line() -> None:
    values: dict[str, JsonValue] = {
        "tags": ["a", "b, c"],
        "origin": {"class": "x", "y": [1, None, True]},
        "e": [],
    }
    assert emit_matter(values) == (
        'tags: [a, "b, c"]\norigin: {class: x, "y": [1, null, true]}\ne: []\n'
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("5", 5), ("-5", -5), ("0.5", 0.5), ("1.50", 1.5), ("true", True), ("", None)),
        *(("no", "no"), ("007", "007"), ("1e3", "1e3"), ("0x1F", "0x1F"), (".5", ".5")),
        *(("1_000", "1_000"), ("12:30", "12:30"), ("-0", "-0"), ("+1", "+1"), (".nan", ".nan")),
        ("0.1234567890123456789", "0.1234567890123456789"),
    ],
)
def test_a_word_is_a_number_only_where_nothing_is_lost(text: str, value: object) -> None:
    read = resolve_plain(text)
    assert (type(read), read) == (type(value), value)


def test_what_does_not_change_a_claim_does_not_change_its_key() -> None:
    one = make_record(title="Use tabs.", body="Use  Tabs\nALWAYS.\n")
    two = make_record(title="use TABS", body="use tabs always", importance=9, tags=("x",))
    assert claim_key(one) == claim_key(two)
    for other in (
        make_record(title="Use tabs", body="use tabs never"),
        make_record(title="Use tabs.", body="Use  Tabs\nALWAYS.\n", subject="style"),
        make_record(title="Use tabs.", body="Use  Tabs\nALWAYS.\n", kind="fact"),
        make_record(title="Use tabs.", body="Use  Tabs\nALWAYS.\n", scope=None),
    ):
        assert claim_key(one) != claim_key(other)


def test_normal_text_is_composed_folded_and_single_spaced() -> None:
    assert normalise(" Cafe\u0301 \n STRASSE… x. ") == "café strasse… x"
    assert normalise("Straße") == normalise("STRASSE")


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("\n\n# Heading #1\ntext", "Heading #1"),
        ("- item\n- other", "item"),
        ("12. twelfth", "twelfth"),
        ("\x1b[31mred\u2028x", "[31mred"),
        ("\n \n", ""),
        ("word " * 60, ("word " * 39).strip() + "…"),
        ("x" * 300, "x" * 199 + "…"),
    ],
)
def test_the_title_of_a_body_is_its_first_words_on_one_line(body: str, title: str) -> None:
    assert title_of(body) == title
