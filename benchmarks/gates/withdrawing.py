"""Gates for what was taken back: served nowhere, back by no door, whatever the mode."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.gates.surfaces import answers, is_served, served, targets_of
from benchmarks.gates.trial import Trial
from memfs.app.container import Memory
from memfs.model.result import ResultStatus
from memfs.model.settings import Mode
from tests.contract.surfaces import Target, answered
from tests.support.hooks import called, payload
from tests.support.memory import AGENT, git, memory_of, record_files, store_root
from tests.support.review import NO_HOOKS
from tests.support.withdrawal import derive

QUESTION: Final = "heron berth ledger"
CLAIMS: Final = 5
SUMMARIES: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Tale:
    """Claims and what rests on them, each with a word of its own, and who rests on whom."""

    project: Path
    words: Mapping[str, str]
    inputs: Mapping[str, tuple[str, ...]]

    def resting_on(self, roots: frozenset[str]) -> frozenset[str]:
        """Returns what rests on any of the roots, at whatever distance; not the roots."""
        found: frozenset[str] = frozenset()
        for name, inputs in self.inputs.items():
            # What is made later rests on what was made earlier, so one pass is enough.
            if set(inputs) & (roots | found):
                found |= {name}
        return found - roots


def told(trial: Trial) -> Tale:
    """Makes a store with claims and summaries of them and of each other."""
    project = trial.project()
    words: dict[str, str] = {}
    inputs: dict[str, tuple[str, ...]] = {}
    with memory_of(project) as memory:
        for number in range(CLAIMS):
            word = trial.word()
            text = f"The heron berth ledger page {number} says {word}"
            # The name of a file comes from the title, is given once, and never changes.
            name = memory.remember(text, kind="note", title=f"Page {number}").target
            words[name], inputs[name] = word, ()
        for number in range(SUMMARIES):
            rests = tuple(trial.rng.sample(sorted(words), k=trial.rng.randint(1, 2)))
            word = trial.word()
            text = f"Of the heron berth ledger, sum {number}: {word}"
            name = derive(memory, text, *rests, title=f"Sum {number}")
            words[name], inputs[name] = word, rests
    return Tale(project=project, words=words, inputs=inputs)


def withdrawn_is_served_nowhere(trial: Trial) -> None:
    """Takes claims back in each way, and asks everybody everywhere.

    What a program proposed itself before a claim was corrected, in words of that claim, still
    waits for review, where the program sees its own proposal; it is asked about on what serves.
    """
    for _ in range(trial.cases):
        tale = told(trial)
        claims = [name for name, rests in tale.inputs.items() if not rests]
        roots = trial.rng.sample(claims, k=3)
        before = served(tale.project, targets_of(roots, QUESTION))
        trial.control(all(is_served(word, before) for word in tale.words.values()), "all is served")
        with memory_of(tale.project) as memory:
            memory.retract(roots[0])
            memory.forget([roots[1]])
            memory.correct(roots[2], "The heron berth ledger has another page")
        gone = frozenset(roots) | tale.resting_on(frozenset(roots))
        after = served(tale.project, targets_of(sorted(gone), QUESTION))
        trial.hidden([tale.words[name] for name in sorted(gone - {roots[2]})], after)
        own = {f"{AGENT.principal}: inbox"}
        trial.hidden(
            [tale.words[roots[2]]], {where: it for where, it in after.items() if where not in own}
        )
        left = [word for name, word in tale.words.items() if name not in gone]
        trial.control(all(is_served(word, after) for word in left), "the rest is still served")


def withdrawn_comes_back_by_no_door(trial: Trial) -> None:
    """Forgets something, then tries every way in which it could return, in any order."""
    for _ in range(trial.cases):
        project = trial.project()
        word, kept = trial.word(), trial.word()
        text = f"The heron berth ledger says {word}"
        with memory_of(project) as memory:
            name = memory.remember(text, kind="fact", subject="heron", title="Heron").target
            memory.remember(f"The heron berth ledger keeps {kept}", kind="note", title="Kept")
        doors = _doors(trial, project, text)
        told = served(project, targets_of([name], QUESTION))
        trial.control(is_served(word, told), "it is served at first")
        with memory_of(project) as memory:
            trial.control(memory.forget([name]).status is ResultStatus.DONE, "it is forgotten")
        order = list(doors)
        trial.rng.shuffle(order)
        for door in order:
            doors[door]()
            after = served(project, targets_of([name], QUESTION))
            trial.hidden((word,), after, f"after {door} ")
            trial.control(is_served(kept, after), f"after {door} something is served")


def _doors(trial: Trial, project: Path, text: str) -> Mapping[str, Callable[[], object]]:
    """Returns the ways back, prepared while what they bring back was still there."""
    store, backup = store_root(project), trial.folder / f"{project.name}.backup"
    shutil.copytree(store, backup, symlinks=True)
    path = next(it for it in record_files(project) if text in it.read_text("utf-8"))
    content, before = path.read_bytes(), git(store, "rev-parse", "HEAD").strip()
    notes = trial.folder / f"{project.name}.notes"
    notes.mkdir()
    (notes / "a.md").write_text(f"# Heron\n\n{text}\n", "utf-8")

    def again() -> None:
        with memory_of(project) as memory:
            memory.remember(text, kind="fact", subject="heron", title="Heron")
        with memory_of(project, AGENT) as memory:
            memory.propose(text, kind="note", title="A bird")
        _accept_all(project)

    def imported() -> None:
        with memory_of(project) as memory:
            memory.import_path(notes, accept=True)

    def by_hand() -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        _accept_all(project)

    def committed_by_hand() -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        git(store, "add", "-A", "--force", "records")
        git(store, *NO_HOOKS, "commit", "-q", "--allow-empty", "-m", "by hand")
        _accept_all(project)

    def put_back() -> None:
        shutil.rmtree(store)
        shutil.copytree(backup, store, symlinks=True)

    def thrown_back() -> None:
        git(store, *NO_HOOKS, "reset", "-q", "--hard", before)
        git(store, "update-ref", "refs/memfs/ledger", before)

    def rebuilt() -> None:
        with memory_of(project) as memory:
            shutil.rmtree(memory.workspace.cache_dir)
        with memory_of(project) as memory:
            memory.rebuild()

    return {
        "saying it again": again,
        "an import": imported,
        "a file put back": by_hand,
        "a commit by hand": committed_by_hand,
        "a backup put back": put_back,
        "a branch thrown back": thrown_back,
        "a rebuild": rebuilt,
    }


def _accept_all(project: Path) -> None:
    with memory_of(project) as memory:
        memory.accept(None)


def off_is_off(trial: Trial) -> None:
    """Switches memory off, asks and tells it everything, and switches it on again."""
    for _ in range(trial.cases):
        project = trial.project()
        kept, gone, later = trial.word(), trial.word(), trial.word()
        with memory_of(project) as memory:
            memory.remember(f"The heron berth ledger keeps {kept}", kind="note", title="Kept")
            names = [
                memory.remember(
                    f"The heron berth ledger says {word}", title=f"Heron {place}"
                ).target
                for place, word in enumerate((gone, later))
            ]
            memory.forget(names[:1])
        targets = targets_of(names, QUESTION)
        before = served(project, targets)
        trial.control(
            is_served(kept, before) and is_served(later, before), "it is served while memory is on"
        )
        for mode in (Mode.OFF, Mode.READ_ONLY, Mode.SHADOW):
            _set(project, mode)
            after = served(project, targets, *((AGENT,) if mode is Mode.SHADOW else ()))
            trial.hidden((gone,), after, f"in mode {mode} ")
            if mode is Mode.OFF:
                _asked_while_off(trial, project, (kept, later), targets)
                with memory_of(project) as memory:
                    memory.forget(names[1:])
            trial.hidden((later,), served(project, targets), f"forgotten while off, in {mode} ")
        _set(project, Mode.ENFORCED)
        with memory_of(project) as memory:
            again = memory.remember(f"The heron berth ledger says {gone}", title="Heron 0")
        trial.expect(again.status is not ResultStatus.DONE, "on again, what was forgotten is taken")
        after = served(project, targets)
        trial.hidden((gone, later), after, "on again, ")
        trial.control(is_served(kept, after), "on again, something is served")


def _asked_while_off(
    trial: Trial, project: Path, words: tuple[str, ...], targets: tuple[Target, ...]
) -> None:
    head = git(store_root(project), "rev-parse", "refs/memfs/ledger")
    with memory_of(project, AGENT) as memory:
        told = {f"way in {number}": answered(way) for number, way in enumerate(_ways_in(memory))}
        told |= {f"agent: {name}": text for name, text in answers(memory, targets)}
    with memory_of(project) as memory:
        told["remember"] = answered(lambda: memory.remember("The heron is grey"))
        told["recall"] = answered(lambda: memory.recall(QUESTION))
    for event in ("session-start", "prompt", "stop"):
        told[f"hook {event}"] = called(event, payload(project, prompt=QUESTION)).decode()
    trial.hidden(words, told, "switched off, ")
    now = git(store_root(project), "rev-parse", "refs/memfs/ledger")
    trial.expect(now == head, "switched off, the ledger stands still")


def _ways_in(memory: Memory) -> tuple[Callable[[], object], ...]:
    return (
        lambda: memory.propose("The heron is grey", kind="fact", subject="grey"),
        lambda: memory.capture("The heron is grey"),
        lambda: memory.finish_run(task="Look at the heron", summary="Grey."),
        lambda: memory.open_issue("The heron is grey"),
        lambda: memory.save_node("The heron is grey, as anybody can see from the quay"),
        lambda: memory.start_task("Paint the heron"),
        lambda: memory.run_jobs(most=9),
    )


def _set(project: Path, mode: Mode) -> None:
    path = store_root(project) / "memfs.yaml"
    lines = path.read_text("utf-8").splitlines()
    changed = [f"mode: {mode}" if line.startswith("mode: ") else line for line in lines]
    path.write_text("\n".join(changed) + "\n", "utf-8")
    with memory_of(project) as memory:
        memory.accept([item.id for item in memory.candidates() if item.path == "memfs.yaml"])
        if memory.settings.mode is not mode:
            raise RuntimeError(f"expected mode {mode}, got {memory.settings.mode}")
