"""Upkeep happens when it is due, by whoever can wait for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.services.upkeep import keep_up
from memfs.store import maintenance
from tests.support.memory import AGENT, memory_of, new_project, store_root, workspace_of


def packs(project: Path) -> int:
    return maintenance.count_packs(store_root(project) / ".git")


def test_nothing_is_packed_when_nothing_is_due(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with workspace_of(project) as workspace:
        assert not keep_up(workspace)
    assert packs(project) == 0


def test_a_person_packs_when_it_is_due_and_an_agent_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = new_project(tmp_path)
    monkeypatch.setattr(maintenance, "LOOSE_OBJECTS", 0)
    with memory_of(project, AGENT) as memory:
        memory.list_records()
    assert packs(project) == 0
    with memory_of(project) as memory:
        memory.remember("CI needs Node 20", kind="fact")
    assert packs(project) == 1
    with memory_of(project) as memory:
        assert [item.record.body for item in memory.list_records()] == ["CI needs Node 20\n"]


def test_a_store_that_cannot_be_written_is_read_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember("CI needs Node 20", kind="fact")
    lock = store_root(project) / ".git" / "memfs" / "maintenance.lock"
    lock.unlink(missing_ok=True)
    # Stands for a read-only disk: the lock's file cannot be opened, due or not.
    lock.mkdir()
    for due_at in (maintenance.LOOSE_OBJECTS, 0):
        monkeypatch.setattr(maintenance, "LOOSE_OBJECTS", due_at)
        with memory_of(project) as memory:
            assert [item.record.body for item in memory.list_records()] == ["CI needs Node 20\n"]
    assert packs(project) == 0
