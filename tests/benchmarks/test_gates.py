"""The gates: ten of them, and an open one is seen, whatever keeps it open (A93)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.gates import keeping
from benchmarks.gates.__main__ import main, outcomes
from benchmarks.gates.catalogue import GATES
from benchmarks.gates.sabotage import sabotaged
from benchmarks.gates.trial import Gate, Trial

QUICK = ("authority", "durability", "branch")
"""Gates that take less than a second; ``make gates`` tries all of them, with and without guards."""


def gate(attempt: Callable[[Trial], None], name: str = "made-up") -> Gate:
    return Gate(name=name, promise="nothing gets through", rows="A93", attempt=attempt)


def broken(trial: Trial) -> None:
    trial.expect(trial.folder.is_dir(), "there is a folder")
    trial.expect(False, "nothing gets through")


def raising(trial: Trial) -> None:
    trial.expect(True, "this holds")
    raise LookupError("no such thing")


def blind(trial: Trial) -> None:
    trial.expect(True, "this holds")
    trial.control(False, "a breach would be seen")


def empty(trial: Trial) -> None:
    pass


def good(trial: Trial) -> None:
    trial.expect(Path.cwd() == trial.folder, "it is tried in its own folder")
    trial.expect(str(trial.folder.parent) in os.environ["HOME"], "it is tried in its own home")
    trial.hidden(["word"], {"a surface": "says nothing"})
    trial.control(True, "a breach would be seen")


def test_there_are_ten_gates_with_names_of_their_own_and_a_guard_to_take_away() -> None:
    names = [item.name for item in GATES]
    assert len(names) == len(set(names)) == 10
    for name in names:
        with sabotaged(name):
            pass


@pytest.mark.parametrize(
    ("attempt", "word", "told"),
    [
        (broken, "OPEN", "expected that nothing gets through"),
        (raising, "FAIL", "ended with LookupError: no such thing"),
        (blind, "FAIL", "control: expected that a breach would be seen"),
        (empty, "FAIL", "nothing was checked"),
    ],
)
def test_one_gate_that_is_not_shut_fails_the_run_and_the_others_are_still_tried(
    attempt: Callable[[Trial], None], word: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([], gates=(gate(attempt), gate(good, "other"))) == 1
    printed = capsys.readouterr().out
    assert f"{word}  made-up" in printed
    assert told in printed
    assert "SHUT  other" in printed
    assert "1 of 2 gates are shut" in printed


def test_gates_that_are_shut_end_with_0_and_leave_no_trace() -> None:
    before = (dict(os.environ), Path.cwd())
    folders: list[Path] = []

    def attempt(trial: Trial) -> None:
        folders.append(trial.folder)
        good(trial)

    assert main([], gates=(gate(attempt),)) == 0
    assert (dict(os.environ), Path.cwd()) == before
    assert not folders[0].exists()


@pytest.mark.parametrize("name", QUICK)
def test_a_gate_is_shut_and_opens_when_its_guard_is_taken_away(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "KILLS", 3)
    monkeypatch.setattr(keeping, "TREES", 15)
    chosen = [item for item in GATES if item.name == name]
    (now,) = outcomes(chosen, seed=93, cases=1)
    assert (now.breaches, now.doubts) == ((), ())
    assert now.checks > 10
    (then,) = outcomes(chosen, seed=93, cases=1, is_sabotage=True)
    assert then.breaches


def test_a_sabotage_that_no_gate_sees_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--sabotage"], gates=(gate(good, "authority"),)) == 1
    assert "0 of 1 gates are open" in capsys.readouterr().out
