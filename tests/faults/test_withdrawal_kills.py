"""A process that dies in the middle of a withdrawal leaves the barrier, or nothing at all (A14)."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from tests.support.faults import run_in_child
from tests.support.memory import AGENT, memory_of, new_project
from tests.support.review import is_clean, tree_of
from tests.support.withdrawal import derive, exposures, status_of

pytestmark = [pytest.mark.fault]

ROOT = "The staging host is kestrel"
AFTER = ("note_forgotten", "purge", "repair", "purge_derived", "ask_everywhere", "write_receipt")


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def forget_and_die(project: Path, root: str, stage: str) -> Callable[[], None]:
    def work() -> None:
        with memory_of(project) as memory, mock.patch(f"memfs.services.{stage}", die):
            memory.forget([root])

    return work


@pytest.fixture
def graph(tmp_path: Path) -> tuple[Path, str, str, str]:
    """A root, a free summary of it, and a record that a twin supports as well."""
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        root = memory.remember(ROOT, kind="note").target
        twin = memory.remember("Builds run at night.", kind="fact").target
        lost = derive(memory, "Staging is a bird", root)
        kept = derive(memory, "Builds run at night.", root, twin)
    return project, root, lost, kept


@pytest.mark.parametrize("stage", AFTER)
def test_killed_after_the_barrier_nothing_of_it_is_served(
    graph: tuple[Path, str, str, str], stage: str
) -> None:
    project, root, lost, kept = graph
    assert run_in_child(forget_and_die(project, root, f"aftermath.{stage}")) == -signal.SIGKILL
    for identifier, words in ((root, ROOT), (lost, "Staging is a bird")):
        assert exposures(project, identifier, words) == []
    # Whoever comes next at a terminal ends what was begun.
    with memory_of(project):
        pass
    with memory_of(project) as memory:
        assert [status_of(memory, name) for name in (root, lost, kept)] == [
            "gone",
            "repair_pending",
            "active",
        ]
    assert len(tree_of(project, "receipts")) == 1
    assert is_clean(project)


def test_an_agent_in_between_finds_only_the_barrier(graph: tuple[Path, str, str, str]) -> None:
    project, root, _, kept = graph
    assert run_in_child(forget_and_die(project, root, "aftermath.purge")) == -signal.SIGKILL
    with memory_of(project, AGENT) as memory:
        assert "kestrel" not in memory.recall("staging host kestrel").text
        assert memory.search("Builds run at night", limit=9) != ()
        assert status_of(memory, kept) == "repair_pending"


@pytest.mark.parametrize("stage", ["door._commit", "door.begin_job"])
def test_killed_before_the_barrier_nothing_has_happened(
    graph: tuple[Path, str, str, str], stage: str
) -> None:
    project, root, lost, kept = graph
    assert run_in_child(forget_and_die(project, root, stage)) == -signal.SIGKILL
    with memory_of(project):
        pass
    with memory_of(project) as memory:
        assert {status_of(memory, name) for name in (root, lost, kept)} == {"active"}
        assert memory.doctor(fix=True) == ()
    assert tree_of(project, "receipts") == []


def test_repair_without_a_note_is_taken_up_by_doctor(graph: tuple[Path, str, str, str]) -> None:
    project, root, _, kept = graph
    assert run_in_child(forget_and_die(project, root, "aftermath.repair")) == -signal.SIGKILL
    with memory_of(project, AGENT) as memory:
        for note in (memory.workspace.cache_dir / "withdrawals").iterdir():
            note.unlink()
    with memory_of(project) as memory:
        assert status_of(memory, kept) == "repair_pending"
        assert memory.doctor(fix=True) == ()
        assert status_of(memory, kept) == "active"
