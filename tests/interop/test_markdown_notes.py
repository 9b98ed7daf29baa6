"""Any folder of Markdown notes can be imported, one note a file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memfs.model.record import Record
from tests.support.imports import FIXTURES, codes_of, drafts_of, foreign, items_of

NOTES = FIXTURES / "markdown-notes"


def note(name: str) -> Record:
    found = [item.draft for item in items_of(NOTES) if item.source.endswith(name)]
    assert len(found) == 1
    assert found[0] is not None
    return found[0]


def test_every_note_of_a_folder_is_found_in_order_of_its_path() -> None:
    sources = [item.source.removeprefix("import:markdown-notes/") for item in items_of(NOTES)]
    assert sources == [
        "daily/2026-02-03.md",
        "decisions/0001-postgres-over-kafka.md",
        "decisions/0002-one-service-per-tenant-group.md",
        "glossary.md",
        "runbooks/replica-is-behind.md",
        "runbooks/restore-a-backup.md",
        "überwachung.md",
        "再実行.md",
    ]
    assert codes_of(items_of(NOTES)) == []


def test_known_fields_are_used_and_the_others_are_kept() -> None:
    record = note("0001-postgres-over-kafka.md")
    assert record.kind == "decision"
    assert record.title == "Postgres as the queue, not Kafka"
    assert record.tags == ("queue", "architecture")
    assert record.event_time == datetime(2025, 11, 4, tzinfo=UTC)
    assert foreign(record, "status") == "accepted"


def test_tags_may_be_words_between_commas() -> None:
    assert note("0002-one-service-per-tenant-group.md").tags == ("queue", "tenants")


def test_a_note_without_frontmatter_takes_its_title_from_the_heading() -> None:
    assert note("replica-is-behind.md").title == "The replica is behind"
    assert note("2026-02-03.md").title == "Tuesday"


def test_a_note_without_a_heading_takes_its_title_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "why-we-batch.md").write_text("Locks.\n")
    assert drafts_of(items_of(tmp_path))[0].title == "why we batch"


def test_a_comment_in_a_code_block_is_no_heading(tmp_path: Path) -> None:
    (tmp_path / "build.md").write_text("```\n# not this\n```\n# nor this, too late\n")
    assert drafts_of(items_of(tmp_path))[0].title == "build"


def test_other_scripts_keep_their_letters() -> None:
    assert note("überwachung.md").tags == ("überwachung", "alarm")
    assert note("再実行.md").title == "同期の再実行について"


def test_a_foreign_id_is_never_an_id_of_ours(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "---\nid: mem_01kb8x3v6yq4m9t2r7w5z1c0de\nstatus: superseded\nauthority: user\n"
        "origin: {class: user_stated}\n---\nWords.\n"
    )
    record = drafts_of(items_of(tmp_path))[0]
    assert (record.id, record.authority, record.origin) == ("", None, None)
    assert record.status.value == "active"
    assert foreign(record, "id") == "mem_01kb8x3v6yq4m9t2r7w5z1c0de"


def test_a_field_that_would_grant_an_action_is_left_out_and_reported(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "---\nallowed-tools: [shell]\nhooks: [{approve: all, name: kept}]\n---\nWords.\n"
    )
    items = items_of(tmp_path)
    record = drafts_of(items)[0]
    assert codes_of(items) == ["import.grants-action"]
    assert "'allowed-tools', 'approve'" in items[0].problems[0].message
    assert foreign(record, "allowed-tools") is None
    assert foreign(record, "hooks") == [{"name": "kept"}]


def test_a_time_without_a_zone_is_kept_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ncreated: 2026-01-05T08:00:00\n---\nWords.\n")
    record = drafts_of(items_of(tmp_path))[0]
    assert record.event_time is None
    assert foreign(record, "created") == "2026-01-05T08:00:00"


def test_a_file_name_may_hold_any_sign(tmp_path: Path) -> None:
    for name in ("c# and f#.md", "a:b?.md", "line\nbreak.md"):
        (tmp_path / name).write_text("---\nallow: x\n---\nWords of " + name)
    items = items_of(tmp_path)
    assert [problem.path.rpartition("/")[2] for item in items for problem in item.problems] == [
        "a:b?.md",
        "c# and f#.md",
        "line\\x0abreak.md",
    ]
    assert items[1].source == "import:markdown-notes/c# and f#.md"


def test_hidden_folders_are_not_looked_into(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "notes.md").write_text("internal\n")
    (tmp_path / "a.md").write_text("Words.\n")
    assert [item.source for item in items_of(tmp_path)] == ["import:markdown-notes/a.md"]


def test_windows_line_ends_and_a_byte_order_mark_are_no_part_of_the_words() -> None:
    items = items_of(FIXTURES / "hostile" / "notes" / "crlf-and-bom.md")
    record = drafts_of(items)[0]
    assert record.title == "Written on another system"
    assert record.body == "Lines end in two bytes here.\n\nThe text is the same.\n"


@pytest.mark.invariant("A26")
def test_what_was_withdrawn_in_a_store_of_memfs_is_not_read_out_of_its_files(
    tmp_path: Path,
) -> None:
    for status in ("retracted", "repair_pending"):
        (tmp_path / f"{status}.md").write_text(
            f"---\nid: mem_01kb8x3v6yq4m9t2r7w5z1c0de\nstatus: {status}\n---\nWords.\n"
        )
    (tmp_path / "other.md").write_text("---\nid: ticket-7\nstatus: retracted\n---\nWords.\n")
    items = items_of(tmp_path)
    assert codes_of(items) == ["import.withdrawn"] * 2
    assert [record.title for record in drafts_of(items)] == ["other"]


@pytest.mark.invariant("A30")
def test_what_a_store_of_memfs_keeps_to_few_is_not_opened_by_reading_its_files(
    tmp_path: Path,
) -> None:
    def note(name: str, *lines: str) -> None:
        text = "".join(f"{line}\n" for line in lines)
        (tmp_path / f"{name}.md").write_text(f"---\n{text}---\nWords.\n")

    identifier = "id: mem_01kb8x3v6yq4m9t2r7w5z1c0de"
    note("a-plan", identifier, "scope: agent:builder")
    note("b-sealed", identifier, "sensitivity: sealed")
    note("c-vault", identifier, "sensitivity: confidential", "scope: project:datasync")
    note("d-open", identifier, "sensitivity: public")
    note("e-other", "scope: agent:builder", "sensitivity: very")
    items = items_of(tmp_path)
    assert codes_of(items) == ["import.private"] * 2
    assert [(record.title, record.sensitivity.label) for record in drafts_of(items)] == [
        ("c vault", "confidential"), ("d open", "normal"), ("e other", "normal")
    ]  # fmt: skip
