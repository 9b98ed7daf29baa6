"""Edits of ``core.md`` by hand: proposals for the records behind the lines, and nothing lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.model.candidate import Candidate, CandidateAction
from memfs.reconcile.core_edits import ID_DROPPED, NOT_GENERATED
from memfs.reconcile.reconciler import Pass, run_pass
from memfs.services.inbox import read_inbox
from tests.support.memory import memory_of, new_project, store_root, workspace_of

LONG = "The nightly export writes its files below var/export " + "and then some more words " * 5


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember("Ships on Mondays", kind="fact", subject="shipping")
        memory.remember(LONG.strip(), kind="fact", subject="export")
        memory.record_event("Moved the gateway to Go", kind="work")
        memory.sleep()
    return project


def core(project: Path) -> Path:
    return store_root(project) / "core.md"


def edited(project: Path, old: str, new: str) -> None:
    text = core(project).read_text(encoding="utf-8")
    assert old in text
    core(project).write_text(text.replace(old, new), encoding="utf-8")


def line_with(project: Path, words: str) -> str:
    lines = core(project).read_text(encoding="utf-8").splitlines()
    (line,) = (line for line in lines if words in line)
    return line


def one_pass(project: Path) -> tuple[Pass, tuple[Candidate, ...]]:
    with workspace_of(project) as workspace:
        return run_pass(workspace), read_inbox(workspace).waiting


def test_a_reworded_line_is_a_proposal_and_what_was_cut_off_stays(project: Path) -> None:
    before = core(project).read_text(encoding="utf-8")
    edited(project, "[Ships on Mondays]", "[Ships on Tuesdays]")
    edited(project, "[The nightly export", "[The weekly export")

    _, waiting = one_pass(project)

    assert {item.action for item in waiting} == {CandidateAction.REVISE}
    shipping, export = sorted(waiting, key=lambda item: "Ships" not in item.title)
    assert b"Ships on Tuesdays" in shipping.content
    assert LONG.strip().replace("nightly", "weekly").encode() in export.content
    assert core(project).read_text(encoding="utf-8") == before, "it is served until decided"
    with memory_of(project) as memory:
        memory.accept([shipping.id])
    assert "Ships on Tuesdays" in core(project).read_text(encoding="utf-8")


def test_a_line_that_is_gone_asks_to_forget_and_a_new_one_is_a_note(project: Path) -> None:
    gone = line_with(project, "Ships on Mondays")
    edited(project, gone, "- Backups are kept for a month")

    _, waiting = one_pass(project)

    found = {item.action: item for item in waiting}
    assert set(found) == {CandidateAction.ADD, CandidateAction.FORGET}
    assert (found[CandidateAction.ADD].kind, found[CandidateAction.ADD].title) == (
        "note",
        "Backups are kept for a month",
    )
    with memory_of(project) as memory:
        assert "Ships on Mondays" in [it.record.title for it in memory.list_records()]


@pytest.mark.parametrize("words", ["Ships on Mondays", "Ships on Monday nights"])
def test_a_line_may_not_lose_its_source(project: Path, words: str) -> None:
    line = line_with(project, "Ships on Mondays")
    edited(project, line, f"- {words}")
    number = core(project).read_text(encoding="utf-8").splitlines().index(f"- {words}") + 1

    found, waiting = one_pass(project)

    assert waiting == ()
    assert [(item.code, item.line) for item in found.problems] == [(ID_DROPPED, number)]
    assert line_with(project, "Ships on Mondays") == line


def test_what_happened_is_not_rewritten_a_changed_line_of_it_is_a_note(project: Path) -> None:
    edited(project, "Moved the gateway to Go]", "Moved the gateway to Rust]")

    _, waiting = one_pass(project)

    (note,) = waiting
    assert (note.action, note.kind) == (CandidateAction.ADD, "note")
    assert note.title.endswith("Moved the gateway to Rust")


def test_a_text_that_is_none_of_memfs_is_told_of_and_left_alone(project: Path) -> None:
    core(project).write_text("My own notes\n\nbuy milk\n", encoding="utf-8")

    found, waiting = one_pass(project)
    with memory_of(project) as memory:
        assert memory.sleep().data["core"] is False

    assert waiting == ()
    assert [item.code for item in found.problems] == [NOT_GENERATED]
    assert core(project).read_text(encoding="utf-8") == "My own notes\n\nbuy milk\n"


def test_an_edit_is_never_written_over_by_a_sleep(project: Path) -> None:
    with memory_of(project) as memory:
        edited(project, "[Ships on Mondays]", "[Ships on Tuesdays]")
        memory.sleep()
        (waiting,) = memory.candidates()
    assert b"Ships on Tuesdays" in waiting.content
    assert line_with(project, "Ships on Mondays")


@pytest.mark.parametrize("is_cached", [True, False])
def test_a_change_of_headings_and_remarks_proposes_nothing(project: Path, is_cached: bool) -> None:
    text = core(project).read_text(encoding="utf-8")
    changed = text.replace("## What holds", "A remark.\n\n## Holds").replace("\n", "\r\n")
    core(project).write_bytes(changed.encode())
    if not is_cached:
        with workspace_of(project) as workspace:
            (workspace.cache_dir / "core.json").unlink()

    found, waiting = one_pass(project)

    assert (waiting, found.problems) == ((), ())
    assert core(project).read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("words", "title", "body"),
    [
        ("Ships on\x00 Mondays\x1b and\ufeff Fridays", "Ships on Mondays and Fridays", ""),
        ("Ships " + "on Mondays " * 30, "", "Ships " + "on Mondays " * 30),
    ],
)
def test_words_that_no_title_can_hold_stop_nobody(
    project: Path, words: str, title: str, body: str
) -> None:
    edited(project, "[Ships on Mondays]", f"[{words}]")

    _, (waiting,) = one_pass(project)

    assert waiting.action is CandidateAction.REVISE
    assert waiting.title == title or (len(waiting.title) <= 200 and not title)
    assert body.strip().encode() in waiting.content
