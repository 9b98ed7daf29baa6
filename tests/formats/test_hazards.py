from __future__ import annotations

import difflib
from collections.abc import Mapping

import pytest

from memfs.errors import DataError
from memfs.formats.frontmatter import RoundTripError, edit_matter, parse_matter, split
from memfs.formats.matter import parse_fully
from memfs.formats.text import decode_text
from memfs.model.values import JsonValue
from tests.formats.hazards import KEPT, REFUSED, Kept, Refused

NAMES = [case.name for case in KEPT]


def read_matter(data: bytes) -> Mapping[str, JsonValue]:
    decode_text(data, path="a.md")
    return parse_matter(split(data, path="a.md"), path="a.md").values


def changed_lines(before: bytes, after: bytes) -> tuple[list[bytes], list[bytes]]:
    """Returns the removed and the added lines, line ends included."""
    matcher = difflib.SequenceMatcher(
        a=before.splitlines(keepends=True), b=after.splitlines(keepends=True), autojunk=False
    )
    removed: list[bytes] = []
    added: list[bytes] = []
    for tag, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        if tag != "equal":
            removed += before.splitlines(keepends=True)[a_from:a_to]
            added += after.splitlines(keepends=True)[b_from:b_to]
    return removed, added


def test_the_corpus_has_the_hazards_that_were_found() -> None:
    assert len(KEPT) + len(REFUSED) >= 69
    assert len({case.name for case in (*KEPT, *REFUSED)}) == len(KEPT) + len(REFUSED)


@pytest.mark.parametrize("case", KEPT, ids=NAMES)
def test_reading_gives_the_value_that_was_meant(case: Kept) -> None:
    values = parse_matter(split(case.data, path="a.md"), path="a.md").values
    for name, value in case.values.items():
        assert (type(values[name]), values[name]) == (type(value), value)


@pytest.mark.parametrize("case", KEPT, ids=NAMES)
def test_both_readers_read_the_same(case: Kept) -> None:
    document = split(case.data, path="a.md")
    text = decode_text(document.matter, path="a.md")
    fully = parse_fully(text, path="a.md", line=2)
    assert parse_matter(document, path="a.md").values == fully.values


@pytest.mark.parametrize("case", KEPT, ids=NAMES)
def test_an_edit_of_nothing_changes_no_byte(case: Kept) -> None:
    assert edit_matter(case.data, {}, path="a.md") == case.data


@pytest.mark.parametrize("case", KEPT, ids=NAMES)
def test_a_changed_value_changes_one_line(case: Kept) -> None:
    end = b"\r\n" if b"\r\n---\r\n" in case.data else b"\n"
    edited = edit_matter(case.data, {"importance": 9}, path="a.md")
    assert changed_lines(case.data, edited) == (
        [b"importance: 3" + end],
        [b"importance: 9" + end],
    )


@pytest.mark.parametrize("case", KEPT, ids=NAMES)
def test_a_new_key_adds_one_line_and_its_removal_gives_the_file_back(case: Kept) -> None:
    end = b"\r\n" if b"\r\n---\r\n" in case.data else b"\n"
    edited = edit_matter(case.data, {"status": "superseded"}, path="a.md")
    assert changed_lines(case.data, edited) == ([], [b"status: superseded" + end])
    assert edit_matter(edited, {"status": None}, path="a.md") == case.data


def test_an_edit_of_the_odd_key_itself_is_exact_or_refused() -> None:
    refused: list[str] = []
    for case in KEPT:
        before = parse_matter(split(case.data, path="a.md"), path="a.md").values
        for name in case.values:
            try:
                edited = edit_matter(case.data, {name: "new"}, path="a.md")
            except RoundTripError:
                refused.append(f"{case.name}: {name}")
                continue
            document = split(edited, path="a.md")
            assert parse_matter(document, path="a.md").values == {**before, name: "new"}
            assert document.body == split(case.data, path="a.md").body
    assert refused == ["anchor and alias: x"]


@pytest.mark.parametrize("case", REFUSED, ids=[case.name for case in REFUSED])
def test_what_cannot_be_given_back_is_refused_with_code_and_line(case: Refused) -> None:
    with pytest.raises(DataError) as caught:
        read_matter(case.data)
    assert (caught.value.code, caught.value.path, caught.value.line) == (
        case.code,
        "a.md",
        case.line,
    )


@pytest.mark.parametrize("case", REFUSED, ids=[case.name for case in REFUSED])
def test_what_is_refused_is_never_edited(case: Refused) -> None:
    with pytest.raises(DataError):
        edit_matter(case.data, {"importance": 9}, path="a.md")


def test_a_flow_mapping_as_a_whole_is_read_and_not_edited() -> None:
    data = b"---\n{kind: note, importance: 3}\n---\nbody\n"
    assert parse_matter(split(data, path="a.md"), path="a.md").values["importance"] == 3
    with pytest.raises(DataError) as caught:
        edit_matter(data, {"importance": 9}, path="a.md")
    assert caught.value.code == "frontmatter.round-trip"
