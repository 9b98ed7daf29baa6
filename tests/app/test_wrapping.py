"""A command is wrapped, whatever memory says to that."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.app.container import Memory, open_memory
from memfs.app.wrapping import Wrap, Wrapped, run_wrapped
from memfs.domains.runs.dispatch import Dispatches
from memfs.errors import StoreError, UsageError
from memfs.model.origin import OriginClass
from memfs.model.run import RunState
from memfs.services.gate import access_request
from memfs.services.reading import find_record
from memfs.store.effects import WriteFailedError
from tests.support.memory import AGENT, ANA, memory_of, new_project, replaced_settings

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SHOW = 'env | grep "^MEMFS_.*ID=" | sort'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


def opener(project: Path, **variables: str) -> Callable[[], Memory]:
    def open_store() -> Memory:
        memory = open_memory(start=project, env={**os.environ, **variables})
        memory.actor = AGENT
        return memory

    return open_store


def wrapped(
    project: Path, *command: str, task: str = "", is_prompt: bool = False, **variables: str
) -> Wrapped:
    wrap = Wrap(command=command, task=task, options={}, is_prompt=is_prompt)
    env = {**os.environ, **variables}
    return run_wrapped(wrap, opener(project, **variables), env)


def test_a_command_is_recorded_with_what_was_seen_of_it(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    done = wrapped(project, "sh", "-c", "echo 'I looked at all of it.'; exit 3", task="Look at it")

    assert done.exit_code == 3
    assert capfd.readouterr().out == "I looked at all of it.\n"
    with memory_of(project, AGENT) as memory:
        (view,) = memory.list_runs()
        assert (view.state, view.task) == (RunState.ERROR, "Look at it")
        assert view.stored is not None
        record = view.stored.record
        assert (record.fields["exit_code"], record.evidence != ()) == (3, True)
        request = access_request(memory.workspace, ANA)
        snapshot = memory.workspace.store.snapshot()
        evidence = find_record(memory.workspace, snapshot, record.evidence[0], request).record
        paths = memory.workspace.store.commits(limit=1)[0].records
    assert evidence.origin is not None
    assert evidence.origin.origin_class is OriginClass.HOST_OBSERVED
    assert evidence.fields["outcome"] == "failed"
    assert str(evidence.fields["command_digest"]).startswith("sha256:")
    assert {path.partition("_")[0] for path in paths} == {"run", "ev"}


def test_it_finds_its_place_among_runs_in_its_environment(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    outer = "run_01kb8x3v6yq4m9t2r7w5z1c0df"

    wrapped(project, "sh", "-c", SHOW, MEMFS_SESSION_ID="chat-1", MEMFS_PARENT_RUN_ID=outer)
    first = capfd.readouterr().out.split()
    with memory_of(project, AGENT) as memory:
        (view,) = memory.list_runs()
    assert first == [
        f"MEMFS_PARENT_RUN_ID={outer}",
        f"MEMFS_RUN_ID={view.run}",
        "MEMFS_SESSION_ID=chat-1",
    ]
    assert (view.parent, view.root, view.session) == (outer, outer, "chat-1")

    wrapped(project, "sh", "-c", SHOW)
    assert [line.partition("=")[0] for line in capfd.readouterr().out.split()] == ["MEMFS_RUN_ID"]


def test_what_speaks_in_a_run_is_an_agent_by_its_own_name(
    project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    builder = tmp_path / "builder"
    builder.write_text("#!/bin/sh\necho $MEMFS_AGENT\n", encoding="utf-8")
    builder.chmod(0o755)

    wrapped(project, str(builder))
    wrapped(project, str(builder), MEMFS_AGENT="painter")
    wrapped(project, str(builder), CLAUDECODE="1")

    assert capfd.readouterr().out == "builder\npainter\n\n"


def test_it_runs_where_memory_is_off_and_nothing_is_touched(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = sorted(path for path in (project / ".memfs").rglob("*"))

    done = wrapped(project, "sh", "-c", f"cat; {SHOW}", task="Ask", is_prompt=True, MEMFS="off")

    assert (done.result, done.troubles) == (None, ())
    assert capfd.readouterr() == ("Ask", "")
    assert sorted(path for path in (project / ".memfs").rglob("*")) == before


def test_it_runs_where_the_settings_take_nothing(project: Path) -> None:
    for mode in ("off", "read-only"):
        old = "mode: enforced" if mode == "off" else "mode: off"
        replaced_settings(project, old, f"mode: {mode}")
        done = wrapped(project, "sh", "-c", "exit 4")

        assert (done.exit_code, done.result) == (4, None)
        assert [error.code for error in done.troubles] == [f"mode.{mode}"]


def test_it_runs_where_there_is_no_store_or_memory_is_broken(tmp_path: Path) -> None:
    def broken() -> Memory:
        raise RuntimeError("a fault of memory's own")

    def missing() -> Memory:
        raise StoreError("expected a store, found none")

    wrap = Wrap(command=("sh", "-c", "exit 5"), task="", options={})
    for open_store, code in ((broken, "memfs.bug"), (missing, "store.error")):
        done = run_wrapped(wrap, open_store, os.environ)
        assert (done.exit_code, done.result) == (5, None)
        assert [error.code for error in done.troubles] == [code]


def test_an_end_that_cannot_be_recorded_keeps_its_exit_code_and_its_note(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise WriteFailedError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr("memfs.domains.runs.finishing.record_run", full)
        done = wrapped(project, "sh", "-c", "echo 'It is almost done.'; exit 6", task="Fill it")
    assert (done.exit_code, [error.code for error in done.troubles]) == (6, ["store.write-failed"])

    wrapped(project, "true", task="Next")
    with memory_of(project, AGENT) as memory:
        views = {view.task: view for view in memory.list_runs()}
    assert views["Fill it"].state is RunState.ERROR
    assert "almost done" in views["Fill it"].summary


def test_a_store_that_does_not_close_well_costs_no_record(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(memory: Memory) -> None:
        memory.workspace.store.close()
        raise WriteFailedError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(Memory, "close", broken)
        done = wrapped(project, "sh", "-c", "exit 6", task="Fill it")

    assert (done.exit_code, len(done.troubles)) == (6, 2)
    with memory_of(project, AGENT) as memory:
        assert [view.state for view in memory.list_runs()] == [RunState.ERROR]


def test_the_same_id_twice_runs_nothing(project: Path, tmp_path: Path) -> None:
    run = "run_01kb8x3v6yq4m9t2r7w5z1c0df"
    mark = tmp_path / "mark"
    wrap = Wrap(command=("touch", str(mark)), task="", options={"run": run})
    run_wrapped(wrap, opener(project), os.environ)
    mark.unlink()

    with pytest.raises(UsageError):
        run_wrapped(wrap, opener(project), os.environ)
    with memory_of(project, AGENT) as memory:
        going_on = memory.start_run("Goes on").target
    with pytest.raises(UsageError):
        run_wrapped(replace(wrap, options={"run": going_on}), opener(project), os.environ)
    with pytest.raises(UsageError):
        run_wrapped(replace(wrap, options={"parent": "x"}), opener(project), os.environ)
    with pytest.raises(UsageError):
        run_wrapped(replace(wrap, options={}, is_prompt=True), opener(project), os.environ)
    assert not mark.exists()


def test_a_secret_in_the_command_or_its_output_is_kept_nowhere(project: Path) -> None:
    wrapped(project, "sh", "-c", f"echo {TOKEN}; echo NEXT: use {TOKEN}")

    with memory_of(project, AGENT) as memory:
        (view,) = memory.list_runs()
        assert view.stored is not None
        assert view.stored.record.fields["task"] == "(not kept)"
        evidence = (project / ".memfs" / "evidence").rglob("*.json")
        assert [json.loads(file.read_text())["outcome"] for file in evidence] == ["passed"]
        assert list(Dispatches(memory.workspace)) == []
        for place in (project / ".memfs", memory.workspace.cache_dir):
            for file in place.rglob("*"):
                assert not file.is_file() or TOKEN.encode() not in file.read_bytes()


def test_a_command_gets_its_task_after_what_memory_says_to_it(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    wrapped(project, "cat", task="Make uploads resume", is_prompt=True)
    alone = capfd.readouterr().out
    wrapped(project, "cat", task="Make uploads resume faster", is_prompt=True)
    told = capfd.readouterr().out

    assert alone == "Make uploads resume"
    assert told.startswith("<memfs-packet")
    assert told.endswith("</memfs-packet>\nMake uploads resume faster")
    with memory_of(project, AGENT) as memory:
        newest = memory.list_runs()[0]
    assert newest.stored is not None
    assert newest.stored.record.fields["task"] == "Make uploads resume faster"
    assert "memfs-packet" not in newest.stored.record.body
