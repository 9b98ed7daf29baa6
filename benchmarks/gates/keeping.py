"""Gates of what must last: an acknowledged write past any kill, and no failed branch as current."""

from __future__ import annotations

import random
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from unittest.mock import patch

from benchmarks.gates.trial import Trial
from memfs.domains.execution.reading import TaskView
from memfs.domains.execution.sections import HINTS, context_sections
from memfs.model.execution import Turn, TurnSaid
from memfs.model.execution_tree import Tree
from memfs.model.record import Record, StoredRecord
from memfs.policy.execution_moves import ROWS
from memfs.services.packet_text import strip_packets
from memfs.store.effects import Effects
from memfs.store.store import Store
from tests.support.execution_trees import history, tree_from, word_of
from tests.support.faults import KillingEffects, RecordingEffects, acknowledge, run_in_child
from tests.support.memory import AGENT, git, memory_of, store_root
from tests.support.review import is_clean

KILLS: Final = 6
TREES: Final = 60
WRITES: Final = 4


def no_acknowledged_write_is_lost(trial: Trial) -> None:
    """Kills a writer before any effect; what it was told is kept is kept, whole."""
    for _ in range(trial.cases):
        recorded = RecordingEffects()
        counted = trial.project()
        _written(counted, recorded, trial.folder / "counted", "counted")
        total = len(recorded.effects)
        project = trial.project()
        log = trial.folder / f"{project.name}.acknowledged"
        kills = sorted(trial.rng.sample(range(2, total * 9 // 10), k=KILLS))
        for at in kills:
            name = trial.word()
            effects = KillingEffects(at=at)
            status = run_in_child(lambda: _written(project, effects, log, name))  # noqa: B023
            trial.control(status == -signal.SIGKILL, f"a kill before effect {at} kills")
            acknowledged = set(log.read_text("utf-8").splitlines()) if log.exists() else set()
            with memory_of(project) as memory:
                said = {item.record.body.rstrip("\n") for item in memory.list_records()}
                errors = [item for item in memory.check() if str(item.severity) == "error"]
            lost = sorted(acknowledged - said)
            trial.expect(not lost, f"killed before effect {at}: {lost} is kept")
            trial.expect(not errors, f"killed before effect {at}: the store is sound: {errors}")
            trial.expect(is_clean(project), f"killed before effect {at}: Git has nothing to commit")
            trial.expect(_is_whole(said, name), f"killed before effect {at}: a write is whole")
        fsck = git(store_root(project), "fsck", "--full", "--strict", "--no-dangling")
        trial.expect(fsck == "", f"Git finds the store sound: {fsck}")
        trial.control(log.exists(), "something was acknowledged between the kills")


def _written(project: Path, effects: Effects, log: Path, name: str) -> None:
    """Remembers and corrects; writes down what was acknowledged."""
    opened = Store.open

    def open_store(root: Path, **options: object) -> Store:
        return opened(root, effects=effects)

    with patch.object(Store, "open", open_store), memory_of(project) as memory:
        for number in range(WRITES):
            text = f"The crane {name} lifted load {number}"
            memory.remember(text, kind="note", title=f"{name} {number}")
            acknowledge(log, text)


def _is_whole(said: set[str], name: str) -> bool:
    """Whether what one writer wrote is what it wrote up to some point, in order."""
    own = sorted(text for text in said if name in text)
    return own == [f"The crane {name} lifted load {number}" for number in range(len(own))]


# Failed branches --------------------------------------------------------------------------------


def no_failed_branch_is_current(trial: Trial) -> None:
    """Grows trees at random beside a list and a set; then one real task by the real verbs."""
    branches = 0
    for _ in range(TREES * trial.cases):
        for committed in history(trial.rng.randrange(10**9), moves=6):
            tree = tree_from(committed.files, order=random.Random(trial.rng.random()))
            path = tuple(step.id for step in tree.path)
            trial.expect(path == committed.current, "what counts is what was not left behind")
            left = {step.id for step in tree.left_behind}
            trial.expect(left == committed.failed, "what was left behind is known as such")
            trial.expect(set(committed.refused) <= set(ROWS), "nothing failed is gone on from")
            branches += len(tree.failed)
        _told_of(trial, tree)
    trial.control(branches > TREES // 2, "there were failed branches")
    for _ in range(trial.cases):
        _lived_through(trial)


def _told_of(trial: Trial, tree: Tree) -> None:
    stored = StoredRecord(record=Record(kind="task", id=tree.task.id), path="", blob="")
    sections = context_sections(TaskView(stored=stored, tree=tree, effects={}, holds={}))
    current = {
        section.name: "\n".join(entry.text for entry in section.entries)
        for section in sections
        if section.name != HINTS
    }
    trial.hidden([word_of(step) for step in tree.left_behind], current, "of a failed branch ")


def _lived_through(trial: Trial) -> None:
    project = trial.project()
    failed, good = trial.word(), trial.word()
    with memory_of(project, AGENT) as memory:
        task = memory.start_task("Let the export resume").target
        first = _head(memory.grow_task(task, [_turn(Turn.NOTE, "start")], head="none").data)
        calls = [_turn(Turn.CALL, f"try {failed}"), _turn(Turn.RESULT, f"{failed} broke")]
        wrong = _head(memory.grow_task(task, calls, head=first).data)
        memory.revise_task(task, to=first, why="it broke", label="The queue", head=wrong)
        head = memory.show_task(task).tree.task.head
        memory.grow_task(task, [_turn(Turn.NOTE, f"use {good}")], head=head)
    with memory_of(project, AGENT) as memory:
        packet = memory.task_context(task, budget=4_000)
        found = {"context": packet.text, "search": str(memory.search(failed, limit=50))}
        trial.hidden([failed], found, "of a failed branch ")
        trial.control(good in packet.text, "the branch that counts is told of")
        trial.control(strip_packets(packet.text) != packet.text, "the context is fenced")


def _head(data: Mapping[str, object]) -> str:
    steps = data["steps"]
    if not isinstance(steps, list) or not steps:
        raise ValueError(f"expected steps, got {steps!r}")
    return str(steps[-1])


def _turn(sort: Turn, text: str) -> TurnSaid:
    return TurnSaid(turn=sort, text=text)
