"""The life of a store under everything that people, agents and Git do to it, in any order.

The model knows what was acknowledged and nothing else. What was proposed, edited, added,
removed, committed or reset by hand changes it only through an accepted candidate.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memfs.app.memory import Memory
from memfs.errors import MemfsError
from memfs.index.catalogue import CatalogueFilter
from memfs.model.candidate import Candidate, CandidateAction
from memfs.model.problem import Severity
from memfs.model.result import Result, ResultStatus
from memfs.services.catalogue import open_catalogue
from memfs.services.inbox import read_inbox
from tests.support.faults import is_full_run
from tests.support.memory import AGENT, git, memory_of, new_project, record_files, store_root
from tests.support.review import NO_HOOKS

EXAMPLES = 150 if is_full_run() else 5
STEPS = 25 if is_full_run() else 14
WAITS = {"conflict.held", "conflict.stale-base", "candidate.invalid"}
"""What may stand in the way of an operation, with nothing changed by it."""

picks = st.integers(min_value=0, max_value=99)


class Life(RuleBasedStateMachine):
    """A person, an agent and Git at work in one store."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="life-"))
        self.count = 0
        self.served: dict[str, str] = {}
        self.versions: dict[str, list[str]] = {}
        self.choices: set[str] = set()
        self.unserved: set[str] = set()

    @initialize()
    def found(self) -> None:
        self.project = new_project(self.folder)
        self.root = store_root(self.project)

    def teardown(self) -> None:
        try:
            if hasattr(self, "project"):
                self.check_ending()
        finally:
            shutil.rmtree(self.folder)

    # What people and agents do through memfs ------------------------------------------

    @rule()
    def remember(self) -> None:
        text = self.new_text()
        with memory_of(self.project) as memory:
            self.admitted(memory.remember(text, kind="note").target, text)

    @rule()
    def choose(self) -> None:
        """States a preference; an earlier one of the same person's is replaced."""
        text = self.new_text()
        with memory_of(self.project) as memory:
            result = self.attempt(
                lambda: memory.remember(text, kind="preference", subject="choice"), text
            )
            if result is not None:
                self.admitted(result.target, text)
                self.replaced(memory, result.target)

    @rule()
    def propose(self) -> None:
        text = self.new_text()
        with memory_of(self.project, AGENT) as memory:
            assert memory.propose(text, kind="fact").status is ResultStatus.WAITING
        self.unserved.add(text)

    @precondition(lambda self: self.served)
    @rule(pick=picks)
    def propose_correction(self, pick: int) -> None:
        text = self.new_text()
        with memory_of(self.project, AGENT) as memory:
            assert memory.correct(self.any_id(pick), text).status is ResultStatus.WAITING
        self.unserved.add(text)

    @precondition(lambda self: self.served)
    @rule(pick=picks)
    def correct(self, pick: int) -> None:
        text, target = self.new_text(), self.any_id(pick)
        with memory_of(self.project) as memory:
            if self.attempt(lambda: memory.correct(target, text), text):
                self.admitted(target, text)

    @rule(pick=picks)
    def accept_one(self, pick: int) -> None:
        with memory_of(self.project) as memory:
            candidates = memory.candidates()
            if candidates:
                self.accept(memory, candidates[pick % len(candidates)])

    @rule()
    def accept_each(self) -> None:
        with memory_of(self.project) as memory:
            for candidate in memory.candidates():
                self.accept(memory, candidate)

    @rule(restore=st.booleans(), pick=picks)
    def reject_one(self, restore: bool, pick: int) -> None:
        with memory_of(self.project) as memory:
            candidates = memory.candidates()
            if candidates:
                chosen = candidates[pick % len(candidates)]
                memory.reject([chosen.id], restore=restore)

    # What people do around it -----------------------------------------------------------

    @precondition(lambda self: self.served)
    @rule(pick=picks)
    def edit_by_hand(self, pick: int) -> None:
        file = self.file_of(self.any_id(pick))
        if file is not None:
            text = self.new_text()
            file.write_text(file.read_text().rsplit("---\n", 1)[0] + f"---\n{text}\n")
            self.unserved.add(text)

    @rule()
    def add_by_hand(self) -> None:
        text = self.new_text()
        folder = self.root / "records" / "note" / "2026-11"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"by-hand-{self.count}.md").write_text(f"---\nkind: note\n---\n{text}\n")
        self.unserved.add(text)

    @precondition(lambda self: self.served)
    @rule(pick=picks)
    def delete_by_hand(self, pick: int) -> None:
        file = self.file_of(self.any_id(pick))
        if file is not None:
            file.unlink()

    @precondition(lambda self: self.served)
    @rule(pick=picks)
    def rename_by_hand(self, pick: int) -> None:
        file = self.file_of(self.any_id(pick))
        if file is not None:
            self.count += 1
            file.rename(file.with_name(f"renamed-{self.count}.md"))

    @rule()
    def commit_by_hand(self) -> None:
        git(self.root, "add", "-A")
        git(self.root, *NO_HOOKS, "commit", "-q", "--allow-empty", "-m", "by hand")

    @rule()
    def reset_by_hand(self) -> None:
        if int(git(self.root, "rev-list", "--count", "--first-parent", "HEAD")) > 1:
            git(self.root, "reset", "-q", "--hard", "HEAD~1")

    # What must hold ---------------------------------------------------------------------

    @invariant()
    def is_sound(self) -> None:
        if not hasattr(self, "project"):
            return
        with memory_of(self.project) as memory:
            found = {stored.record.id: stored.record.body for stored in memory.list_records()}
            errors = [item for item in memory.check() if item.severity is Severity.ERROR]
            waiting_edits = [
                item for item in read_inbox(memory.workspace).candidates if item.is_working_file
            ]
            reported = memory.status().data["problems"]
        assert found == {name: f"{text}\n" for name, text in self.served.items()}
        assert errors == []
        if not waiting_edits and not reported:
            assert git(self.root, "status", "--porcelain") == ""

    def check_ending(self) -> None:
        with memory_of(self.project) as memory:
            for name, texts in self.versions.items():
                if name in self.served:
                    for number, text in enumerate(texts, start=1):
                        assert memory.show(f"{name}@{number}").record.body == f"{text}\n"
            for text in sorted(self.unserved):
                assert all(text not in hit.stored.record.body for hit in memory.search(text))
            before = self.derived(memory)
            memory.rebuild()
            assert self.derived(memory) == before
        git(self.root, "fsck", "--strict")

    def derived(self, memory: Memory) -> object:
        """Returns what the catalogue and the index hold, as far as it can be asked for."""
        workspace = memory.workspace
        catalogue = open_catalogue(workspace, workspace.store.snapshot())
        try:
            rows = tuple(sorted(catalogue.listing(CatalogueFilter()), key=lambda row: row.path))
        finally:
            catalogue.close()
        hits = {
            text: [(hit.stored.record.reference, hit.stored.path) for hit in memory.search(text)]
            for text in self.served.values()
        }
        return rows, hits

    # The model --------------------------------------------------------------------------

    def new_text(self) -> str:
        self.count += 1
        return f"The word of number {self.count} is w{self.count:04d}x"

    def any_id(self, pick: int) -> str:
        return sorted(self.served)[pick % len(self.served)]

    def file_of(self, identifier: str) -> Path | None:
        line = f"\nid: {identifier}\n"
        return next((file for file in record_files(self.project) if line in file.read_text()), None)

    def admitted(self, target: str, text: str) -> None:
        self.served[target] = text
        self.versions.setdefault(target, []).append(text)
        self.unserved.discard(text)

    def replaced(self, memory: Memory, target: str) -> None:
        """Takes note of what a choice replaced: one at most, and the chain leads to it."""
        replaced = [
            name
            for name in self.choices & set(self.served)
            if name != target and memory.show(name).record.id == target
        ]
        assert len(replaced) <= 1
        for name in replaced:
            del self.served[name]
        self.choices.add(target)

    def attempt(self, work: Callable[[], Result], text: str) -> Result | None:
        try:
            result = work()
        except MemfsError as error:
            if error.code not in WAITS:
                raise
            self.unserved.add(text)
            return None
        if result.status is ResultStatus.WAITING:
            self.unserved.add(text)
            return None
        assert result.status is ResultStatus.DONE
        return result

    def accept(self, memory: Memory, candidate: Candidate) -> None:
        try:
            (result,) = memory.accept([candidate.id])
        except MemfsError as error:
            if error.code not in WAITS:
                raise
            return
        assert result.status is not ResultStatus.NOTHING
        if result.status is not ResultStatus.DONE:
            return
        if candidate.action is CandidateAction.FORGET or not candidate.content:
            self.served.pop(result.target, None)
            return
        text = candidate.content.decode().rsplit("---\n", 1)[1].rstrip("\n")
        if self.served.get(result.target) != text:
            self.admitted(result.target, text)
        if b"\nsubject: choice\n" in candidate.content:
            self.replaced(memory, result.target)


LifeTest = Life.TestCase
LifeTest.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    deadline=None,
    database=None,
    derandomize=not is_full_run(),
    phases=tuple(Phase) if is_full_run() else (Phase.explicit, Phase.generate),
)
