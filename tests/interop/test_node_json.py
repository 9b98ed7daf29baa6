"""A flat array of nodes becomes one claim a node."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memfs.interop.wording import foreign_importance
from tests.support.imports import FIXTURES, drafts_of, foreign, items_of

NODES = FIXTURES / "node-json" / "nodes.json"


def test_a_node_keeps_its_weight_tags_time_and_links() -> None:
    first = drafts_of(items_of(NODES))[0]
    assert first.kind == "note"
    assert first.importance == 9
    assert first.tags == ("rule", "warehouse")
    assert first.event_time == datetime(2025, 12, 2, 14, 5, tzinfo=UTC)
    assert foreign(first, "id") == "n-001"
    assert foreign(first, "relations") == ["n-004"]


def test_a_time_in_seconds_is_understood() -> None:
    second = drafts_of(items_of(NODES))[1]
    assert second.event_time == datetime(2025, 12, 3, 14, 40, tzinfo=UTC)


def test_a_time_without_a_zone_is_kept_and_not_guessed() -> None:
    last = drafts_of(items_of(NODES))[-1]
    assert last.event_time is None
    assert foreign(last, "timestamp") == "2026-01-30T10:00:00"


def test_a_summary_is_the_title_where_there_is_none() -> None:
    fifth = drafts_of(items_of(NODES))[4]
    assert (fifth.title, fifth.summary) == ("Time zone of the source",) * 2
    assert fifth.tags == ("time", "import")


@pytest.mark.parametrize(
    ("said", "weight"),
    [(1, 1), (10, 10), (0, 1), (99, 10), (0.7, 7), (0.01, 1), (7.4, 7), (None, 5), (True, 5)],
)
def test_importance_is_clamped_to_ten_steps(said: float | None, weight: int) -> None:
    assert foreign_importance(said) == weight


def test_a_file_that_ends_in_the_middle_gives_what_came_before() -> None:
    path = FIXTURES / "hostile" / "streams" / "nodes.json"
    items = items_of(path, "node-json")
    assert [(p.line, p.code) for item in items for p in item.problems] == [
        (3, "import.malformed"),
        (4, "import.missing-field"),
        (6, "import.truncated"),
    ]
    assert [draft.body for draft in drafts_of(items)] == [
        "This node can be read.\n",
        "Weight out of range, time without a zone.\n",
    ]
    assert items[-1].raw.endswith(b"The file ends in the middle of th")


def test_something_that_is_no_array_is_one_problem(tmp_path: Path) -> None:
    path = tmp_path / "nodes.json"
    path.write_text('{"content": "alone", "importance": 5}')
    codes = [p.code for item in items_of(path, "node-json") for p in item.problems]
    assert codes == ["import.not-an-array"]
