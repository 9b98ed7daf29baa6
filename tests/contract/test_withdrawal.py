"""What is taken back stays away, at once and for good (A12 A14 A19 A21 A25 A26)."""

from __future__ import annotations

import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.model.candidate import Submission
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.result import ResultStatus
from memfs.policy.authority import capture_origin
from memfs.services.propose import submit
from tests.contract.surfaces import SURFACES, Target, files_of
from tests.support.memory import (
    AGENT,
    ANA,
    git,
    memory_of,
    new_project,
    record_files,
    store_root,
)

SECRET = "sk_" + "live_" + "9aZ8bY7cX6dW5eV4fU3gT2hS"
WORDS = ("vermilion", "heron-berth")
QUESTION = "heron berth number"


def state(project: Path, text: str, *, actor: Actor = ANA, **fields: object) -> str:
    """Has ``actor`` state a claim, confirmed by the owner where it waits; returns its id."""
    draft = replace(Record(kind="note", body=f"{text}\n"), **fields)  # type: ignore[arg-type]
    with memory_of(project) as memory:
        origin = capture_origin(actor, text)
        result = submit(memory.workspace, Submission(draft=draft, origin=origin), actor)
    if result.status is ResultStatus.DONE:
        return result.target
    with memory_of(project) as memory:
        return memory.accept([result.target])[0].target.split("@")[0]


def chain(project: Path) -> tuple[str, str, str]:
    """Makes a claim, a summary of it and a summary of that; returns their ids."""
    root = state(project, f"The heron berth number is 7, painted {WORDS[0]}")
    child = state(
        project,
        f"Summary: {WORDS[1]} is painted {WORDS[0]}",
        actor=AGENT,
        derived_from=(f"{root}@1",),
        transform="summary",
    )
    grandchild = state(
        project,
        f"Digest of the {WORDS[1]} summary",
        actor=AGENT,
        derived_from=(f"{child}@1",),
        transform="digest",
    )
    return root, child, grandchild


def served(project: Path, actor: Actor = ANA) -> set[str]:
    """Returns the ids that list, search and recall serve."""
    with memory_of(project, actor) as memory:
        listed = {item.record.id for item in memory.list_records()}
        found = {hit.stored.record.id for hit in memory.search("heron berth painted", limit=50)}
        packed = {card.hit.stored.record.id for card in memory.recall("heron berth").cards}
    return listed | found | packed


