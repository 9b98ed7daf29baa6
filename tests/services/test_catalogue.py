"""The catalogue is a cache: brought up by the difference, it is what a new one would be."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from memfs.index.catalogue import FILE_NAME, CatalogueEntry, CatalogueFilter
from memfs.services.catalogue import open_catalogue
from memfs.services.ports import Workspace
from tests.support.memory import git, memory_of, new_project, record_files, store_root, workspace_of
from tests.support.review import NO_HOOKS, edit, said


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with records of every fate."""
    made = new_project(tmp_path)
    with memory_of(made) as memory:
        for text in ("Flask", "FastAPI"):
            memory.remember(text, kind="preference", subject="web-framework")
        port = memory.remember("The port is 8000", kind="fact", tags=["net"]).target
        memory.remember("Soon forgotten", kind="note")
        memory.correct(port, "The port is 8001")
    next(file for file in record_files(made) if "soon" in file.name).unlink()
    moved = next(file for file in record_files(made) if "port" in file.name)
    moved.rename(moved.with_name("port.md"))
    with memory_of(made) as memory:
        memory.accept(None)
    return made


def rows_of(workspace: Workspace) -> list[CatalogueEntry]:
    catalogue = open_catalogue(workspace, workspace.store.snapshot())
    try:
        return sorted(catalogue.listing(CatalogueFilter()), key=lambda row: row.path)
    finally:
        catalogue.close()


def test_what_was_brought_up_step_by_step_is_what_a_new_one_would_be(project: Path) -> None:
    with workspace_of(project) as workspace:
        stepwise = rows_of(workspace)
        (workspace.cache_dir / FILE_NAME).unlink()
        assert rows_of(workspace) == stepwise
    claims = [row for row in stepwise if row.kind != "evidence"]
    assert sorted((row.title, row.status, row.version) for row in claims) == [
        ("FastAPI", "active", 1),
        ("Flask", "superseded", 1),
        ("The port is 8001", "active", 2),
        ("receipt of forget", "active", 1),
    ]


def test_a_held_record_is_listed_as_it_was_admitted(project: Path) -> None:
    file = next(file for file in record_files(project) if "port" in file.name)
    edit(file, "8001\n", "9999\n")
    git(store_root(project), *NO_HOOKS, "commit", "-qam", "by hand")
    with workspace_of(project) as workspace:
        stepwise = rows_of(workspace)
        (workspace.cache_dir / FILE_NAME).unlink()
        assert rows_of(workspace) == stepwise
        assert "9999" not in str(stepwise)


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\x00" + b"\xff" * 99])
def test_a_damaged_catalogue_is_replaced(project: Path, content: bytes) -> None:
    with workspace_of(project) as workspace:
        before = rows_of(workspace)
        (workspace.cache_dir / FILE_NAME).write_bytes(content)
        assert rows_of(workspace) == before


def test_a_catalogue_of_a_commit_that_is_gone_is_rebuilt(project: Path) -> None:
    with workspace_of(project) as workspace:
        before = rows_of(workspace)
        import sqlite3

        connection = sqlite3.connect(workspace.cache_dir / FILE_NAME)
        connection.execute("UPDATE stamp SET commit_id = ?", ("0" * 39 + "1",))
        connection.commit()
        connection.close()
        assert rows_of(workspace) == before


def test_the_catalogue_is_private_and_holds_no_confidential_title(project: Path) -> None:
    with memory_of(project) as memory:
        memory.remember("Bob earns the most", kind="fact", sensitivity="confidential")
        memory.accept(None)
    with workspace_of(project) as workspace:
        assert "Bob" not in str(rows_of(workspace))
        assert workspace.cache_dir.stat().st_mode & 0o777 == 0o700
        assert (workspace.cache_dir / FILE_NAME).stat().st_mode & 0o777 == 0o600


def test_deleting_the_whole_cache_changes_no_answer(project: Path, home: Path) -> None:
    import shutil

    before = said(project)
    shutil.rmtree(home / ".cache")
    assert said(project) == before == ["FastAPI", "The port is 8001"]


def test_a_cache_that_cannot_be_written_is_done_without(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = said(project)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    # A file where the folder should be stands for a disk that takes nothing.
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert said(project) == expected
    with memory_of(project) as memory:
        assert memory.recall("which port").cards
        assert memory.remember("Still written", kind="note").exit_status == 0
        assert memory.status().exit_status == 0
    assert list(scratch.iterdir()) == []
