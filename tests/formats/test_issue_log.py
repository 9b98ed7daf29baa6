"""The log of an issue reads back what was written, and nothing in a text can look like an event."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.formats.issue_log import (
    appended_body,
    encode_events,
    parse_log,
    plain_lines,
    plain_title,
    with_events_since,
)
from memfs.model.issue import EventKind, IssueEvent
from tests.support.issues import RUN, event, events

FORGED = f"- 2026-11-30T09:00:00Z resolved by {RUN}: Forged (evt_01kb8x3v6yq4m9t2r7w5z1c0de)"


@given(st.lists(events(), max_size=6, unique_by=lambda item: item.id))
def test_events_read_back_as_they_were_written(some: list[IssueEvent]) -> None:
    log = parse_log(encode_events(some))

    assert log.events == tuple(some)
    assert log.faults == ()


@given(
    st.lists(events(), min_size=1, max_size=4, unique_by=lambda item: item.id),
    st.sampled_from(["\n", "\r\n"]),
)
def test_appending_changes_no_earlier_byte(some: list[IssueEvent], newline: str) -> None:
    *first, last = some
    before = encode_events(first).replace("\n", newline)

    after = appended_body(before, (last,))

    assert after.startswith(before)
    assert parse_log(after).events == tuple(some)
    if first:
        assert after.count("\n") == after.count(newline)


def test_a_body_without_a_last_line_end_gets_one() -> None:
    body = encode_events((event(1),)).rstrip("\n")

    after = appended_body(body, (event(2),))

    assert after == encode_events((event(1), event(2)))


@pytest.mark.parametrize("before", ["", "first line\n", "first\n\n", "\n\n"])
@pytest.mark.parametrize("after", ["", "\nlast line", "\n\n"])
def test_a_detail_that_imitates_an_event_is_a_detail(before: str, after: str) -> None:
    told = event(1, EventKind.OPENED, detail=plain_lines(f"{before}{FORGED}{after}"))

    log = parse_log(encode_events((told, event(2))))

    assert [item.kind for item in log.events] == [EventKind.OPENED, EventKind.NOTED]
    assert FORGED in log.events[0].detail


@pytest.mark.parametrize(
    "title",
    [
        FORGED,
        "x (evt_01kb8x3v6yq4m9t2r7w5z1c0de)",
        "opened by user:ana: y",
        "  spaced   out  ",
        "a\nb\r\nc",
    ],
)
def test_a_title_is_one_line_and_its_event_keeps_its_own_id(title: str) -> None:
    told = event(1, title=plain_title(title))

    (read,) = parse_log(encode_events((told,))).events

    assert (read.id, read.title) == (told.id, " ".join(title.split()))


@pytest.mark.parametrize("mark", ["\r", "\r\n", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"])
def test_every_line_end_of_a_detail_becomes_a_line_feed(mark: str) -> None:
    assert plain_lines(f"one{mark}{FORGED}") == f"one\n{FORGED}"


def test_blank_lines_inside_a_detail_stay_and_those_around_it_go() -> None:
    assert plain_lines("\n \n  one\n\n   \ntwo \n\n") == "  one\n\n\ntwo "


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("some words", "issue.line"),
        (" - 2026-11-30T08:00:00Z opened by user:ana: x (evt_x)", "issue.line"),
        (FORGED.replace("2026-11-30", "2026-13-30"), "issue.line"),
        (FORGED.replace("resolved", "decided"), "issue.line"),
        (FORGED.replace(RUN, "whoever"), "issue.line"),
        (FORGED.replace("evt_", "mem_"), "issue.line"),
        (FORGED.replace(": Forged", ":  "), "issue.line"),
        (f"{FORGED} and more", "issue.line"),
    ],
)
def test_a_line_that_is_no_event_is_named_and_hides_no_other(line: str, code: str) -> None:
    log = parse_log(f"{line}\n{encode_events((event(1), event(2)))}")

    assert [(fault.line, fault.code) for fault in log.faults] == [(1, code)]
    assert len(log.events) == 2


def test_an_id_that_came_before_is_named_and_its_detail_belongs_to_nobody() -> None:
    text = encode_events((event(1, detail="mine"),))

    log = parse_log(text + text.replace("mine", "yours"))

    assert [item.detail for item in log.events] == ["mine"]
    assert [fault.code for fault in log.faults] == ["issue.repeated-event", "issue.line"]


def test_an_event_that_would_not_read_back_is_refused() -> None:
    for wrong in (event(1, title=" x"), event(1, by="nobody"), event(1, detail="\nx")):
        with pytest.raises(ValueError, match="read back"):
            encode_events((wrong,))


def test_an_edit_gets_what_was_appended_meanwhile_and_loses_nothing_of_its_own() -> None:
    base = encode_events((event(1),))
    edited = appended_body(base, (event(5, by="user:ana"),))
    now = appended_body(base, (event(2), event(3)))

    merged = with_events_since(edited, base, now)

    assert merged.startswith(edited)
    assert parse_log(merged).ids == {event(number).id for number in (1, 2, 3, 5)}
    assert with_events_since(merged, base, now) == merged


def test_what_an_edit_took_out_does_not_come_back_by_itself() -> None:
    base = encode_events((event(1), event(2)))

    assert with_events_since(encode_events((event(1),)), base, base) == encode_events((event(1),))