@pytest.mark.invariant("A12")
def test_a_derived_record_names_its_inputs_and_its_transform(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    root, child, _ = chain(project)
    with memory_of(project) as memory:
        record = memory.show(child).record
        assert record.derived_from == (f"{root}@1",)
        assert record.transform == "summary"
    with memory_of(project, AGENT) as memory:
        missing = Record(
            kind="note",
            body="A summary of nothing that stands here\n",
            derived_from=("mem_01kb8x3v6yq4m9t2r7w5z1c0zz@1",),
            transform="summary",
        )
        origin = capture_origin(AGENT, missing.body)
        result = submit(memory.workspace, Submission(draft=missing, origin=origin), AGENT)
    assert result.status is not ResultStatus.DONE
    assert "evidence.missing" in {reason.code for reason in result.reasons}


@pytest.mark.invariant("A14", "A13")
@pytest.mark.parametrize("verb", ["retract", "forget", "correct"])
def test_no_descendant_is_served_once_a_withdrawal_returns(tmp_path: Path, verb: str) -> None:
    project = new_project(tmp_path)
    root, child, grandchild = chain(project)
    assert {root, child, grandchild} <= served(project)
    with memory_of(project) as memory:
        match verb:
            case "retract":
                result = memory.retract(root)
            case "forget":
                result = memory.forget([root])
            case _:
                result = memory.correct(root, "The heron berth number is 9, painted blue")
    assert result.status is ResultStatus.DONE
    left = served(project) | served(project, AGENT)
    assert not {child, grandchild} & left
    assert (root in left) is (verb == "correct")
    for actor in (ANA, AGENT):
        with memory_of(project, actor) as memory:
            for name in ("search", "packet", "list"):
                target = Target(
                    reference=root, path="", words=WORDS, question=f"{QUESTION} {WORDS[0]}"
                )
                said = SURFACES[name](memory, target)
                # The name of a file is given once and never changes.
                for path in record_files(project):
                    said = said.replace(path.name, "")
                assert WORDS[0] not in said


@pytest.mark.invariant("A14")
@pytest.mark.fault
def test_a_kill_right_after_the_commit_leaves_the_barrier(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    root, child, grandchild = chain(project)
    with memory_of(project) as memory:
        before = memory.workspace.store.ledger_head()
    child_process = os.fork()
    if child_process == 0:
        with memory_of(project) as memory:
            store = memory.workspace.store
            commit = store.commit

            def commit_and_die(plan: object) -> object:
                commit(plan)  # type: ignore[arg-type]
                os.kill(os.getpid(), signal.SIGKILL)
                return None

            store.commit = commit_and_die  # type: ignore[assignment, method-assign]
            memory.retract(root)
        os._exit(1)
    _, status = os.waitpid(child_process, 0)
    assert os.WIFSIGNALED(status)
    with memory_of(project) as memory:
        assert memory.workspace.store.ledger_head() != before
    assert not {root, child, grandchild} & served(project)


@pytest.mark.invariant("A26")
def test_what_was_forgotten_comes_back_by_no_door(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    text = "The heron berth number is 7"
    root = state(project, text, kind="fact", subject="heron-berth")
    backup = tmp_path / "backup"
    shutil.copytree(store_root(project), backup, symlinks=True)
    content = record_files(project)[0].read_bytes()
    path = record_files(project)[0]
    with memory_of(project) as memory:
        memory.forget([root])
    with memory_of(project) as memory:
        again = memory.remember(text, kind="fact", subject="heron-berth")
        assert again.status is ResultStatus.REFUSED
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    with memory_of(project) as memory:
        memory.accept(None)
        assert memory.list_records() == ()
    git(store_root(project), "add", "-A", "--force", "records")
    git(store_root(project), "commit", "-q", "-m", "by hand", "--no-verify")
    with memory_of(project) as memory:
        memory.accept(None)
        assert memory.list_records() == ()
    shutil.rmtree(store_root(project))
    shutil.copytree(backup, store_root(project), symlinks=True)
    assert root not in served(project)
    assert root not in served(project, AGENT)


@pytest.mark.invariant("A21")
def test_the_receipt_says_what_was_reached_and_what_was_not(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    root, _, _ = chain(project)
    with memory_of(project) as memory:
        memory.forget([root])
    receipts = files_of(store_root(project) / "receipts")
    assert root in receipts
    assert "forget" in receipts
    for word in (*WORDS, "berth"):
        assert word not in receipts


@pytest.mark.invariant("A19")
def test_secrets_and_hidden_reasoning_reach_no_place(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    thought = "<thinking>the user seems tired and I should hide this</thinking>"
    with memory_of(project) as memory:
        kept = memory.remember("Ana uses tabs", kind="preference").target
        for text in (f"The deploy key is {SECRET}", thought):
            memory.remember(text)
            memory.propose(text)
            memory.correct(kept, text)
            memory.remember("A plain note", title=text[:190], tags=[text[:60]])
    for actor in (AGENT,):
        with memory_of(project, actor) as memory:
            memory.propose(f"Use {SECRET} to deploy", kind="fact", subject="deploy")
            memory.search(f"deploy {SECRET}")
            memory.recall(f"deploy {SECRET}")
            cache = memory.workspace.cache_dir
    everything = files_of(store_root(project)) + files_of(cache)
    everything += git(store_root(project), "log", "-p", "--all", "--format=%B")
    assert SECRET not in everything
    assert "seems tired" not in everything


@pytest.mark.invariant("A25")
def test_a_recorded_effect_is_never_rewritten(tmp_path: Path) -> None:
    """An episode is an account of what happened: it can be replaced, never changed."""
    project = new_project(tmp_path)
    episode = state(
        project,
        "The migration was run on the staging database",
        kind="episode",
        fields={"outcome": "success"},
    )
    path = record_files(project)[0]
    before = path.read_text(encoding="utf-8")
    with memory_of(project) as memory:
        assert memory.correct(episode, "The migration was never run").status is (
            ResultStatus.REFUSED
        )
        memory.retract(episode)
    after = path.read_text(encoding="utf-8")
    assert [line for line in before.splitlines() if line not in after.splitlines()] == []
    assert "status: retracted" in after
