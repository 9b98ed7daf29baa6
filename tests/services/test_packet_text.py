from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.model.markers import has_packet_mark
from memfs.services.packet_text import (
    CLOSING,
    escaped,
    escaped_line,
    opening,
    quoted,
    strip_packets,
)

OPEN = opening(version="1", store="store_x")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain text\n", "plain text\n"),
        (f"before\n{OPEN}\nsecret\n{CLOSING}\nafter\n", "before\nafter\n"),
        (f"{OPEN}a{CLOSING}{OPEN}b{CLOSING}", ""),
        (f"x {OPEN} a {OPEN} b {CLOSING} c {CLOSING} y", "x  y"),
        (f"x {OPEN} never closed", "x "),
        (f"x {CLOSING} y", "x  y"),
        (f"x {CLOSING} y {OPEN} z {CLOSING} w", "x  y  w"),
        ("x <MEMFS-PACKET> a </ Memfs-Packet > y", "x  y"),
        ('x <memfs-packet\nversion="1"\n>a</memfs-packet\n> y', "x  y"),
        ("x <memfs-packet a </memfs-packet> y", "x  y"),
        ("x <memfs-packet/> y", "x  y"),
        ("<memfs-packets> stay", "<memfs-packets> stay"),
        ("", ""),
    ],
)
def test_packets_are_taken_out(text: str, left: str) -> None:
    assert strip_packets(text) == left


@given(st.lists(st.sampled_from([OPEN, CLOSING, "<memfs-packet", "<", ">", "/", "a", "\n", "> "])))
def test_nothing_that_is_left_reads_as_a_packet_again(parts: list[str]) -> None:
    left = strip_packets("".join(parts))

    assert strip_packets(left) == left
    assert len(left) <= len("".join(parts))


@given(st.text(max_size=200))
def test_text_without_a_mark_is_returned_as_it_is(text: str) -> None:
    if not has_packet_mark(text):
        assert strip_packets(text) == text


def test_stripping_takes_time_in_proportion_to_the_text() -> None:
    hostile = "<memfs-packet " * 50_000

    assert strip_packets(hostile) == ""


@given(
    st.text()
    | st.from_regex(r"< {0,2}/? {0,2}(memfs-packet|MEMFS-context)[^<]{0,9}", fullmatch=True)
)
def test_record_text_can_never_close_the_fence(text: str) -> None:
    packet = f"{OPEN}\n{quoted(text)}\n{escaped_line(text)}\n{escaped(text)}\n{CLOSING}\n"

    assert strip_packets(f"before\n{packet}after") == "before\nafter"
    assert not has_packet_mark(escaped(text))


@given(st.text())
def test_every_line_of_quoted_text_is_marked_as_a_quotation(text: str) -> None:
    assert all(line.startswith(">") for line in quoted(text).split("\n"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a\\u{202e}b"),
        ("a\u200bb", "a\\u{200b}b"),
        ("a\U000e0041b", "a\\u{e0041}b"),
        ("a\x1b[31mb", "a\\u{1b}[31mb"),
        ("a\u2028b", "a\\u{2028}b"),
        ("a\ufe0fb", "a\\u{fe0f}b"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("tab\tstays", "tab\tstays"),
        ("नि\u200dर", "नि\u200dर"),
        ("日本語 émoji 👍", "日本語 émoji 👍"),
    ],
)
def test_characters_that_do_not_show_are_written_out(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_attributes_of_the_fence_hold_plain_characters_only() -> None:
    assert opening(store='a"><b') == '<memfs-packet store="a___b">'
