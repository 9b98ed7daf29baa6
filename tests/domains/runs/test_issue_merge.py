"""Two versions of an issue become one: no event lost, none twice, the same bytes both ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.app.registry import REGISTRY
from memfs.domains.runs.issue_merge import IssueMergeError, merge_issues
from memfs.formats.issue_log import encode_events, parse_log
from memfs.formats.record_codec import encode_record, read_record
from memfs.model.authority import Authority, Sensitivity
from memfs.model.issue import EventKind, IssueEvent
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.status import Status
from memfs.policy.authority import capture_origin
from tests.support.issues import MORNING, event, events

PATH = "issues/de/the-upload-stalls-z1c0de.md"
ISSUE = Record(
    id="iss_01kb8x3v6yq4m9t2r7w5z1c0de",
    kind="issue",
    title="The upload stalls",
    subject="the upload stalls",
    scope=Scope.parse("project:datasync"),
    observed=MORNING,
    authority=Authority.NONE,
    taint=("agent",),
    origin=capture_origin(Actor(Principal.parse("agent:builder"), Channel.AGENT), "x"),
    fields={"key": "the upload stalls"},
)
OPENED = event(0, EventKind.OPENED)


def file_of(some: Sequence[IssueEvent], record: Record = ISSUE) -> bytes:
    return encode_record(replace(record, body=encode_events(some)), REGISTRY)


def merged(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Merges both ways and makes sure that it makes no difference."""
    one = merge_issues(base, ours, theirs, path=PATH, registry=REGISTRY)
    other = merge_issues(base, theirs, ours, path=PATH, registry=REGISTRY)
    assert one == other
    return one


def events_in(content: bytes) -> tuple[IssueEvent, ...]:
    log = parse_log(read_record(content, path=PATH, registry=REGISTRY).body)
    assert log.faults == ()
    return log.events


NUMBERED = st.lists(events(st.integers(1, 40)), max_size=4, unique_by=lambda item: item.id)


@given(NUMBERED, NUMBERED, NUMBERED)
def test_every_event_of_both_is_there_once_and_in_order(
    common: list[IssueEvent], left: list[IssueEvent], right: list[IssueEvent]
) -> None:
    shared = {item.id: item for item in sorted(common, key=lambda item: item.order)}
    mine = shared | {item.id: item for item in left if item.id not in shared}
    other = shared | {
        item.id: item for item in right if item.id not in shared and item.id not in mine
    }
    base = file_of((OPENED, *shared.values()))

    found = events_in(
        merged(base, file_of((OPENED, *mine.values())), file_of((OPENED, *other.values())))
    )

    assert {item.id: item for item in found} == {OPENED.id: OPENED} | mine | other
    assert list(found) == sorted(found, key=lambda item: item.order)


def test_merging_the_result_again_gives_it_again() -> None:
    base = file_of((OPENED,))
    ours, theirs = file_of((OPENED, event(1))), file_of((OPENED, event(2)))
    once = merged(base, ours, theirs)

    assert merged(base, once, theirs) == once
    assert merged(ours, once, ours) == once
    assert merged(base, once, once) == once


def test_a_criss_cross_of_merges_ends_in_the_same_bytes() -> None:
    base = file_of((OPENED,))
    left, right = file_of((OPENED, event(1))), file_of((OPENED, event(2)))
    in_left = merged(base, left, right)
    in_right = merged(base, right, left)
    further_left = file_of((*events_in(in_left), event(3)))
    further_right = file_of((*events_in(in_right), event(4)))
    virtual = merged(base, left, right)

    final = merged(virtual, further_left, further_right)

    assert [item.id for item in events_in(final)] == [
        event(number).id for number in (0, 1, 2, 3, 4)
    ]


def test_a_base_with_marks_of_a_conflict_counts_as_none() -> None:
    base = b"<<<<<<< ours\n" + file_of((OPENED,))

    found = events_in(merged(base, file_of((OPENED, event(1))), file_of((OPENED, event(2)))))

    assert len(found) == 3


