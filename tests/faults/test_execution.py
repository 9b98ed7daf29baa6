"""A head that many move at once, and moves that are killed on the way (A42, A64)."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest

from memfs.app.container import Memory
from memfs.domains.execution.moving import HeadMovedError
from memfs.model.execution import Turn, TurnSaid
from memfs.model.result import ResultStatus
from memfs.store.effects import Effects
from memfs.store.store import Store
from tests.support.faults import (
    KillingEffects,
    RecordingEffects,
    acknowledge,
    is_full_run,
    run_in_child,
    start_child,
)
from tests.support.memory import AGENT, git, memory_of, new_project, store_root
from tests.support.review import is_clean

pytestmark = [pytest.mark.fault, pytest.mark.timeout(600)]

PROCESSES = 8 if is_full_run() else 4
ROUNDS = 25 if is_full_run() else 2
EVERY = 1 if is_full_run() else 31


def note(text: str) -> list[TurnSaid]:
    return [TurnSaid(turn=Turn.NOTE, text=text)]


def grow_once(project: Path, task: str, head: str, log: Path, name: str) -> None:
    """Adds a step to the head that it was told, and writes down what came of it."""
    with memory_of(project, AGENT) as memory:
        try:
            result = memory.grow_task(task, note(f"by {name}"), head=head)
            acknowledge(log, f"won {name} {result.data['head']}")
        except HeadMovedError as error:
            acknowledge(log, f"lost {name} {error.found}")


@pytest.mark.invariant("A42")
def test_of_all_who_move_one_head_at_once_exactly_one_does(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project, AGENT) as memory:
        task = memory.start_task("Reach it").target
    head, won = "none", []
    for number in range(ROUNDS):
        log = tmp_path / f"round-{number}"
        works = [
            partial(grow_once, project, task, head, log, f"p{place}") for place in range(PROCESSES)
        ]
        children = [start_child(work) for work in works]
        assert [os.waitpid(child, 0)[1] for child in children] == [0] * PROCESSES
        told = [line.split() for line in log.read_text().splitlines()]
        winners = [(name, found) for state, name, found in told if state == "won"]
        assert len(winners) == 1
        assert len(told) == PROCESSES
        # Whoever lost is told where the task stands now.
        assert {found for _, _, found in told} == {winners[0][1]}
        head = winners[0][1]
        won.append(f"by {winners[0][0]}")
    with memory_of(project, AGENT) as memory:
        tree = memory.show_task(task).tree
        assert [step.text for step in tree.path] == won
        assert tree.left_behind == ()
        assert memory.check() == ()
    assert is_clean(project)


def moves(memory: Memory, task: str) -> None:
    """Takes the same steps as any other time, with the keys of those steps."""
    call = TurnSaid(turn=Turn.CALL, text="make test")
    answer = TurnSaid(turn=Turn.RESULT, text="2 failed")
    steps = memory.grow_task(task, [*note("x"), call, answer], head="none", key="g").data["steps"]
    assert isinstance(steps, list)
    memory.revise_task(task, to=steps[0], why="It failed", head=steps[-1], key="r")


def killed(project: Path, task: str, effects: Effects) -> None:
    opened = Store.open

    def open_store(root: Path, **options: object) -> Store:
        return opened(root, effects=effects)

    with patch.object(Store, "open", open_store), memory_of(project, AGENT) as memory:
        moves(memory, task)


def shape_of(project: Path, task: str) -> tuple[object, ...]:
    """Returns what a tree says, without the ids that differ from task to task."""
    with memory_of(project, AGENT) as memory:
        tree = memory.show_task(task).tree
    current = tuple(step.text for step in tree.path)
    failed = tuple(tuple(step.text for step in branch.steps) for branch in tree.failed)
    return current, failed, tree.task.head == tree.path[-1].id


@pytest.mark.invariant("A64", "A66")
def test_wherever_moves_are_killed_they_go_on_to_the_same_tree(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    recorded = RecordingEffects()
    with memory_of(project, AGENT) as memory:
        tasks = [memory.start_task("Reach it", key="0").target]
    killed(project, tasks[0], recorded)
    kills = range(1, len(recorded.effects) + 1, EVERY)
    for number, at in enumerate(kills, 1):
        with memory_of(project, AGENT) as memory:
            task = memory.start_task("Reach it", key=str(number)).target
        ended = run_in_child(partial(killed, project, task, KillingEffects(at=at)))
        assert ended in (-signal.SIGKILL, 0)
        with memory_of(project, AGENT) as memory:
            tree = memory.show_task(task).tree
            # Never half of a wish: three turns at a time, and one revision.
            assert len(tree.steps) in (0, 3, 4)
            assert (tree.task.head or None) == (tree.path[-1].id if tree.path else None)
            moves(memory, task)
        tasks.append(task)
    expected = (("x", "It failed"), (("make test", "2 failed"),), True)
    assert {shape_of(project, task) for task in tasks} == {expected}
    assert is_clean(project)


def test_a_move_that_was_killed_behind_its_commit_is_done_and_not_repeated(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project, AGENT) as memory:
        task = memory.start_task("Reach it").target
    log = tmp_path / "log"

    def grow_and_die() -> None:
        with memory_of(project, AGENT) as memory:
            acknowledge(log, str(memory.grow_task(task, note("x"), head="none", key="k").target))
            os.kill(os.getpid(), signal.SIGKILL)

    assert run_in_child(grow_and_die) == -signal.SIGKILL
    before = git(store_root(project), "rev-parse", "HEAD")
    with memory_of(project, AGENT) as memory:
        again = memory.grow_task(task, note("x"), head="none", key="k")
        assert again.status is ResultStatus.NOTHING
    assert git(store_root(project), "rev-parse", "HEAD") == before
