"""``memfs run`` as a script and a person at a terminal see it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import clean_environment
from tests.support.processes import Ended, command_folder, run_memfs, run_on_terminal

RUN = "run_01kb8x3v6yq4m9t2r7w5z1c0df"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    made = run_memfs("init", "--scripted", "--as", "user:ana", "--yes", cwd=folder)
    assert made.status == 0, made.errors
    return folder


def asked(project: Path, *words: str) -> Any:
    ended = run_memfs("run", *words, "--json", cwd=project)
    assert ended.status == 0, ended.errors
    return json.loads(ended.output)


def told(ended: Ended) -> tuple[int, str]:
    return ended.status, ended.output


def test_start_prints_an_id_or_what_a_shell_evaluates(project: Path) -> None:
    started = run_memfs("run", "start", "--task", "Do it", "--id", RUN, cwd=project)
    again = run_memfs("run", "start", "--task", "-", "--id", RUN, "--export", cwd=project,
                      stdin="Do it", env={"MEMFS_SESSION_ID": "chat-1"})  # fmt: skip

    assert told(started) == (0, f"{RUN}\n")
    assert told(again) == (0, f"export MEMFS_RUN_ID={RUN}\n")
    assert "dispatched already" in again.errors
    child = run_memfs("run", "start", "--task", "Below", "--export", cwd=project,
                      env={"MEMFS_RUN_ID": RUN, "MEMFS_SESSION_ID": "it's"})  # fmt: skip
    assert f"export MEMFS_PARENT_RUN_ID={RUN}\n" in child.output
    assert "SESSION" not in child.output


def test_finish_reads_what_was_printed_from_a_file_or_a_pipe(project: Path, tmp_path: Path) -> None:
    (tmp_path / "agent.log").write_text("I did all of it.\nNEXT: rest\n", encoding="utf-8")

    answer = asked(project, "finish", "--task", "From a file", "--verdict", "fine",
                   "--output", str(tmp_path / "agent.log"),
                   "--worker", "reviewer=done:Looked at it")  # fmt: skip
    shown = asked(project, "show", answer["target"])
    piped = run_memfs("run", "finish", "--task", "From a pipe", "--output", "-", "--state", "error",
                      cwd=project, stdin="ISSUES: tabs")  # fmt: skip

    assert shown["next"] == ["rest"]
    assert shown["record"]["fields"]["workers"] == [
        {"name": "reviewer", "state": "done", "line": "Looked at it"}
    ]
    assert (piped.status, "; opened iss_" in piped.output) == (0, True)


def test_finish_says_what_is_wrong_with_what_it_was_given(project: Path) -> None:
    for words, text in (
        (("--output", "no-such-file"), "expected a file"),
        (("--state", "fine"), "'fine' is not one of"),
        (("--worker", "=done"), "NAME=STATE:LINE"),
        (("nonsense",), "expected the id of a run that goes on"),
        ((), "this process works in no run"),
        ((RUN[:-1] + "g",), "which nobody started"),
    ):
        ended = run_memfs("run", "finish", *words, cwd=project)
        assert ended.status == 2
        assert text in ended.errors + ended.output


def test_exec_is_the_command_and_nothing_else(project: Path) -> None:
    ended = run_memfs("run", "exec", "--task", "Print", "--",
                      "sh", "-c", "cat; echo err >&2; exit 7",
                      cwd=project, stdin="given\n")  # fmt: skip
    named = run_memfs(
        "run", "exec", "--json", "--", "sh", "-c", "echo --json --task x", cwd=project
    )
    nowhere = run_memfs("run", "exec", "--", "no-such-command", cwd=project)

    assert (ended.status, ended.output, ended.errors) == (7, "given\n", "err\n")
    assert told(named) == (0, "--json --task x\n")
    assert json.loads(named.errors)["result"]["status"] == "done"
    assert nowhere.status == 127
    newest, _, third = asked(project, "list", "--limit", "3")
    assert (newest["state"], third["state"]) == ("error", "error")


def test_exec_runs_outside_any_store_and_says_that_it_is_not_recorded(tmp_path: Path) -> None:
    ended = run_memfs("run", "exec", "--", "sh", "-c", "echo out; exit 3", cwd=tmp_path)

    assert told(ended) == (3, "out\n")
    assert ended.errors.startswith("memfs: this run is not recorded\nstore.not-found: ")


def test_a_killed_wrapper_leaves_a_lost_run_that_the_next_records(tmp_path: Path) -> None:
    env = clean_environment(tmp_path)
    env["PATH"] = f"{command_folder(tmp_path / 'bin')}:{env['PATH']}"
    run_memfs("init", cwd=tmp_path, env=env)
    wrapper = subprocess.Popen(
        [sys.executable, "-m", "memfs", "run", "exec", "--task", "Long", "--",
         "sh", "-c", "echo ready; read never"],
        cwd=tmp_path, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert wrapper.stdout is not None
    assert wrapper.stdout.readline() == "ready\n"
    (running,) = json.loads(run_memfs("run", "list", "--json", cwd=tmp_path, env=env).output)

    wrapper.send_signal(signal.SIGKILL)
    wrapper.wait()
    lost = run_memfs("run", "show", running["run"], cwd=tmp_path, env=env).output
    run_memfs("run", "exec", "--", "true", cwd=tmp_path, env=env)

    assert running["state"] == "running"
    assert "state    lost" in lost
    views = json.loads(run_memfs("run", "list", "--json", cwd=tmp_path, env=env).output)
    assert [view["state"] for view in views] == ["done", "cancelled"]
    wrapper.communicate()


def test_lists_and_pages_are_plain_when_piped_and_drawn_at_a_terminal(project: Path) -> None:
    for words in (("list",), ("show", RUN), ("chain", RUN)):
        ended = run_memfs("run", *words, cwd=project)
        assert ended.status == 0, ended.errors
        assert "\x1b" not in ended.output
        unnamed = run_memfs("run", words[0], cwd=project)
        assert unnamed.status == 0, unnamed.errors
    piped = run_memfs("run", "chain", RUN, cwd=project).output
    env = clean_environment(project)
    env["TERM"] = "xterm"
    drawn = run_on_terminal(f"{sys.executable} -m memfs run chain {RUN}", cwd=project, env=env)

    assert piped.splitlines()[0] == f"{RUN[-6:]}  running  Do it  ←"
    assert drawn.status == 0
    assert "Do it" in drawn.output
    assert f"run   {RUN}" in drawn.output
