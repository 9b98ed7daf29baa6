"""No sequence of operations serves a withdrawn version (A13, A14, A26, A90).

The model is an oracle of its own: who rests on whom, what everybody says, and what of it stands.
People state, derive, correct, retract, forget and restore; agents propose; processes die in the
middle; backups are put back; forgotten words are offered again.
"""

from __future__ import annotations

import copy
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memfs.app.memory import Memory
from memfs.index.catalogue import CatalogueFilter
from memfs.model.problem import Severity
from memfs.model.result import ResultStatus
from memfs.services.catalogue import open_catalogue
from memfs.services.reading import UnknownRecordError
from tests.faults.test_withdrawal_kills import AFTER, die
from tests.support.faults import is_full_run, run_in_child
from tests.support.memory import AGENT, git, memory_of, new_project, store_root
from tests.support.withdrawal import derive

EXAMPLES = 120 if is_full_run() else 8
STEPS = 25 if is_full_run() else 14
picks = st.integers(min_value=0, max_value=99)


@dataclass
class Node:
    """What the model knows of one record."""

    text: str
    inputs: tuple[str, ...] = ()
    state: str = "active"


class Withdrawals(RuleBasedStateMachine):
    """One store in which things are taken back in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="withdrawals-"))
        self.nodes: dict[str, Node] = {}
        self.forgotten: dict[str, str] = {}
        self.retracted: set[str] = set()
        self.saved: dict[str, Node] | None = None
        self.count = 0

    @initialize()
    def found(self) -> None:
        self.project = new_project(self.folder)
        for _ in range(3):
            self.state()
        # Short examples are the rule: they begin where something can be taken back.
        for first, second, is_free in ((0, 0, True), (0, 1, False), (3, 3, False), (2, 4, False)):
            self.derive(first, second, is_free)

    def teardown(self) -> None:
        try:
            if hasattr(self, "project"):
                self.check_ending()
        finally:
            shutil.rmtree(self.folder)

    # What is stated ---------------------------------------------------------------------

    @rule()
    def state(self) -> None:
        text = self.new_text()
        with memory_of(self.project) as memory:
            self.nodes[memory.remember(text, kind="note", subject=self.key()).target] = Node(text)

    @precondition(lambda self: self.actives())
    @rule(first=picks, second=picks, is_free=st.booleans())
    def derive(self, first: int, second: int, is_free: bool) -> None:
        inputs = tuple(dict.fromkeys((self.active(first), self.active(second))))
        text = self.new_text() if is_free else self.nodes[inputs[0]].text
        with memory_of(self.project) as memory:
            name = derive(memory, text, *inputs, subject=self.key())
        self.nodes[name] = Node(text, inputs)

    @rule()
    def propose_and_accept(self) -> None:
        text = self.new_text()
        with memory_of(self.project, AGENT) as memory:
            candidate = memory.propose(text, kind="note", subject=self.key()).target
        with memory_of(self.project) as memory:
            (result,) = memory.accept([candidate])
        assert result.status is ResultStatus.DONE
        self.nodes[result.target] = Node(text)

    # What is taken back -----------------------------------------------------------------

    @precondition(lambda self: self.actives())
    @rule(pick=picks)
    def correct(self, pick: int) -> None:
        name, text = self.active(pick), self.new_text()
        if self.is_held(name):
            return
        with memory_of(self.project) as memory:
            assert memory.correct(name, text).status is ResultStatus.DONE
        reached = self.reached(name)
        self.nodes[name].text = text
        self.bar(reached)

    @precondition(lambda self: self.actives())
    @rule(pick=picks)
    def retract(self, pick: int) -> None:
        name = self.active(pick)
        if self.is_held(name):
            return
        with memory_of(self.project) as memory:
            assert memory.retract(name).status is ResultStatus.DONE
        self.take_back(name)

    @precondition(lambda self: self.present())
    @rule(pick=picks)
    def forget(self, pick: int) -> None:
        name = self.any_present(pick)
        if self.is_held(name):
            return
        with memory_of(self.project) as memory:
            assert memory.forget([name]).status is ResultStatus.DONE
        self.gone(name)

    @precondition(lambda self: self.present())
    @rule(pick=picks, stage=st.sampled_from(AFTER))
    def die_while_forgetting(self, pick: int, stage: str) -> None:
        name = self.any_present(pick)
        if self.is_held(name):
            return

        def work() -> None:
            patch = mock.patch(f"memfs.services.aftermath.{stage}", die)
            with memory_of(self.project) as memory, patch:
                memory.forget([name])

        run_in_child(work)
        with memory_of(self.project):
            pass
        self.gone(name)

    @precondition(lambda self: self.in_state("retracted"))
    @rule(pick=picks)
    def restore(self, pick: int) -> None:
        names = self.in_state("retracted")
        name = names[pick % len(names)]
        node = self.nodes[name]
        is_supported = all(self.stands(source) for source in node.inputs)
        with memory_of(self.project) as memory:
            result = memory.restore(name)
        assert (result.status is ResultStatus.DONE) is is_supported
        if is_supported:
            node.state = "active"
            self.retracted.discard(name)
            self.repair(self.reached(name))

    # What would bring it back -----------------------------------------------------------

    @precondition(lambda self: self.forgotten)
    @rule(pick=picks, is_agent=st.booleans())
    def offer_again(self, pick: int, is_agent: bool) -> None:
        names = sorted(self.forgotten)
        text = self.forgotten[names[pick % len(names)]]
        with memory_of(self.project, AGENT) as memory:
            result = memory.propose(text, kind="fact", title=f"Again {self.key()}")
        assert [item.code for item in result.reasons] == ["tombstone.matches"]

    @rule()
    def back_up(self) -> None:
        place = self.folder / "backup"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(store_root(self.project), place, symlinks=True)
        self.saved = copy.deepcopy(self.nodes)

    @precondition(lambda self: self.saved is not None)
    @rule()
    def put_backup_back(self) -> None:
        shutil.rmtree(store_root(self.project))
        shutil.copytree(self.folder / "backup", store_root(self.project), symlinks=True)
        assert self.saved is not None
        self.nodes = copy.deepcopy(self.saved)
        lost = [name for name in self.forgotten if name in self.nodes]
        reached = [item for name in lost for item in self.reached(name)]
        for name in lost:
            del self.nodes[name]
        self.bar([item for item in reached if item in self.nodes])
        # What was retracted since is retracted in the older copy as well.
        for name in [item for item in self.nodes if item in self.retracted]:
            if self.stands(name):
                self.take_back(name)

    @rule()
    def revert_by_hand(self) -> None:
        store = store_root(self.project)
        for commit in git(store, "log", "--format=%H", "--grep", "^forget:").split()[:1]:
            try:
                git(store, "-c", "core.hooksPath=/dev/null", "revert", "--no-edit", commit)
            except subprocess.CalledProcessError:  # something else changed there as well
                git(store, "-c", "core.hooksPath=/dev/null", "reset", "-q", "--hard")

    # What must hold ---------------------------------------------------------------------

    @invariant()
    def serves_only_what_stands(self) -> None:
        if not hasattr(self, "project"):
            return
        expected = {n: f"{node.text}\n" for n, node in self.nodes.items() if node.state == "active"}
        texts = set(expected.values())
        barred = {node.text for node in self.nodes.values()} | set(self.forgotten.values())
        barred = {text for text in barred if f"{text}\n" not in texts}
        with memory_of(self.project) as memory:
            assert {
                item.record.id: item.record.body for item in memory.list_records(kinds=["note"])
            } == expected
        with memory_of(self.project, AGENT) as memory:
            for text in sorted(barred)[:3]:
                assert text not in memory.recall(text).text
                assert all(text not in hit.stored.record.body for hit in memory.search(text))
        index = store_root(self.project) / "MEMORY.md"
        shown = index.read_text() if index.is_file() else ""
        assert not any(text in shown for text in barred)

    def check_ending(self) -> None:
        with memory_of(self.project) as memory:
            for name in self.in_state("withheld"):
                for ask in (memory.show, memory.history, memory.diff):
                    with pytest.raises(UnknownRecordError):
                        ask(name)
            before = self.derived(memory)
            memory.rebuild()
            assert self.derived(memory) == before
            errors = [item for item in memory.check() if item.severity is Severity.ERROR]
            assert errors == []
        git(store_root(self.project), "fsck", "--strict")

    def derived(self, memory: Memory) -> object:
        workspace = memory.workspace
        catalogue = open_catalogue(workspace, workspace.store.snapshot())
        try:
            rows = tuple(sorted(catalogue.listing(CatalogueFilter()), key=lambda row: row.path))
            reached = {name: catalogue.descendants([name]) for name in sorted(self.nodes)}
        finally:
            catalogue.close()
        hits = {
            node.text: sorted(hit.stored.record.reference for hit in memory.search(node.text))
            for node in self.nodes.values()
        }
        return rows, reached, hits

    # The model --------------------------------------------------------------------------

    def new_text(self) -> str:
        self.count += 1
        return f"The word of number {self.count} is w{self.count:04d}x"

    def key(self) -> str:
        self.count += 1
        return f"k{self.count:04d}k"

    def is_held(self, name: str) -> bool:
        """A record that a commit made by hand changed waits for a person before anything else."""
        with memory_of(self.project) as memory:
            return any(item.record_id == name for item in memory.candidates())

    def in_state(self, state: str) -> list[str]:
        return sorted(name for name, node in self.nodes.items() if node.state == state)

    def actives(self) -> list[str]:
        return self.in_state("active")

    def active(self, pick: int) -> str:
        names = self.actives()
        return names[pick % len(names)]

    def present(self) -> list[str]:
        return sorted(self.nodes)

    def any_present(self, pick: int) -> str:
        names = self.present()
        return names[pick % len(names)]

    def stands(self, name: str) -> bool:
        return name in self.nodes and self.nodes[name].state == "active"

    def reached(self, name: str) -> list[str]:
        found = {name}
        while True:
            more = {n for n, node in self.nodes.items() if found & set(node.inputs)} | found
            if more == found:
                return sorted(found - {name})
            found = more

    def bar(self, names: list[str]) -> None:
        """Withholds what rests on something, then serves again what still stands."""
        for name in names:
            node = self.nodes[name]
            if node.state == "retracted":
                node.state = "withheld-retracted"
            elif node.state == "active":
                node.state = "withheld"
        self.repair(names)

    def repair(self, names: list[str]) -> None:
        order = [name for name in self.nodes if name in set(names)]
        for name in order:
            node = self.nodes[name]
            left = [source for source in node.inputs if self.stands(source)]
            says = {self.nodes[source].text for source in left}
            if not left or node.text not in says:
                continue
            if node.state == "withheld":
                node.state = "active"
                node.inputs = tuple(left)
            elif node.state == "withheld-retracted" and len(left) == len(node.inputs):
                node.state = "retracted"

    def take_back(self, name: str) -> None:
        self.retracted.add(name)
        self.nodes[name].state = "retracted"
        self.bar(self.reached(name))

    def gone(self, name: str) -> None:
        reached = self.reached(name)
        self.forgotten[name] = self.nodes.pop(name).text
        self.bar(reached)


WithdrawalsTest = Withdrawals.TestCase
WithdrawalsTest.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    deadline=None,
    database=None,
    derandomize=not is_full_run(),
    phases=tuple(Phase) if is_full_run() else (Phase.explicit, Phase.generate),
)
