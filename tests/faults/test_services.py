"""Many real processes work through the public interface at once, and some are killed.

Nothing acknowledged is lost, nothing is served that nobody admitted, and Git finds nothing
to commit afterwards.
"""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from memfs.errors import ConflictError
from tests.support.faults import acknowledge, is_full_run, start_child
from tests.support.memory import git, memory_of, new_project, store_root
from tests.support.review import is_clean

pytestmark = [pytest.mark.fault, pytest.mark.slow, pytest.mark.timeout(900)]

PROCESSES = 8
OPERATIONS = 100 if is_full_run() else 5
KILLS = 200 if is_full_run() else 12
SEED = 20261129


def work_through(project: Path, log: Path, name: str) -> None:
    """Remembers, and corrects every second record; writes down what was acknowledged."""
    with memory_of(project) as memory:
        for number in range(OPERATIONS):
            text = f"Writer {name} saw the build number {number} pass"
            result = memory.remember(text, kind="note", subject=f"{name}-{number}")
            if number % 2:
                text = f"Writer {name} saw the build number {number} fail"
                memory.correct(result.target, text)
            acknowledge(log, text)


def writers(project: Path, log: Path) -> list[Callable[[], None]]:
    return [partial(work_through, project, log, f"p{number}") for number in range(PROCESSES)]


def run_all(works: list[Callable[[], None]]) -> list[int]:
    children = [start_child(work) for work in works]
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def said(project: Path) -> set[str]:
    with memory_of(project) as memory:
        return {stored.record.body.rstrip("\n") for stored in memory.list_records()}


def assert_sound(project: Path) -> None:
    root = store_root(project)
    fsck = subprocess.run(
        ["git", "fsck", "--full", "--strict"], cwd=root, capture_output=True, text=True
    )
    assert fsck.returncode == 0, fsck.stderr
    assert is_clean(project)
    with memory_of(project) as memory:
        assert [item for item in memory.check() if str(item.severity) == "error"] == []
        assert memory.doctor(fix=True) == ()
    files = [path for path in (root / "records").rglob("*") if path.is_file()]
    assert [path.name for path in files if path.suffix != ".md"] == []


def operations(project: Path, *verbs: str) -> int:
    log = git(store_root(project), "log", "--format=%B")
    return sum(log.count(f"Memfs-Operation: {verb}\n") for verb in verbs)


def test_eight_processes_that_remember_and_correct_lose_nothing(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    log = tmp_path / "acknowledged"
    assert run_all(writers(project, log)) == [0] * PROCESSES
    acknowledged = set(log.read_text().splitlines())
    assert len(acknowledged) == PROCESSES * OPERATIONS
    assert said(project) == acknowledged
    assert operations(project, "activate") == PROCESSES * OPERATIONS
    assert operations(project, "correct") == PROCESSES * (OPERATIONS // 2)
    assert_sound(project)


def test_of_two_corrections_of_one_version_exactly_one_wins(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        reference = memory.remember("The port is 8000", kind="fact", subject="port").target
    log = tmp_path / "outcome"

    def correct(text: str) -> None:
        with memory_of(project) as memory:
            try:
                memory.edit(reference, lambda before, _: _after_both_read(log, before, text))
                acknowledge(log, "won")
            except ConflictError as error:
                acknowledge(log, error.code)

    assert run_all([lambda: correct("8001"), lambda: correct("8002")]) == [0, 0]
    lines = log.read_text().splitlines()
    assert sorted(lines[-2:]) == ["conflict.stale-base", "won"]
    with memory_of(project) as memory:
        assert memory.show(reference).record.version == 2
    assert_sound(project)


def _after_both_read(log: Path, before: bytes, text: str) -> bytes:
    """Saves in the editor only when the other process has opened its editor as well."""
    acknowledge(log, "opened")
    while log.read_text().count("opened\n") < 2:
        select.select([], [], [], 0.002)
    head, _ = before.rsplit(b"---\n", 1)
    return head + f"---\nThe port is {text}\n".encode()


def test_processes_killed_at_random_instants_leave_old_or_new(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    log = tmp_path / "acknowledged"
    log.touch()
    chance = random.Random(SEED)

    def remember_for_ever(run: int) -> None:
        with memory_of(project) as memory:
            for number in range(10_000):
                text = f"Run {run} saw the build number {number} pass"
                memory.remember(text, kind="note", subject=f"{run}-{number}")
                acknowledge(log, text)

    for run in range(KILLS):
        child = start_child(lambda: remember_for_ever(run))  # noqa: B023
        select.select([], [], [], chance.uniform(0.02, 0.35))
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    acknowledged = set(log.read_text().splitlines())
    served = said(project)
    assert acknowledged <= served
    # At most the one that was under way is there without having been acknowledged.
    assert len(served - acknowledged) <= KILLS
    assert_sound(project)


def test_a_person_who_commits_all_the_time_beside_eight_writers_loses_nothing(
    tmp_path: Path,
) -> None:
    project = new_project(tmp_path)
    root = store_root(project)
    log = tmp_path / "acknowledged"
    children = {start_child(work) for work in writers(project, log)}
    turns = 0
    while children:
        (root / "notes.txt").write_text(f"turn {turns}\n")
        commit_all(root, f"turn {turns}")
        turns += 1
        child, status = os.waitpid(-1, os.WNOHANG)
        if child:
            assert os.waitstatus_to_exitcode(status) == 0
            children.discard(child)
    acknowledged = set(log.read_text().splitlines())
    assert len(acknowledged) == PROCESSES * OPERATIONS
    assert said(project) == acknowledged
    with memory_of(project) as memory:
        assert memory.candidates() == ()
    files = {path.read_text().rsplit("---\n", 1)[1].rstrip() for path in root.rglob("note/*/*.md")}
    assert files == acknowledged
    commit_all(root, "the last word")
    assert (root / "notes.txt").read_text() == f"turn {turns - 1}\n"
    with memory_of(project):
        pass
    assert_sound(project)


def commit_all(root: Path, words: str) -> None:
    """Commits like a person, whose commands may find Git's lock taken; no hooks of memfs."""
    for command in (["add", "-A"], ["-c", "core.hooksPath=/dev/null", "commit", "-qm", words]):
        subprocess.run(["git", *command], cwd=root, capture_output=True)
