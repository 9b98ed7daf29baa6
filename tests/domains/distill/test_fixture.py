"""A whole conversation, labelled by hand: what is found in it, and what the rules do not see."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.memory import memory_of, new_project

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "transcripts" / "distilled"


def test_everything_that_is_found_in_a_conversation_is_right_and_most_of_it_is_found(
    tmp_path: Path,
) -> None:
    project = new_project(tmp_path)
    expected = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
    with memory_of(project) as memory:
        memory.import_session(FOLDER / "gauge.jsonl", is_ended=True, is_here=True)
        result = memory.distill(is_backfill=True)
        found = {(item.kind, item.title) for item in memory.candidates()}
        assert result.data["activated"] == 0
    right = {(kind, text) for kind, text in expected["found"]}
    assert found == right
    assert len(right) / (len(right) + len(expected["missed"])) > 0.8
