"""What a step of a task costs as the task grows, and what it costs to go on with it.

Each move is a commit of the task's file and of its steps; beside it a claim that is remembered,
which is one commit too. Showing a task and compiling its context read every step.

    python -m benchmarks.execution [--steps 100 1000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import count

from benchmarks.corpus import environment, project_with
from memfs.app.memory import Memory
from memfs.app.opening import open_workspace
from memfs.model.execution import Turn, TurnSaid
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import ResultStatus

AGENT = Actor(Principal.parse("agent:x"), Channel.AGENT)
ANA = Actor(Principal.parse("user:ana"), Channel.TERMINAL)
AT_ONCE = 50
ROUNDS = 5
_NUMBERS = count(1)


def timed(work: Callable[[], object]) -> float:
    """Returns the best wall-clock seconds of some calls."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begun)
    return best


def turns(number: int) -> list[TurnSaid]:
    """Returns calls with their results."""
    call = TurnSaid(turn=Turn.CALL, text="make test", tool="shell")
    result = TurnSaid(turn=Turn.RESULT, text="2 failed, 118 passed in 3 seconds\n" * 5)
    return [call, result] * (number // 2)


class Grower:
    """Adds to one task and keeps its head."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.task = memory.start_task("Let the nightly export resume").target
        self._head = "none"

    def grow(self, said: list[TurnSaid]) -> None:
        """Adds turns behind the head."""
        result = self._memory.grow_task(self.task, said, head=self._head)
        self._head = str(result.data["head"])


def remembered(memory: Memory) -> None:
    """Remembers one claim that nobody has made yet."""
    result = memory.remember(f"The build number {next(_NUMBERS)} passed on the third machine")
    if result.status is not ResultStatus.DONE:
        raise AssertionError(result)


def measure(steps: int) -> None:
    """Prints what a task of ``steps`` steps costs."""
    with project_with(0) as project:
        workspace = open_workspace(start=project, env=environment(project.parent))
        memory, person = Memory(workspace, AGENT), Memory(workspace, ANA)
        try:
            grower = Grower(memory)
            for _ in range(steps // AT_ONCE):
                grower.grow(turns(AT_ONCE))
            floor = timed(lambda: remembered(person))
            print(f"{steps} steps; one claim remembered {floor * 1_000:.0f} ms")
            figures: tuple[tuple[str, Callable[[], object]], ...] = (
                ("grow by a call and its result", lambda: grower.grow(turns(2))),
                ("show the tree", lambda: memory.show_task(grower.task)),
                ("context of 2,000 tokens", lambda: memory.task_context(grower.task, budget=2_000)),
            )
            for name, work in figures:
                cost = timed(work)
                print(f"  {name:<30} {cost * 1_000:7.0f} ms  {cost / floor:5.1f} x")
        finally:
            workspace.store.close()


def main() -> None:
    """Measures at each size that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, nargs="+", default=[100, 1_000])
    for steps in parser.parse_args().steps:
        measure(steps)


if __name__ == "__main__":
    main()
