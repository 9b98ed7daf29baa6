"""A sleep is there whole or not at all, wherever it is killed, and one role sleeps once."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from unittest.mock import patch

import pytest

from memfs.model.origin import Actor, Channel, Principal
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
from tests.support.memory import ANA, git, memory_of, new_project, store_root
from tests.support.review import is_clean
from tests.support.roles import WHOLE, whole

pytestmark = [pytest.mark.fault, pytest.mark.timeout(600)]

EVERY = 1 if is_full_run() else 97
OPEN = 2
SLEEPERS = 2
PLAIN = {**WHOLE, "anchors": ["anchor:missing"], "salience": 0.9}


def as_role(name: str) -> Actor:
    return Actor(Principal.parse(f"agent:{name}"), Channel.AGENT)


def live(project: Path, role: str) -> None:
    """Lets a role take in a few memories."""
    texts = [
        whole("RecordShortTermMemory", **{**PLAIN, "topic": f"topic {number}"})
        for number in range(OPEN)
    ]
    with memory_of(project, as_role(role)) as memory:
        for told in memory.apply_operations("", texts):
            assert told.result.status is ResultStatus.DONE, told.result.message


def sleep(project: Path, role: str, effects: Effects) -> None:
    """Has the role sleep, with every effect on files passing by."""
    opened = Store.open

    def open_store(root: Path, **options: object) -> Store:
        return opened(root, effects=effects)

    with patch.object(Store, "open", open_store), memory_of(project, as_role(role)) as memory:
        assert memory.sleep_role().status is ResultStatus.DONE


def states(project: Path, role: str) -> set[str]:
    """Returns the states of what the role took in, as its files say."""
    folder = store_root(project) / "roles" / role / "short_term"
    lines = (line for path in folder.rglob("*.md") for line in path.read_text().splitlines())
    return {line.partition(": ")[2] for line in lines if line.startswith("lifecycle: ")}


def test_wherever_a_sleep_is_killed_it_is_whole_or_not_there(tmp_path: Path) -> None:
    project, recorded = new_project(tmp_path), RecordingEffects()
    live(project, "counted")
    sleep(project, "counted", recorded)
    kills = range((EVERY + 1) // 2, len(recorded.effects) + 1, EVERY)
    assert len(kills) > 1
    for at in kills:
        live(project, f"killed-{at}")
        work = lambda at=at: sleep(project, f"killed-{at}", KillingEffects(at=at))  # noqa: E731
        assert run_in_child(work) in (0, -signal.SIGKILL)

    with memory_of(project, ANA) as memory:
        memory.doctor(fix=True)
        assert memory.doctor() == ()
        assert memory.audit().problems == ()
        for at in kills:
            # Whoever was killed holds nothing: the next one sleeps, or finds it done.
            again = memory.sleep_role(f"killed-{at}")
            assert again.status in (ResultStatus.DONE, ResultStatus.NOTHING), again.message
            assert again.data["opened"] in (0, OPEN)
    for at in kills:
        assert states(project, f"killed-{at}") == {"distilled"}
    log = git(store_root(project), "log", "--format=%H", "--grep=role memory: role sleep").split()
    assert len(log) == len(kills) + 1
    for commit in log:
        changed = git(store_root(project), "show", "--format=", "--name-only", commit).split()
        assert sum("/short_term/" in name for name in changed) == OPEN
        assert sum("/durable/" in name for name in changed) == OPEN
        assert sum(name.startswith("receipts/") for name in changed) == OPEN + 1
    assert is_clean(project)


def test_of_two_that_have_a_role_sleep_at_once_one_does_and_nothing_is_done_twice(
    tmp_path: Path,
) -> None:
    project, log = new_project(tmp_path), tmp_path / "outcome"
    live(project, "twin")

    def work() -> None:
        with memory_of(project, as_role("twin")) as memory:
            acknowledge(log, "ready")
            while log.read_text().count("ready\n") < SLEEPERS:
                pass
            result = memory.sleep_role()
            acknowledge(log, f"{result.status},{result.data.get('code') or result.data['residue']}")

    children = [start_child(work) for _ in range(SLEEPERS)]
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
    outcomes = sorted(line for line in log.read_text().splitlines() if line != "ready")
    assert outcomes[0] == "done,[]"
    # The other was told that it sleeps already, or came when it was over.
    assert outcomes[1] in ("nothing,role.resting", "nothing,[]")
    files = git(store_root(project), "ls-files", "roles/twin").split()
    assert sum("/durable/" in name for name in files) == OPEN
    assert is_clean(project)