def test_two_clones_that_open_the_same_issue_have_one_file_that_says_both() -> None:
    later = replace(
        ISSUE,
        title="the upload stalls!",
        observed=MORNING.replace(hour=9),
        origin=capture_origin(Actor(Principal.parse("agent:scout"), Channel.AGENT), "y"),
    )
    ours = file_of((event(1, EventKind.OPENED, detail="mine"),))
    theirs = file_of((event(2, EventKind.OPENED, by="agent:scout", detail="yours"),), later)

    result = merged(b"", ours, theirs)

    record = read_record(result, path=PATH, registry=REGISTRY)
    assert (record.title, record.origin, record.version) == (ISSUE.title, ISSUE.origin, 1)
    assert [item.detail for item in events_in(result)] == ["mine", "yours"]


def test_an_event_that_one_side_took_out_is_not_lost() -> None:
    base = file_of((OPENED, event(1)))

    found = events_in(merged(base, file_of((OPENED,)), file_of((OPENED, event(1), event(2)))))

    assert len(found) == 3


def test_an_event_that_one_side_mended_is_as_that_side_has_it() -> None:
    base = file_of((OPENED, event(1, detail="tpyo")))
    ours = file_of((OPENED, event(1, detail="typo")))

    found = events_in(merged(base, ours, file_of((OPENED, event(1, detail="tpyo"), event(2)))))

    assert found[1].detail == "typo"


def test_labels_that_both_sides_restrict_alike_or_alone_are_kept() -> None:
    base = file_of((OPENED,))
    closed = replace(ISSUE, sensitivity=Sensitivity.CONFIDENTIAL)
    taken = replace(ISSUE, taint=("agent", "remote"))

    one = merged(base, file_of((OPENED,), closed), file_of((OPENED, event(1))))
    both = merged(base, file_of((OPENED,), closed), file_of((OPENED, event(1)), closed))
    marks = merged(b"", file_of((OPENED,), taken), file_of((OPENED, event(1))))

    read = [read_record(item, path=PATH, registry=REGISTRY) for item in (one, both, marks)]
    assert [item.sensitivity for item in read[:2]] == [Sensitivity.CONFIDENTIAL] * 2
    assert read[2].taint == ("agent", "remote")


def test_of_two_states_of_a_tracker_the_later_one_stands() -> None:
    old = replace(ISSUE, fields={**ISSUE.fields, "tracker": {"updated_at": "2026-11-01"}})
    new = replace(ISSUE, fields={**ISSUE.fields, "tracker": {"updated_at": "2026-11-02"}})

    result = merged(b"", file_of((OPENED,), old), file_of((OPENED, event(1)), new))

    record = read_record(result, path=PATH, registry=REGISTRY)
    assert record.fields["tracker"] == {"updated_at": "2026-11-02"}


def test_windows_line_ends_stay_where_the_first_opener_has_them() -> None:
    head, _, body = file_of((OPENED,)).rpartition(b"---\n")
    ours = head + b"---\n" + body.replace(b"\n", b"\r\n")

    result = merged(ours, ours, file_of((OPENED, event(1))))

    assert len(events_in(result)) == 2


@pytest.mark.parametrize(
    ("ours", "theirs", "word"),
    [
        (file_of((OPENED,), replace(ISSUE, status=Status.RETRACTED)), file_of((OPENED,)), "status"),
        (
            file_of((OPENED,), replace(ISSUE, sensitivity=Sensitivity.CONFIDENTIAL)),
            file_of((OPENED,)),
            "sensitivity",
        ),
        (file_of((event(1),)), file_of((replace(event(1), title="Other"),)), "differ"),
        (file_of((OPENED,)) + b"stray\n", file_of((OPENED, event(1))), "event"),
        (b"no record at all", file_of((OPENED,)), "expected"),
        (
            file_of((OPENED,), replace(ISSUE, id="iss_01kb8x3v6yq4m9t2r7w5z1c0df")),
            file_of((OPENED,)),
            "id",
        ),
    ],
)
def test_what_only_a_person_can_decide_is_a_conflict(ours: bytes, theirs: bytes, word: str) -> None:
    for pair in ((ours, theirs), (theirs, ours)):
        with pytest.raises(IssueMergeError, match=word):
            merge_issues(b"", *pair, path=PATH, registry=REGISTRY)


def test_a_log_that_grows_beyond_a_file_is_a_conflict() -> None:
    long = "word " * 7000

    with pytest.raises(IssueMergeError, match="fits"):
        merge_issues(
            file_of((OPENED,)),
            file_of((OPENED, event(1, detail=long.strip()))),
            file_of((OPENED, event(2, detail=long.strip()))),
            path=PATH,
            registry=REGISTRY,
        )
