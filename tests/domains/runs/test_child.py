"""A wrapped command is run as it is: its bytes, its signals, its exit code, its terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memfs.domains.runs.child import Kept, run_child
from memfs.domains.runs.outcome import HEAD_BYTES, TAIL_BYTES
from tests.conftest import ROOT
from tests.support.processes import run_on_terminal

ENV = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
WRAPPER = (
    "import os, sys\n"
    "from memfs.domains.runs.child import run_child\n"
    "end = run_child(sys.argv[1:], dict(os.environ))\n"
    "print(f'|{end.exit_code} {end.is_stopped}', flush=True)\n"
)


def wrapped(script: str, *, errors: int | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", WRAPPER, "/bin/sh", "-c", script],
        env=ENV,
        stdout=subprocess.PIPE,
        stderr=errors,
    )


def test_both_streams_go_through_unchanged_and_are_kept(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    end = run_child(["sh", "-c", r"printf 'out\377\n'; printf 'err\n' >&2; exit 3"], ENV)

    assert capfdbinary.readouterr() == (b"out\xff\n", b"err\n")
    assert (end.exit_code, end.is_started, end.is_stopped) == (3, True, False)
    assert end.output == "out\ufffd\n\nerr\n"
    assert end.duration_s > 0


@pytest.mark.parametrize(
    ("command", "code"), [("no-such-command", 127), ("/etc/passwd", 126), ("", 126)]
)
def test_a_command_that_cannot_be_started_ends_as_in_a_shell(
    command: str, code: int, capfd: pytest.CaptureFixture[str]
) -> None:
    end = run_child([command], ENV)

    assert (end.exit_code, end.is_started) == (code, False)
    assert "could not be started" in end.output
    assert capfd.readouterr().err.startswith("memfs: ")


def test_a_signal_that_ends_it_is_told_as_a_shell_does(capfd: pytest.CaptureFixture[str]) -> None:
    stopped = run_child(["sh", "-c", "kill -TERM $$"], ENV)
    killed = run_child(["sh", "-c", "kill -KILL $$"], ENV)

    assert (stopped.exit_code, stopped.is_stopped) == (128 + signal.SIGTERM, True)
    assert (killed.exit_code, killed.is_stopped) == (128 + signal.SIGKILL, False)


def test_it_reads_what_it_is_given(capfd: pytest.CaptureFixture[str]) -> None:
    end = run_child(["cat"], ENV, feed=b"asked\n" * 50_000)

    assert capfd.readouterr().out == "asked\n" * 50_000
    assert end.exit_code == 0
    assert run_child(["true"], ENV, feed=b"nobody reads\n" * 50_000).exit_code == 0


def test_of_much_output_head_and_tail_are_kept_in_whole_lines() -> None:
    kept = Kept()
    for number in range(100_000):
        kept.add(b"line %d\n" % number)

    lines = kept.text().splitlines()
    assert len(kept.text()) <= HEAD_BYTES + TAIL_BYTES
    assert (lines[0], lines[-1]) == ("line 0", "line 99999")
    assert all(line.startswith("line ") for line in lines if line)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_reaches_the_command_which_may_take_its_time(number: signal.Signals) -> None:
    name = number.name.removeprefix("SIG")
    script = f"trap 'echo got; exit 9' {name}; echo ready; while :; do sleep 0.02; done"
    with wrapped(script) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"

        process.send_signal(number)

        assert process.stdout.read() == b"got\n|9 True\n"
        assert process.wait() == 0


def test_a_command_that_ignores_signals_is_waited_for() -> None:
    with wrapped("trap '' TERM INT; echo ready; sleep 0.4; echo survived") as process:
        assert process.stdout is not None
        process.stdout.readline()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):
            process.send_signal(number)

        assert process.stdout.read() == b"survived\n|0 False\n"


def test_what_it_leaves_running_goes_on_and_so_does_its_output(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "go")
    with wrapped(f"(read go < {tmp_path}/go; echo late) & echo early") as process:
        assert process.stdout is not None

        assert process.stdout.readline() == b"early\n"
        assert process.stdout.readline() == b"|0 False\n"
        assert process.wait() == 0
        (tmp_path / "go").write_text("go\n")
        assert process.stdout.read() == b"late\n"


def test_a_reader_that_leaves_ends_it_as_without_a_wrapper() -> None:
    script = "while echo more; do :; done 2>/dev/null"
    with wrapped(script, errors=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()

        assert process.wait(timeout=20) is not None


def test_on_a_terminal_it_has_a_terminal_of_the_same_size(tmp_path: Path) -> None:
    (tmp_path / "wrap.py").write_text(WRAPPER, encoding="utf-8")
    inner = "test -t 0 && test -t 1 && test -t 2 && echo on a terminal; stty size; exit 4"

    ended = run_on_terminal(
        f"stty rows 31 cols 97; {sys.executable} wrap.py sh -c '{inner}'", cwd=tmp_path, env=ENV
    )

    assert ended.output == "on a terminal\n31 97\n|4 False\n"
