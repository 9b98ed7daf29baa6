"""A log that grows takes nothing back, and its marks are nobody's words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memfs.formats.issue_log import encode_events
from memfs.model.authority import Sensitivity
from memfs.model.candidate import Submission
from memfs.model.issue import EventKind
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.policy.authority import capture_origin
from memfs.policy.content import text_of
from memfs.policy.eligibility import check_eligibility
from memfs.policy.log_text import prose_of
from memfs.policy.logs import is_continued
from memfs.policy.withdrawal import takes_back
from tests.support.issues import event

OPENED = event(1, EventKind.OPENED, detail="first\n\nsecond")
ISSUE = Record(
    kind="issue",
    id="iss_01kb8x3v6yq4m9t2r7w5z1c0de",
    title="The upload stalls",
    subject="the upload stalls",
    body=encode_events((OPENED,)),
    fields={"key": "the upload stalls"},
)
LONGER = replace(ISSUE, body=encode_events((OPENED, event(2, detail="third"))))


@pytest.mark.parametrize(
    "new",
    [
        ISSUE,
        LONGER,
        replace(ISSUE, body=encode_events((event(0, EventKind.OPENED), OPENED))),
        replace(LONGER, body=LONGER.body.replace("\n", "\r\n")),
        replace(LONGER, title="the upload stalls"),
    ],
)
def test_more_of_a_log_takes_nothing_back(new: Record) -> None:
    assert is_continued(ISSUE, new)
    assert not takes_back(ISSUE, new)


@pytest.mark.parametrize(
    "new",
    [
        replace(ISSUE, title="Another title"),
        replace(ISSUE, body=encode_events((replace(OPENED, detail="first"),))),
        replace(
            LONGER, body=encode_events((event(2, detail="third"), OPENED)).replace("first", "x")
        ),
        replace(LONGER, subject="another key"),
        replace(LONGER, tags=("new",)),
        replace(LONGER, fields={"key": "another key"}),
        replace(LONGER, status=Status.RETRACTED),
        replace(LONGER, sensitivity=Sensitivity.CONFIDENTIAL),
        replace(LONGER, taint=("remote",)),
        None,
    ],
)
def test_anything_else_is_what_it_is_for_every_record(new: Record | None) -> None:
    assert takes_back(ISSUE, new)


def test_no_other_kind_is_a_log() -> None:
    note = replace(ISSUE, kind="note")
    assert not is_continued(note, replace(LONGER, kind="note"))
    assert takes_back(note, replace(LONGER, kind="note"))
    assert prose_of(note) == note.body


def test_words_of_a_log_are_judged_without_its_instants_and_ids() -> None:
    said = replace(
        ISSUE, title="Report page 4", body=encode_events((replace(OPENED, title="Report page 4"),))
    )
    origin = capture_origin(Actor(Principal.parse("agent:builder"), Channel.AGENT), "x")

    text = text_of(Submission(draft=said, origin=origin))

    assert "evt_" not in text
    assert "2026" not in text
    assert "first\n\n  second" in text
    assert OPENED.by in text
    assert check_eligibility(said, text, is_person=False) == ()


def test_what_only_looks_like_a_mark_is_judged_as_it_stands() -> None:
    forged = "- 2026-11-30T08:00:00Z opened by anybody: x (evt_01kb8x3v6yq4m9t2r7w5z1c0d)"
    assert prose_of(replace(ISSUE, body=forged)) == forged
    told = replace(ISSUE, body=encode_events((replace(OPENED, detail=f"{forged}e)"),)))
    assert forged in prose_of(told)
