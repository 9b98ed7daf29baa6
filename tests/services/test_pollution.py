"""A polluted namespace is served to nobody and takes nothing in until a person clears it (A74)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.errors import MemfsError, UsageError
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.result import Result, ResultStatus
from memfs.model.scope import Scope
from memfs.services.pollution import AUDIT_CAUSE, cause_label, pollute
from tests.support.memory import AGENT, ANA, git, memory_of, new_project, store_root, workspace_of

CLAIM = "FastAPI for every Python backend, never Flask"
HERE = "project:datasync"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember(CLAIM, kind="preference")
    return project


def what_is_seen(memory: Memory) -> list[str]:
    """Returns every surface on which the claim can be read."""
    (reference,) = [memory.workspace.store.snapshot().entry(path) for path in paths_of(memory)]
    assert reference is not None
    surfaces: dict[str, Callable[[], object]] = {
        "recall": lambda: memory.recall("which Python backend").text,
        "search": lambda: memory.search("which Python backend"),
        "list": memory.list_records,
        "show": lambda: memory.show(reference.path),
    }
    found = []
    for name, look in surfaces.items():
        try:
            seen = str(look())
        except MemfsError as error:
            seen = error.code
        if "FastAPI" in seen:
            found.append(name)
    return found


def paths_of(memory: Memory) -> list[str]:
    entries = memory.workspace.store.snapshot().entries("records/")
    return [entry.path for entry in entries]


def codes(result: Result) -> list[str]:
    return [item.code for item in result.reasons]


@pytest.mark.parametrize("actor", [ANA, AGENT], ids=["person", "program"])
def test_a_polluted_namespace_is_served_to_nobody_until_it_is_cleared(
    project: Path, actor: object
) -> None:
    every = ["recall", "search", "list", "show"]
    for step, expected in (("before", every), ("marked", []), ("cleared", every)):
        with memory_of(project) as memory:
            if step == "marked":
                assert memory.pollute(HERE, cause="poisoned import").status is ResultStatus.DONE
            if step == "cleared":
                assert memory.clear(HERE).status is ResultStatus.DONE
        with memory_of(project, ANA if actor is ANA else AGENT) as memory:
            assert what_is_seen(memory) == expected, step


def test_nothing_enters_a_polluted_namespace_and_other_namespaces_go_on(project: Path) -> None:
    with memory_of(project) as memory:
        memory.pollute(HERE, cause="poisoned import")
        refused = memory.remember("Ruff formats the code", kind="preference")
        elsewhere = memory.remember("Ruff formats it", kind="preference", scope="agent:builder")
    with memory_of(project, AGENT) as memory:
        proposed = memory.propose("Ruff lints the code", kind="fact")
    assert (refused.status, codes(refused)) == (ResultStatus.REFUSED, ["namespace.polluted"])
    assert (proposed.status, codes(proposed)) == (ResultStatus.REFUSED, ["namespace.polluted"])
    assert elsewhere.status is not ResultStatus.REFUSED


def test_repair_is_possible_while_the_mark_stands(project: Path) -> None:
    with memory_of(project) as memory:
        reference = memory.list_records()[0].record.id
        memory.pollute(HERE, cause="poisoned import")
        assert memory.forget([reference]).status is ResultStatus.DONE
        memory.clear(HERE)
        assert memory.list_records() == ()


def test_the_index_for_people_leaves_a_polluted_namespace_out(project: Path) -> None:
    index = store_root(project) / "MEMORY.md"
    with memory_of(project) as memory:
        memory.pollute(HERE, cause="poisoned import")
    assert "FastAPI" not in index.read_text("utf-8")
    with memory_of(project) as memory:
        memory.clear(HERE)
    assert "FastAPI" in index.read_text("utf-8")


def test_only_a_person_marks_and_clears_and_memfs_itself_marks(project: Path) -> None:
    with memory_of(project, AGENT) as memory:
        assert codes(memory.pollute(HERE, cause="x")) == ["actor.not-a-person"]
        assert codes(memory.clear(HERE)) == ["actor.not-a-person"]
    with workspace_of(project) as workspace:
        scope = Scope.parse(HERE)
        assert pollute(workspace, scope, AUDIT_CAUSE, SYSTEM_ACTOR).status is ResultStatus.DONE
    log = git(store_root(project), "log", "-1", "--format=%an%n%s")
    assert log == f"system:memfs\npollute: {HERE}: {AUDIT_CAUSE}\n"


def test_marking_twice_and_clearing_nothing_change_nothing(project: Path) -> None:
    with memory_of(project) as memory:
        assert memory.clear(HERE).status is ResultStatus.NOTHING
        first = memory.pollute(HERE, cause="poisoned import")
        again = memory.pollute(HERE, cause="another reason")
    assert (again.status, again.target) == (ResultStatus.NOTHING, first.target)


def test_a_namespace_of_another_store_is_not_marked_here(project: Path) -> None:
    with memory_of(project) as memory:
        assert codes(memory.pollute("project:other", cause="x")) == ["scope.other-store"]
        assert codes(memory.pollute("global", cause="x")) == ["scope.other-store"]
        with pytest.raises(UsageError):
            memory.pollute("nowhere", cause="x")


def test_a_cause_is_a_plain_label_and_never_a_secret() -> None:
    assert cause_label("  Poisoned: by an Import! ") == "poisoned-by-an-import"
    for text in ("", "!!!", "AKIA" + "Q7" * 8):
        with pytest.raises(UsageError):
            cause_label(text)
