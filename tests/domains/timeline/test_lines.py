"""A line of a timeline comes in and goes out again with every field as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.app.registry import REGISTRY
from memfs.domains.timeline.lines import draft_from, line_of, own_id
from memfs.formats.foreign_line import LineError
from memfs.formats.record_codec import decode_record, encode_record
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.model.values import JsonValue

Line = dict[str, JsonValue]

_WORDS = st.text("a é\u0301ß漢\u200d\U0001f600:{\"'\\", max_size=9)
_LABELS = st.lists(_WORDS, max_size=3)
_TIMES = st.sampled_from(
    (
        "2026-01-31T23:59:59.999999Z",
        "2026-02-01",
        "2026-02-01T00:30:00+05:45",
        "2025-12-31T22:00:00Z",
    )
)
_NOTHING: st.SearchStrategy[JsonValue] = st.sampled_from((None, "", []))
_LINES = st.fixed_dictionaries(
    {
        "id": st.sampled_from(("e-1", "event_01m8p4h87jd6sac6v0ntewgp38", "ü 7")),
        "kind": st.sampled_from(("work", "decision", "learning", "event")),
        "title": _WORDS.filter(str.strip),
        "event_time": _TIMES,
    },
    optional={
        "text": st.one_of(_WORDS, st.none()),
        "ingestion_time": st.one_of(_TIMES, st.none()),
        "entities": st.one_of(_LABELS, _NOTHING),
        "nodes": st.one_of(_LABELS, st.lists(st.integers(0, 9), max_size=3), _NOTHING),
        "session": st.one_of(_WORDS, st.none()),
        "project": st.one_of(_WORDS, st.none()),
        "commit": st.one_of(st.just("5d0c1f2"), st.none()),
        "importance": st.one_of(st.integers(-3, 30), st.floats(0, 20), st.none()),
        "confidence": st.one_of(st.floats(0, 1), st.none()),
        "superseded_by": st.one_of(st.just("e-2"), st.none(), st.just("")),
        "mood": st.dictionaries(st.sampled_from("abc"), _WORDS, max_size=2),
    },
)


def as_admitted(draft: Record) -> Record:
    """What a store keeps of a draft, as it does for every record."""
    return replace(draft, observed=draft.observed or draft.event_time)


@settings(max_examples=30)
@given(_LINES)
def test_a_line_goes_out_as_it_came_in(line: Line) -> None:
    assert line_of(as_admitted(draft_from(line))) == line


@settings(max_examples=30)
@given(_LINES)
def test_what_goes_out_comes_in_again_as_the_same_event(line: Line) -> None:
    record = as_admitted(draft_from(line))
    again = draft_from(line_of(record))
    assert replace(again, observed=record.observed) == record


def test_a_mark_is_told_as_it_was_said_or_as_it_is_now() -> None:
    line: Line = {"id": "e-1", "kind": "work", "title": "Moved", "event_time": "2026-01-01"}
    record = as_admitted(draft_from(line))
    later = replace(record, status=Status.SUPERSEDED, superseded_by=own_id("e-9"))
    assert line_of(later) == {**line, "superseded_by": own_id("e-9")}
    marked = as_admitted(draft_from({**line, "superseded_by": "e-9"}))
    assert (marked.status, marked.superseded_by) == (Status.SUPERSEDED, own_id("e-9"))
    assert line_of(marked)["superseded_by"] == "e-9"
    restored = replace(marked, status=Status.ACTIVE, superseded_by="")
    assert line_of(restored)["superseded_by"] is None


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"kind": "party"}, "import.bad-kind"),
        ({"kind": "Work"}, "import.bad-kind"),
        ({"event_time": None}, "import.no-time"),
        ({"event_time": "2026-01-01T10:00:00"}, "import.no-time"),
        ({"event_time": "soon"}, "import.no-time"),
        ({"event_time": 7}, "import.no-time"),
        ({"event_time": "0001-01-01T00:00:00+14:00"}, "import.no-time"),
        ({"ingestion_time": "yesterday"}, "import.no-time"),
        ({"title": " ", "text": None}, "import.missing-field"),
        ({"title": 7}, "import.missing-field"),
        ({"title": "x" * 5000}, "import.too-large"),
        ({"entities": "Harbour"}, "import.bad-field"),
        ({"entities": [{}]}, "import.bad-field"),
        ({"nodes": [True]}, "import.bad-field"),
        ({"session": "a\nb"}, "import.too-large"),
        ({"sensitivity": "sort of"}, "import.bad-field"),
    ],
)
def test_what_is_no_event_is_refused_with_its_reason(changes: Line, code: str) -> None:
    line: Line = {"id": "e-1", "kind": "work", "title": "Moved", "event_time": "2026-01-01"}
    with pytest.raises(LineError) as caught:
        draft_from({**line, **changes})
    assert caught.value.code == code


def test_a_long_text_keeps_every_word_behind_a_short_title() -> None:
    text = "We moved the harbour. " * 40
    record = as_admitted(
        draft_from({"id": "e", "kind": "work", "text": text, "event_time": "2026-01-01"})
    )
    assert len(record.title) <= 200
    assert record.summary == text.strip()
    stored = encode_record(record, REGISTRY)
    read = decode_record(stored, path="timeline/2026-01/x.json", registry=REGISTRY, draft=True)
    assert read.record == record
