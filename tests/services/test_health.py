"""Status and doctor tell how a store stands without any content, and mend what can be mended."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memfs.model.result import ResultStatus
from tests.support.memory import AGENT, git, memory_of, new_project, record_files, store_root
from tests.support.review import NO_HOOKS, edit, is_clean, said


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a fact, a proposal and an edited file."""
    made = new_project(tmp_path)
    with memory_of(made) as memory:
        memory.remember("CI needs Node 20", kind="fact")
    with memory_of(made, AGENT) as memory:
        memory.propose("The port is 8000", kind="fact")
    edit(record_files(made)[0], "Node 20\n", "Node 22\n")
    return made


def test_status_counts_and_shows_no_content(project: Path) -> None:
    with memory_of(project) as memory:
        result = memory.status()
    assert (result.status, result.message) == (ResultStatus.DONE, "1 record, 2 waiting")
    assert result.data["records"] == {"fact": 1}
    assert result.data["mode"] == "enforced"
    assert result.data["ledger"] == result.data["main"]
    assert result.store == str(store_root(project))
    assert "Node" not in str(result)
    assert "8000" not in str(result)


def test_status_names_what_is_held_and_what_is_broken(project: Path) -> None:
    git(store_root(project), *NO_HOOKS, "commit", "-qam", "by hand")
    (store_root(project) / "inbox" / "stray.md").write_text("x\n")
    with memory_of(project) as memory:
        result = memory.status()
    assert result.data["held"] == 1
    assert "1 held, 1 problems" in result.message


def test_a_sound_store_gives_the_doctor_nothing_to_do(project: Path) -> None:
    with memory_of(project) as memory:
        assert memory.doctor() == ()


def test_the_doctor_finds_drift_and_mends_it_without_touching_records(project: Path) -> None:
    root = store_root(project)
    git(root, "config", "core.hooksPath", "/tmp/elsewhere")
    git(root, "config", "core.autocrlf", "true")
    file = record_files(project)[0]
    before = file.read_bytes()
    with memory_of(project) as memory:
        assert memory.doctor() != ()
        assert memory.doctor(fix=True) == ()
    assert file.read_bytes() == before
    assert said(project) == ["CI needs Node 20"]


def test_the_doctor_says_nothing_of_content(project: Path) -> None:
    git(store_root(project), "config", "core.autocrlf", "true")
    with memory_of(project, AGENT) as memory:
        assert "Node" not in str(memory.doctor())


def test_rebuilding_repairs_a_deleted_cache_and_counts(project: Path, home: Path) -> None:
    with memory_of(project) as memory:
        before = [hit.stored for hit in memory.search("node")]
    shutil.rmtree(home / ".cache")
    with memory_of(project) as memory:
        result = memory.rebuild()
        assert result.data["records"] == 1
        assert result.data["searchable"] == 1
        assert [hit.stored for hit in memory.search("node")] == before


def test_a_deleted_index_for_people_comes_back(project: Path) -> None:
    index = store_root(project) / "MEMORY.md"
    before = index.read_bytes()
    index.unlink()
    with memory_of(project):
        pass
    assert index.read_bytes() == before


def test_a_store_without_anything_derived_is_whole(project: Path, home: Path) -> None:
    file = record_files(project)[0]
    git(store_root(project), "checkout", "-q", "--", str(file))
    shutil.rmtree(home / ".cache")
    (store_root(project) / "MEMORY.md").unlink()
    shutil.rmtree(store_root(project) / "inbox")
    (store_root(project) / ".git" / "index").unlink()
    with memory_of(project) as memory:
        memory.doctor(fix=True)
        memory.remember("The build takes nine minutes", kind="fact")
    assert said(project) == ["CI needs Node 20", "The build takes nine minutes"]
    assert is_clean(project)
