"""What is taken in from the working tree: it only ever makes candidates."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.model.candidate import CandidateAction
from memfs.reconcile.reconciler import run_pass
from tests.support.memory import (
    AGENT,
    git,
    memory_of,
    new_project,
    record_files,
    store_root,
    workspace_of,
)
from tests.support.review import edit, inbox_files, is_clean, places_with, said, waiting

TOKEN = "AKIA" + "IOSFODNN7EXAMPL" + "Q"
FIRST = "FastAPI for every backend"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one accepted preference."""
    made = new_project(tmp_path)
    with memory_of(made) as memory:
        memory.remember(FIRST, kind="preference", subject="web-framework")
    return made


def test_a_file_moved_and_edited_at_once_is_one_revision_where_it_stands(project: Path) -> None:
    file = record_files(project)[0]
    edit(file, "every backend\n", "some backends\n")
    moved = file.with_name("moved.md")
    file.rename(moved)
    (candidate,) = waiting(project)
    assert candidate.action is CandidateAction.REVISE
    assert candidate.path == moved.relative_to(store_root(project)).as_posix()
    assert said(project) == [FIRST]
    with memory_of(project) as memory:
        memory.accept(None)
    assert said(project) == ["FastAPI for some backends"]
    assert record_files(project) == [moved]
    assert waiting(project) == ()
    assert is_clean(project)


def test_a_file_moved_to_another_folder_is_followed(project: Path) -> None:
    file = record_files(project)[0]
    folder = store_root(project) / "records" / "preference" / "kept"
    folder.mkdir()
    file.rename(folder / file.name)
    assert waiting(project) == ()
    assert said(project) == [FIRST]
    assert is_clean(project)


def test_a_secret_in_an_edited_file_is_reported_by_line_and_copied_nowhere(
    project: Path, home: Path
) -> None:
    file = record_files(project)[0]
    edit(file, "every backend\n", f"every backend\nthe key is {TOKEN}\n")
    with workspace_of(project) as workspace:
        found = run_pass(workspace)
    lines = file.read_text().splitlines()
    line = next(number for number, text in enumerate(lines, start=1) if TOKEN in text)
    assert [(item.code, item.line) for item in found.problems] == [("screening.secret", line)]
    assert TOKEN not in str(found)
    assert inbox_files(project) == []
    assert places_with(TOKEN, store_root(project), home) == [str(file)]
    with memory_of(project) as memory:
        assert TOKEN not in str(memory.status())
        assert "screening.secret" in str(memory.status().data["problems"])


def test_a_secret_that_is_taken_out_again_lets_the_edit_wait(project: Path) -> None:
    file = record_files(project)[0]
    edit(file, "every backend\n", f"the key {TOKEN}\n")
    assert waiting(project) == ()
    edit(file, f"the key {TOKEN}\n", "every job\n")
    assert [item.action for item in waiting(project)] == [CandidateAction.REVISE]


def test_an_edited_file_and_an_edited_line_of_the_index_wait_side_by_side(project: Path) -> None:
    with memory_of(project):
        pass
    edit(record_files(project)[0], "every backend\n", "every backend, in the file\n")
    edit(store_root(project) / "MEMORY.md", "FastAPI for every", "FastAPI for each")
    found = waiting(project)
    assert sorted(item.key.split(":")[0] for item in found) == ["index", "path"]
    assert waiting(project) == found


def test_a_new_line_in_the_index_becomes_a_proposal(project: Path) -> None:
    with memory_of(project):
        pass
    index = store_root(project) / "MEMORY.md"
    index.write_text(index.read_text() + "- Releases go out on Fridays\n")
    (candidate,) = waiting(project)
    assert candidate.action is CandidateAction.ADD
    with memory_of(project) as memory:
        memory.accept(None)
    assert said(project) == [FIRST, "Releases go out on Fridays"]
    assert is_clean(project)


def test_a_confidential_file_made_by_hand_is_named_nowhere_else(project: Path) -> None:
    folder = record_files(project)[0].parent
    (folder / "x.md").write_text(
        "---\nkind: preference\nsensitivity: confidential\ntitle: Bob earns most\n---\nBob earns\n"
    )
    (candidate,) = waiting(project)
    assert "Bob" not in candidate.title
    assert [name.name for name in inbox_files(project) if "bob" in name.name] == []
    with memory_of(project) as memory:
        memory.accept(None)
    assert "Bob" not in git(store_root(project), "log", "--format=%B")
    assert "Bob" not in (store_root(project) / "MEMORY.md").read_text()
    assert said(project, AGENT) == [FIRST]


@pytest.mark.parametrize("reader", [memory_of, lambda project: memory_of(project, AGENT)])
def test_looking_never_writes_a_record_or_moves_head(project: Path, reader: object) -> None:
    file = record_files(project)[0]
    edited = edit(file, "every backend\n", "no backend\n")
    head = git(store_root(project), "rev-parse", "HEAD")
    for _ in range(2):
        with reader(project) as memory:  # type: ignore[operator]
            memory.recall("which web framework")
            memory.status()
    assert file.read_bytes() == edited
    assert git(store_root(project), "rev-parse", "HEAD") == head


def test_what_is_no_memory_is_left_alone(project: Path) -> None:
    (store_root(project) / "notes.txt").write_text("mine\n")
    (store_root(project) / "records" / "readme.txt").write_text("mine\n")
    assert waiting(project) == ()
    with memory_of(project) as memory:
        memory.remember("CI needs Node 20", kind="fact")
    assert (store_root(project) / "notes.txt").read_text() == "mine\n"
    assert "notes.txt" in git(store_root(project), "status", "--porcelain")


def test_many_new_files_are_taken_in_by_one_pass(project: Path) -> None:
    folder = store_root(project) / "records" / "note" / "2026-11"
    folder.mkdir(parents=True)
    for number in range(40):
        (folder / f"n{number}.md").write_text(f"---\nkind: note\n---\nBuild {number} passed\n")
    with workspace_of(project) as workspace:
        assert len(run_pass(workspace).filed) == 40
    with memory_of(project) as memory:
        results = memory.accept(None)
    assert {str(result.status) for result in results} == {"done"}
    assert len(said(project)) == 41
    assert is_clean(project)
