"""A run is one record, whoever is killed on the way and however many end it at once."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from unittest.mock import patch

import pytest

from memfs.domains.runs.dispatch import Dispatches
from memfs.domains.runs.finishing import RunEnd, end
from memfs.domains.runs.lineage import Wanted
from memfs.domains.runs.starting import dispatch, prepare
from memfs.model.run import RunState
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
from tests.support.memory import AGENT, memory_of, new_project, store_root
from tests.support.review import is_clean

pytestmark = [pytest.mark.fault, pytest.mark.timeout(600)]

EVERY = 1 if is_full_run() else 9


def wrapped_work(project: Path, effects: Effects, log: Path) -> None:
    """Dispatches a run, holds it and records its end, as a wrapper does."""
    opened = Store.open

    def open_store(root: Path, **options: object) -> Store:
        return opened(root, effects=effects)

    with patch.object(Store, "open", open_store), memory_of(project, AGENT) as memory:
        note = prepare(memory.workspace, AGENT, task="Do it", wanted=Wanted(), is_watched=True)
        with Dispatches(memory.workspace).watching(note.run):
            dispatch(memory.workspace, note)
            acknowledge(log, note.run)
            ending = RunEnd(
                state="error",
                run=note.run,
                output="It broke at the end.\nISSUES: It breaks",
                is_watcher=True,
            )
            end(memory.workspace, ending, AGENT)


def test_wherever_a_wrapper_is_killed_its_run_is_recorded_once(tmp_path: Path) -> None:
    recorded, log = RecordingEffects(), tmp_path / "dispatched"
    wrapped_work(new_project(tmp_path, "counted"), recorded, tmp_path / "counted.log")
    project = new_project(tmp_path)
    kills = range(1, len(recorded.effects) + 1, EVERY)
    for at in kills:
        status = run_in_child(lambda at=at: wrapped_work(project, KillingEffects(at=at), log))  # type: ignore[misc]
        assert status in (0, -signal.SIGKILL)

    with memory_of(project, AGENT) as memory:
        memory.finish_run(task="Last")
        memory.doctor(fix=True)
        views = memory.list_runs()
        issues = memory.list_issues()
        assert list(Dispatches(memory.workspace)) == []
        assert memory.doctor() == ()
    runs = [view.run for view in views if view.task == "Do it"]
    assert sorted(runs) == sorted(log.read_text().split())
    assert len(runs) > len(kills) // 2
    assert {view.state for view in views} <= {
        RunState.DONE,
        RunState.ERROR,
        RunState.CANCELLED,
    }
    files = [path.stem for path in (store_root(project) / "runs").rglob("*.md")]
    assert sorted(files) == sorted(view.run for view in views)
    assert len(issues) <= 1
    assert is_clean(project)


def test_of_many_that_end_one_run_at_once_one_records_it(tmp_path: Path) -> None:
    project, log = new_project(tmp_path), tmp_path / "told"
    with memory_of(project, AGENT) as memory:
        run = memory.start_run("Do it").target

    def finish(number: int) -> None:
        with memory_of(project, AGENT) as memory:
            result = memory.finish_run(run=run, summary=f"Number {number} says so.", task="Do it")
            acknowledge(log, str(result.status))

    children = [start_child(lambda n=n: finish(n)) for n in range(6)]  # type: ignore[misc]
    assert [_ended(child) for child in children] == [0] * 6

    assert sorted(log.read_text().split()) == ["done", *["nothing"] * 5]
    with memory_of(project, AGENT) as memory:
        assert [view.run for view in memory.list_runs()] == [run]
    assert is_clean(project)


def _ended(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
