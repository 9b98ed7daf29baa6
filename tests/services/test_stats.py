"""Counts, usage and writer status: what each reader may know, and no content (A7, A29, O53)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import MemfsError
from memfs.model.settings import StoreSettings
from memfs.services import writer_status
from memfs.services.health import status
from memfs.services.retrieval_log import LOG_FOLDER
from memfs.services.settle import ContendedError
from memfs.services.usage import BACKGROUND_FILE, background, background_work
from memfs.store.lock import LockTimeoutError
from memfs.store.store import Store
from tests.support.memory import AGENT, ANA, memory_of, new_project, workspace_of


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember("Ruff formats the code", kind="preference")
        memory.remember("The scan was clear", kind="fact", record_class="clinical")
        memory.remember("Deploys go out on Tuesdays", kind="fact")
    with memory_of(project, AGENT) as memory:
        memory.propose("Builds run on Node 20", kind="fact")
    return project


def test_a_person_counts_everything_and_a_program_what_it_may_see(project: Path) -> None:
    with memory_of(project) as memory:
        whole = memory.stats().data
    with memory_of(project, AGENT) as memory:
        part = memory.stats().data
    assert whole["records"] == {"fact": 2, "preference": 1}
    assert part["records"] == {"fact": 1, "preference": 1}
    assert (whole["waiting"], part["waiting"]) == (1, 1)
    assert {"states", "scopes", "held"} <= set(whole)
    assert not {"states", "scopes", "held"} & set(part)


def test_usage_counts_answers_and_a_program_counts_its_own(project: Path) -> None:
    with memory_of(project) as memory:
        memory.recall("which formatter for the code")
        memory.search("Tuesdays")
    with memory_of(project, AGENT) as memory:
        memory.recall("a thing that nobody ever said")
        own = memory.stats().data["usage"]
    assert isinstance(own, dict)
    assert own["answers"] == {"recall": 1}
    assert "background" not in own
    with memory_of(project) as memory:
        every = memory.stats().data["usage"]
    assert isinstance(every, dict)
    assert every["answers"] == {"recall": 2, "search": 1}
    assert every["records"]


def test_background_work_is_noted_however_it_ends(project: Path) -> None:
    with workspace_of(project) as workspace:
        with background(workspace, "upkeep"):
            pass
        with pytest.raises(ContendedError), background(workspace, "upkeep"):
            raise ContendedError("x")
        with pytest.raises(KeyboardInterrupt), background(workspace, "pass"):
            raise KeyboardInterrupt
        found = [(work.name, work.outcome) for work in background_work(workspace)]
        assert found == [
            ("pass", "interrupted"),
            ("upkeep", "conflict.contended"),
            ("upkeep", "done"),
        ]
    with memory_of(project) as memory:
        usage = memory.stats().data["usage"]
    assert isinstance(usage, dict)
    counted = usage["background"]
    assert isinstance(counted, dict)
    assert {name: work["runs"] for name, work in counted.items() if isinstance(work, dict)} == {
        "pass": 1,
        "upkeep": 2,
    }


def test_upkeep_that_is_due_appears_in_the_usage(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memfs.store.maintenance.LOOSE_OBJECTS", 0)
    with memory_of(project):
        pass
    with workspace_of(project) as workspace:
        assert [(work.name, work.outcome) for work in background_work(workspace)] == [
            ("upkeep", "done")
        ]
        log = workspace.cache_dir / LOG_FOLDER / BACKGROUND_FILE
        assert log.stat().st_mode & 0o777 == 0o600


def test_the_writer_tells_its_last_success_and_what_is_pending(project: Path) -> None:
    with workspace_of(project) as workspace:
        writer = writer_status.writer_status(workspace, ANA)
        assert (writer.operation, writer.failed, writer.code) == ("activate", None, "")
        assert writer.pending == 1
        for data in (status(workspace, (), ANA).data, status(workspace, (), AGENT).data):
            assert data["writer"] == {**writer.value}


def test_a_failure_of_the_store_is_told_until_a_write_succeeds(project: Path) -> None:
    with workspace_of(project) as workspace:
        workspace.store.configure(StoreSettings(lock_timeout_s=0.05))
        root = workspace.store.root
        with Store.open(root) as other, other.exclusive(), memory_of(project) as memory:
            memory.workspace.store.configure(StoreSettings(lock_timeout_s=0.05))
            with pytest.raises(LockTimeoutError):
                memory.remember("Typer for tools", kind="preference")
        writer = writer_status.writer_status(workspace, ANA)
        assert (writer.code, writer.is_retryable) == ("store.locked", True)
        assert writer.failed is not None
    with memory_of(project) as memory:
        memory.remember("Typer for tools", kind="preference")
        told = memory.status().data["writer"]
    assert isinstance(told, dict)
    assert told["failure_code"] in ("", "store.locked")


def test_what_a_caller_asked_wrongly_is_no_failure_of_the_writer(project: Path) -> None:
    with memory_of(project) as memory:
        with pytest.raises(MemfsError):
            memory.correct("mem_01kb8x3v6yq4m9t2r7w5z1c0de", "x")
        memory.remember("AKIA" + "Q7" * 8, kind="note")
        told = memory.status().data["writer"]
    assert isinstance(told, dict)
    assert told["failure_code"] == ""
