"""Previews: one line, 80 characters, nothing that hides."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memfs.model.authority import Sensitivity
from memfs.model.graph import PREVIEW_CHARS
from memfs.model.preview import one_line, preview_of
from memfs.model.record import Record


def test_a_preview_is_the_summary_else_the_text_else_the_title() -> None:
    record = Record(kind="note", title="Gate", body="# The gate\n\nstalls\n", summary="It stalls")

    assert preview_of(record) == "It stalls"
    assert preview_of(Record(kind="note", title="Gate", body=record.body)) == "The gate stalls"
    assert preview_of(Record(kind="edge", title="Gate")) == "Gate"
    assert preview_of(Record(kind="note")) == ""


def test_a_sealed_record_is_told_by_its_title() -> None:
    record = Record(kind="note", title="Sealed", body="-----BEGIN", sensitivity=Sensitivity.SEALED)

    assert preview_of(record) == "Sealed"


@given(st.text(max_size=300))
def test_a_preview_is_one_line_of_at_most_80_characters(text: str) -> None:
    line = one_line(text, PREVIEW_CHARS)

    assert len(line) <= PREVIEW_CHARS
    assert line == line.strip()
    assert line.isprintable() or not line.isascii()
    assert not {"\n", "\u202e", "\x1b", "\u2028"} & set(line)


def test_a_cut_is_marked() -> None:
    assert one_line("word " * 40, 10) == "word word…"
    assert one_line("word word", 10) == "word word"
    assert one_line(" " * 5_000 + "far away", 10) == ""
