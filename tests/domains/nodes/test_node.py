"""A note read as a node: summary, abstract, content, pages, what to mend."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.domains.nodes.node import (
    ABSTRACT_CHARS,
    PAGE_CHARS,
    abstract_of,
    content_of,
    flags_of,
    is_bare_name,
    page_of,
    pages_of,
    summary_of,
)
from memfs.model.record import Record


def node(body: str, summary: str = "", abstract: str = "") -> Record:
    return Record(kind="note", title=body[:60], body=body, summary=summary, abstract=abstract)


def test_a_plain_note_is_a_node_whose_summary_is_all_of_it() -> None:
    plain = node("Orders are kept in Postgres.\n")

    assert summary_of(plain) == "Orders are kept in Postgres."
    assert content_of(plain) == ""
    assert abstract_of(plain) == "Orders are kept in Postgres."


def test_a_long_note_without_a_summary_is_listed_by_its_title() -> None:
    long = Record(kind="note", title="How orders are kept", body="Orders. " * 100)

    assert summary_of(long) == "How orders are kept"
    assert content_of(long) == "Orders. " * 100


def test_an_abstract_that_nobody_wrote_is_whole_sentences_of_the_content() -> None:
    sentence = "The importer reads a block of rows and writes its offset. "
    made = abstract_of(node(sentence * 20, summary="The importer resumes"))

    assert made == (sentence * 8).strip()
    assert len(made) <= ABSTRACT_CHARS[1]


def test_an_abstract_of_one_endless_sentence_is_cut_at_a_word() -> None:
    made = abstract_of(node("word " * 400, summary="Words"))

    assert len(made) <= ABSTRACT_CHARS[1]
    assert made.endswith("word…")


def test_a_written_abstract_stands() -> None:
    assert abstract_of(node("x\n", summary="s", abstract=" What it is. ")) == "What it is."


TEXTS = st.text(
    alphabet=st.one_of(st.sampled_from("ab \n\r\té🙂漢\u0301"), st.characters(codec="utf-8")),
    max_size=400,
)


@settings(max_examples=80, deadline=None)
@given(TEXTS, st.integers(2, 40))
def test_pages_give_the_content_again_byte_for_byte(content: str, size: int) -> None:
    pages = pages_of(content, size)

    assert "".join(pages).encode("utf-8", "surrogatepass") == content.encode(
        "utf-8", "surrogatepass"
    )
    assert all(pages[:-1])
    assert all(len(page) <= size for page in pages)


def test_a_page_ends_with_a_line_where_one_ends_in_its_second_half() -> None:
    first = page_of("a" * 1500 + "\n" + "b" * 1500, 1)

    assert first is not None
    assert first.text == "a" * 1500 + "\n"
    assert (first.number, first.total, first.is_last) == (1, 2, False)


def test_a_content_of_exactly_one_page_has_no_second() -> None:
    only = page_of("a" * PAGE_CHARS, 1)

    assert only is not None
    assert only.is_last
    assert page_of("a" * PAGE_CHARS, 2) is None
    assert page_of("a", 0) is None


@pytest.mark.parametrize("name", ["Postgres", "Ana Ruiz", "datasync", "R2-D2", "…", "Acme Corp 2"])
def test_a_bare_name_is_flagged(name: str) -> None:
    assert is_bare_name(node(name))
    assert flags_of(node(name)) == ("bare-name",)


@pytest.mark.parametrize(
    "text",
    [
        "Orders live in Postgres",
        "Deploys need two reviewers",
        "Build: green.",
        "timeout=30",
        "port -> 8080",
    ],
)
def test_what_says_something_is_not_flagged(text: str) -> None:
    assert not is_bare_name(node(text))


def test_a_name_with_a_content_says_something() -> None:
    assert not is_bare_name(node("It keeps orders.\n", summary="Postgres"))
    assert not is_bare_name(Record(kind="note", title="P", body="Postgres\n", abstract="Orders."))


def test_what_is_longer_than_a_summary_should_be_is_told() -> None:
    assert flags_of(node("w " * 90, summary="w " * 90)) == ("long-summary",)
    assert "long-abstract" in flags_of(node("x\n", summary="y z", abstract="a" * 501))
