"""Links that people write into prose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.model.wikilinks import Wikilink, linked_names, wikilinks


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("See [[PostgreSQL]] and [[Big  box |it]].", ("PostgreSQL", "Big box")),
        ("if [[ -f file ]]; then", ()),
        ("[[PG#Setup]] [[PG#Setup|here]] [[PG]]", ("PG",)),
        ("[[база]] [[C++]] [[a/b.py]]", ("база", "C++", "a/b.py")),
        ("[[open", ()),
        ("[[]] [[ ]] [[a\nb]] \\[[no]] [x](y)", ()),
        ("`[[code]]` and ``[[more `code]]`` but [[this]]", ("this",)),
        ("```\n[[code]]\n```\n[[this]]", ("this",)),
        ("~~~~\n[[code]]\n~~~\n[[still code]]\n~~~~\n[[this]]", ("this",)),
        ("```\n[[never closed]]", ()),
        ("[[[a]]] [[b]]]", ("a", "b")),
        ("[[one]][[two]]", ("one", "two")),
    ],
)
def test_a_link_is_a_name_in_two_brackets_outside_code(text: str, names: tuple[str, ...]) -> None:
    assert linked_names(text) == names


def test_a_link_knows_where_it_stands() -> None:
    assert list(wikilinks("x\n  [[a]] `[[b]]` [[c|d]]")) == [
        Wikilink("a", 2, 3),
        Wikilink("c", 2, 17),
    ]


@given(st.text(alphabet="[]|#`a\n ~\\", max_size=60))
def test_every_link_stands_where_it_says(text: str) -> None:
    lines = text.split("\n")
    for link in wikilinks(text):
        assert lines[link.line - 1][link.column - 1 :].startswith("[[")
        assert link.name == " ".join(link.name.split()) != ""


def test_a_hostile_text_takes_no_time() -> None:
    assert not list(wikilinks("[[" * 20_000 + "`" * 20_000 + "[[a|" * 5_000))
