"""Folding text for comparison."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.model.markers import has_packet_mark
from memfs.model.text import claim_fingerprint, normalise_text, statement_of


@given(st.text())
def test_normalising_twice_is_normalising_once(text: str) -> None:
    once = normalise_text(text)
    assert normalise_text(once) == once


def test_spelling_differences_are_folded_and_words_are_not() -> None:
    assert normalise_text("  Caf\u0065\u0301\tSTRASSE \n") == normalise_text("café straße")
    assert normalise_text("tabs") != normalise_text("no tabs")


@pytest.mark.parametrize("title", ["", "Use FastAPI", "Use FastAPI…", "# Use FastAPI"])
def test_a_title_that_repeats_the_body_adds_nothing(title: str) -> None:
    assert statement_of(title, "Use FastAPI everywhere.") == "use fastapi everywhere."


def test_another_title_is_part_of_what_is_stated() -> None:
    assert statement_of("Backend", "FastAPI") != statement_of("", "FastAPI")
    assert statement_of("FastAPI", "") == statement_of("", "fastapi")


def test_the_fingerprint_tells_kind_scope_subject_and_words_apart() -> None:
    base = ["fact", "project:a", "s", "", "It is so."]
    prints = {claim_fingerprint(*base)}
    for index, other in enumerate(("note", "project:b", "t", "Title", "It is not so.")):
        changed = [*base]
        changed[index] = other
        prints.add(claim_fingerprint(*changed))
    assert len(prints) == 6
    assert claim_fingerprint("fact", "project:a", " S ", "", "it IS  so.") in prints


@pytest.mark.parametrize(
    "text", ["<memfs-packet>", "</memfs-packet >", "x < / MEMFS-PACKET y", "<memfs-context v=1>"]
)
def test_packet_fences_are_recognised_however_they_were_copied(text: str) -> None:
    assert has_packet_mark(text)
    assert not has_packet_mark("a packet of memfs")
