"""An erasure beside writers, and one that is killed between its barrier and its bytes."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.model.result import ResultStatus
from tests.services.test_erase import TOKEN, remembered, residue
from tests.support.faults import KillingEffects, acknowledge, run_in_child, start_child
from tests.support.memory import git, memory_of, new_project, store_root

pytestmark = pytest.mark.fault


def test_writers_wait_and_lose_nothing(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = remembered(project)
    log = tmp_path / "log"

    def write() -> None:
        with memory_of(project) as memory:
            for number in range(8):
                done = memory.remember(f"Ferry {number} leaves at {number} past.", kind="note")
                assert done.status is ResultStatus.DONE
                acknowledge(log, done.target)

    children = [start_child(write) for _ in range(1)]
    with memory_of(project) as memory:
        result = memory.erase([target], is_history=True)
    assert result.status is ResultStatus.DONE
    for child in children:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with memory_of(project) as memory:
        standing = {stored.record.id for stored in memory.list_records(kinds=("note",))}
    assert standing == set(log.read_text().split())
    assert residue(project) == []
    assert git(store_root(project), "fsck", "--full", "--strict", "--no-dangling") == ""


@pytest.mark.parametrize("step", ["purge:rewritten", "purge:journal", "purge:refs", "purge:repack"])
def test_an_erasure_that_is_killed_can_be_repeated(tmp_path: Path, step: str) -> None:
    project = new_project(tmp_path)
    target = remembered(project)

    def die() -> None:
        with memory_of(project) as memory:
            store = memory.workspace.store
            store._context = replace(store._context, effects=KillingEffects(step=step))
            memory.erase([target], is_history=True)

    assert run_in_child(die) == -signal.SIGKILL
    with memory_of(project) as memory:
        assert memory.search(TOKEN.decode()) == ()
        assert memory.erase([target], is_history=True).status is ResultStatus.DONE
    assert residue(project) == []
    assert git(store_root(project), "fsck", "--full", "--strict") == ""
