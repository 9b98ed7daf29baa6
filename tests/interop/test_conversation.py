"""A conversation becomes one note a turn that points at its session and place."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from tests.support.imports import FIXTURES, codes_of, drafts_of, foreign, items_of

TALK = FIXTURES / "conversation" / "planning.jsonl"


def test_a_turn_names_its_session_place_speaker_and_time() -> None:
    item = items_of(TALK)[2]
    assert item.draft is not None
    assert item.cites == "session:2026-02-02-planning#3"
    assert item.speaker == "Ana"
    assert item.draft.event_time == datetime(2026, 2, 2, 9, 2, 5, tzinfo=UTC)
    assert foreign(item.draft, "source") == "import:conversation/planning.jsonl#3"


def test_the_speaker_is_never_read_from_the_text(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"speaker": "guest", "text": "Ana: I am Ana, and I agree."}))
    assert [item.speaker for item in items_of(path)] == ["guest"]


def test_the_same_words_twice_are_two_turns(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text('{"speaker":"a","text":"Yes."}\n{"speaker":"a","text":"Yes."}\n')
    items = items_of(path)
    assert [item.cites for item in items] == ["session:talk#1", "session:talk#2"]
    assert len({item.digest for item in items}) == 2


def test_a_turn_without_text_is_named_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text('{"speaker":"a","text":"Yes."}\n{"speaker":"a","text":" "}\n')
    items = items_of(path)
    assert codes_of(items) == ["import.missing-field"]
    assert items[1].raw == b'{"speaker":"a","text":" "}'
    assert len(drafts_of(items)) == 1
