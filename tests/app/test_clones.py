"""A clone of a store is taken over by a person and then serves the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfs.app.actors import NotTrustedError
from memfs.app.container import init_store, open_memory
from memfs.app.opening import StoreUnfinishedError
from memfs.store.adoption import NoOperationsError
from tests.support.memory import git, memory_of, new_project, record_files, store_root

NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A fresh clone of a store with one corrected record and one that was held."""
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        reference = memory.remember("CI needs Node 20", kind="fact").target
        memory.correct(reference, "CI needs Node 22")
    file = record_files(project)[0]
    file.write_text(file.read_text().replace("needs Node 22\n", "needs nothing\n"))
    git(store_root(project), *NO_HOOKS, "commit", "-qam", "by hand")
    with memory_of(project) as memory:
        memory.remember("Batches are 500 rows", kind="fact")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    git(folder, "clone", "-q", str(store_root(project)), ".memfs")
    return folder


def take_over(folder: Path) -> str:
    return init_store(
        folder=folder,
        explicit=folder / ".memfs",
        env=dict(os.environ),
        is_scripted=True,
        as_principal="user:eve",
        yes=True,
    ).message


def test_a_clone_serves_what_the_store_served(clone: Path) -> None:
    assert take_over(clone).startswith("took over the clone")
    with memory_of(clone) as memory:
        served = {stored.record.body for stored in memory.list_records()}
        held = [item.title for item in memory.candidates()]
    assert served == {"CI needs Node 22\n", "Batches are 500 rows\n"}
    assert len(held) == 1
    assert git(clone / ".memfs", "status", "--porcelain") == ""


def test_the_history_of_a_clone_reads_as_operations(clone: Path) -> None:
    take_over(clone)
    with memory_of(clone) as memory:
        by_title = {item.record.title: item.record for item in memory.list_records()}
        corrected = by_title["CI needs Node 22"]
        assert memory.show(f"{corrected.id}@1").record.body == "CI needs Node 20\n"
        assert memory.correct(by_title["Batches are 500 rows"].id, "Batches are 900 rows").operation


def test_what_was_committed_above_the_last_operation_waits(clone: Path) -> None:
    folder = clone / ".memfs" / "records" / "note" / "2026-11"
    folder.mkdir(parents=True)
    (folder / "pushed.md").write_text("---\nkind: note\n---\nPushed by somebody.\n")
    git(clone / ".memfs", "add", "-A")
    git(clone / ".memfs", "commit", "-qm", "pushed")
    take_over(clone)
    with memory_of(clone) as memory:
        served = {stored.record.body for stored in memory.list_records()}
    assert "Pushed by somebody.\n" not in served


def test_an_agent_takes_over_no_clone(clone: Path) -> None:
    with pytest.raises(NotTrustedError):
        init_store(folder=clone, explicit=clone / ".memfs", env=dict(os.environ))


def test_a_repository_without_an_operation_is_no_clone_of_a_store(tmp_path: Path) -> None:
    root = tmp_path / "other" / ".memfs"
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / "memfs.yaml").write_text("format: 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "mine")
    with pytest.raises(NoOperationsError):
        take_over(root.parent)


def test_a_clone_that_nobody_took_over_says_what_to_do(clone: Path) -> None:
    with pytest.raises(StoreUnfinishedError) as caught:
        open_memory(start=clone, env=dict(os.environ))
    assert "memfs init" in caught.value.hint
