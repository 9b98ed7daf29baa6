"""What programs can do over every verb: read, propose, and nothing else (O49, O50).

Only a person who decides here changes what the ledger holds, and each change is one commit that
names who made it and by which rule. Everybody else leaves the ledger exactly as it was; they can
add to the inbox, and they can neither rewrite nor remove what anybody has put there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.errors import MemfsError
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import Result, ResultStatus
from tests.support.memory import AGENT, ANA, git, memory_of, new_project, store_root
from tests.support.namespaces import PROGRAMS, at_store, new_global, stated

Verb = Callable[[Memory, str, str], object]
"""Works on a memory, a record of the ledger and a candidate of somebody else's."""


def grown(before: bytes, _: str) -> bytes:
    return before + b"and more\n"


def imported(memory: Memory, _: str, __: str) -> object:
    notes = memory.workspace.store.root.parent / "notes.md"
    notes.write_text("# Notes\n\nThe cache is cold on Mondays.\n")
    return memory.import_path(notes, accept=True)


DECIDING: dict[str, Verb] = {
    "accept": lambda memory, _, candidate: memory.accept([candidate]),
    "accept-all": lambda memory, _, __: memory.accept(None),
    "reject": lambda memory, _, candidate: memory.reject([candidate]),
    "reject-all": lambda memory, _, __: memory.reject(None),
    "edit-candidate": lambda memory, _, candidate: memory.edit_candidate(candidate, grown),
    "publish": lambda memory, record, _: memory.publish(record, "global"),
    "publish-within": lambda memory, record, _: memory.publish(record, "task:t1"),
    "finish": lambda memory, _, __: memory.finish_publications(into="global"),
    "import": imported,
    "retract": lambda memory, record, _: memory.retract(record),
    "forget": lambda memory, record, _: memory.forget([record]),
    "restore": lambda memory, record, _: memory.restore(record),
    "erase": lambda memory, record, _: memory.erase([record]),
    "grant": lambda memory, _, __: memory.grant("agent:other", scopes=["project:datasync"]),
    "revoke": lambda memory, _, __: memory.revoke("grant_01kb8x3v6y0000000000000001"),
}
"""What a program is refused, whatever it asks."""
PROPOSING: dict[str, Verb] = {
    "remember": lambda memory, _, __: memory.remember("Tabs are two wide", kind="fact"),
    "remember-private": lambda memory, _, __: memory.remember("Cold", kind="note", scope="task:t"),
    "remember-global": lambda memory, _, __: memory.remember(
        "Tabs are two wide", kind="fact", scope="global"
    ),
    "propose": lambda memory, _, __: memory.propose("Tabs are four wide", kind="fact"),
    "correct": lambda memory, record, _: memory.correct(record, "Deploys go out on Fridays"),
    "edit": lambda memory, record, _: memory.edit(record, grown),
}
"""What a program may do: it waits for a person."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    new_global()
    return new_project(tmp_path)


@pytest.fixture
def record(project: Path) -> str:
    return stated(store_root(project), "Deploys go out on Tuesdays", subject="deploys")


@pytest.fixture
def candidate(project: Path) -> str:
    """What another agent proposed and nobody has decided on."""
    with memory_of(project, AGENT) as memory:
        return memory.propose("The build takes nine minutes", kind="fact").target


def ledger_of(root: Path) -> str:
    return git(root, "rev-parse", "refs/memfs/ledger", "main")


def inbox_of(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (root / "inbox").glob("*.md")}


def attempted(project: Path, actor: Actor, verb: Verb, record: str, candidate: str) -> object:
    with memory_of(project, actor) as memory:
        try:
            return verb(memory, record, candidate)
        except MemfsError as error:
            return error


INTRUDER = Actor(Principal.parse("agent:intruder"), Channel.AGENT)
OTHERS = (INTRUDER, *(actor for actor in PROGRAMS if actor != AGENT))
"""Programs that proposed nothing of what waits."""


@pytest.mark.parametrize("actor", OTHERS, ids=str)
@pytest.mark.parametrize("verb", DECIDING, ids=str)
def test_no_program_decides_anything(
    project: Path, record: str, candidate: str, actor: Actor, verb: str
) -> None:
    root = store_root(project)
    before = ledger_of(root), inbox_of(root)
    answer = attempted(project, actor, DECIDING[verb], record, candidate)
    results = answer if isinstance(answer, tuple) else (answer,)
    for result in results:
        assert isinstance(result, MemfsError) or (
            isinstance(result, Result)
            and result.status in (ResultStatus.REFUSED, ResultStatus.NOTHING, ResultStatus.WAITING)
        ), result
    assert ledger_of(root) == before[0]
    kept = inbox_of(root)
    assert {name: kept.get(name) for name in before[1]} == before[1]


@pytest.mark.parametrize("actor", OTHERS, ids=str)
@pytest.mark.parametrize("verb", PROPOSING, ids=str)
def test_a_program_appends_to_the_inbox_and_rewrites_nothing(
    project: Path, record: str, candidate: str, actor: Actor, verb: str
) -> None:
    root = store_root(project)
    before = ledger_of(root), inbox_of(root)
    attempted(project, actor, PROPOSING[verb], record, candidate)
    attempted(project, actor, PROPOSING[verb], record, candidate)
    assert ledger_of(root) == before[0]
    kept = inbox_of(root)
    assert {name: kept.get(name) for name in before[1]} == before[1]
    assert len(kept) <= len(before[1]) + 1


OWNED = (
    "accept",
    "accept-all",
    "publish",
    "publish-within",
    "retract",
    "forget",
    "grant",
    "import",
)


@pytest.mark.parametrize("verb", OWNED)
def test_the_owner_promotes_with_commits_that_say_who_and_why(
    project: Path, record: str, candidate: str, verb: str
) -> None:
    root = store_root(project)
    before = git(root, "rev-parse", "refs/memfs/ledger").strip()
    answer = attempted(project, ANA, DECIDING[verb], record, candidate)
    assert not isinstance(answer, MemfsError), answer
    log = git(root, "log", "--format=%B%x00", f"{before}..refs/memfs/ledger")
    commits = [text for text in log.split("\0") if text.strip()]
    assert commits
    for text in commits:
        assert "Memfs-Txn: tx_" in text
        assert "Memfs-Decision: allow " in text
        assert "Memfs-Actor: user:ana (terminal)\n" in text or "Memfs-Actor: system:" in text
    assert any("Memfs-Actor: user:ana (terminal)\n" in text for text in commits)


def test_confidence_and_repetition_promote_nothing(project: Path) -> None:
    root = store_root(project)
    before = ledger_of(root)
    for _ in range(3):
        for actor in PROGRAMS:
            with memory_of(project, actor) as memory:
                memory.propose("Tabs are four wide", kind="preference", importance=10)
    assert ledger_of(root) == before
    with at_store(root) as memory:
        assert memory.list_records() == ()
