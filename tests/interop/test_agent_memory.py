"""A coding agent's memory folder becomes claims, and claims become topics again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memfs.domains.claims.kinds import CLAIM_KINDS
from memfs.interop.agent_memory import (
    KIND_BY_TYPE,
    TYPE_BY_KIND,
    AgentMemory,
    topic_from_record,
)
from memfs.interop.port import ImportItem
from memfs.model.record import Record
from tests.support.imports import FIXTURES, codes_of, drafts_of, foreign, items_of, real_source


def read_one(folder: Path, name: str) -> Record:
    found = [item for item in items_of(folder) if item.source.endswith(name)]
    assert len(found) == 1
    assert found[0].draft is not None
    return found[0].draft


def test_each_type_becomes_the_kind_that_it_means() -> None:
    kinds = {draft.title: draft.kind for draft in drafts_of(items_of(FIXTURES / "agent-memory"))}
    assert kinds["Ana and this project"] == "profile"
    assert kinds["FastAPI, never Flask"] == "preference"
    assert kinds["Tenant ids are text"] == "fact"
    assert kinds["Where sync health and queue depth are shown"] == "reference"


def test_a_type_that_stands_under_metadata_is_read_too() -> None:
    record = read_one(FIXTURES / "agent-memory", "project_batch_size.md")
    assert record.kind == "fact"
    assert record.title == "Batches are 500 rows: larger ones hold locks on orders for too long"
    assert record.subject == "project-batch-size"
    assert record.event_time == datetime(2026, 1, 19, 15, 2, tzinfo=UTC)
    assert foreign(record, "name") == "project-batch-size"
    assert foreign(record, "metadata") == {"node_type": "memory"}


def test_a_line_of_the_index_stays_with_its_topic() -> None:
    record = read_one(FIXTURES / "agent-memory", "project_replica_lag.md")
    assert foreign(record, "index") == "30 seconds, the sync pauses above that"
    assert foreign(record, "section") == "datasync memory › Project"


def test_text_of_the_index_that_names_no_topic_is_a_note_of_its_own() -> None:
    record = read_one(FIXTURES / "agent-memory", "MEMORY.md#21")
    assert record.kind == "note"
    assert record.title == "datasync memory › Commands"
    assert record.body.startswith("- `make db` starts Postgres")
    assert record.body.endswith("make db && make sync-dry\n```\n")


def test_a_link_to_a_topic_that_is_not_there_is_a_warning_with_its_line() -> None:
    problems = [p for item in items_of(FIXTURES / "agent-memory") for p in item.problems]
    assert [(p.code, p.line, p.severity.value) for p in problems] == [
        ("import.dangling-link", 18, "warning")
    ]


def test_a_topic_without_frontmatter_is_a_note(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- [Loose](loose.md)\n")
    (tmp_path / "loose.md").write_text("Only words.\n")
    assert drafts_of(items_of(tmp_path))[0].kind == "note"


def test_one_topic_file_can_be_imported_alone() -> None:
    items = items_of(FIXTURES / "agent-memory" / "feedback_web_framework.md")
    assert [(item.source, item.draft.kind) for item in items if item.draft] == [
        ("import:agent-memory/feedback_web_framework.md", "preference")
    ]


def test_topics_in_subfolders_are_found_by_the_index(tmp_path: Path) -> None:
    (tmp_path / "team").mkdir()
    (tmp_path / "MEMORY.md").write_text("## Team\n- [Review](team/review.md) — on Mondays\n")
    (tmp_path / "team" / "review.md").write_text("---\nname: Review\ntype: feedback\n---\nYes.\n")
    items = items_of(tmp_path)
    assert [item.source for item in items] == ["import:agent-memory/team/review.md"]
    assert foreign(drafts_of(items)[0], "section") == "Team"


def test_the_four_types_map_both_ways() -> None:
    assert {TYPE_BY_KIND[kind]: kind for kind in KIND_BY_TYPE.values()} == KIND_BY_TYPE
    assert set(TYPE_BY_KIND) == {kind.name for kind in CLAIM_KINDS}


@pytest.mark.parametrize("kind", sorted(TYPE_BY_KIND))
def test_every_kind_survives_export_and_import(kind: str, tmp_path: Path) -> None:
    record = Record(
        kind=kind,
        title="Batches of 500 rows: more holds locks",
        body="Measured in January.\n\n**Why:** checkout timed out.\n",
        subject="batch-size",
        summary='A summary with "quotes" and a colon: here',
        tags=("batch", "locks"),
        event_time=datetime(2026, 1, 19, tzinfo=UTC),
    )
    topic = topic_from_record(record)
    (tmp_path / topic.name).write_bytes(topic.content)
    (tmp_path / "MEMORY.md").write_text(topic.index_line + "\n")
    back = drafts_of(items_of(tmp_path))[0]
    assert replace(back, unknown=record.unknown) == record


@pytest.mark.parametrize(
    "name", ["user_role.md", "project_batch_size.md", "feedback_web_framework.md"]
)
def test_a_foreign_topic_survives_import_export_and_import(name: str, tmp_path: Path) -> None:
    first = read_one(FIXTURES / "agent-memory", name)
    topic = topic_from_record(first)
    assert topic.name.startswith(f"{foreign(first, 'type')}_")
    (tmp_path / topic.name).write_bytes(topic.content)
    again = drafts_of(items_of(tmp_path / topic.name))[0]
    assert replace(again, unknown=first.unknown) == first
    assert foreign(again, "type") == foreign(first, "type")
    assert foreign(again, "name") == foreign(first, "name")


def test_a_real_memory_folder_is_read_without_a_loss() -> None:
    folder = real_source("claude-memory")
    items = items_of(folder)
    topics = {path.name for path in folder.glob("*.md")} - {"MEMORY.md"}
    named = {item.source.removeprefix("import:agent-memory/") for item in items if item.draft}
    assert topics <= named
    assert codes_of(items) == []
    kinds = [item.draft.kind for item in items if item.draft and "#" not in item.source]
    assert (kinds.count("fact"), kinds.count("preference")) == (16, 2)
    assert all(_stands_in_file(folder, item) for item in items)


def _stands_in_file(folder: Path, item: ImportItem) -> bool:
    assert item.draft is not None
    name = item.source.removeprefix("import:agent-memory/").partition("#")[0]
    text = (folder / name).read_text(encoding="utf-8")
    return all(line in text for line in item.draft.body.splitlines())


def test_a_folder_that_may_not_be_looked_into_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refused)
    assert AgentMemory().detect(tmp_path) == 0.0
