"""``memfs exec`` as a script calls it, and the tree as it is drawn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memfs.cli.exec_text import tree_lines
from memfs.model.execution import Move, Step, Task, Turn
from memfs.model.execution_tree import Tree
from tests.support.execution_trees import history, tree_from
from tests.support.memory import new_project
from tests.support.processes import Ended, run_memfs

AGENT = ("--as", "agent:builder")


def _json(ended: Ended) -> Any:
    assert ended.status == 0, ended.errors
    return json.loads(ended.output)


def step(name: str, *before: str, **fields: Any) -> Step:
    return Step(
        id=f"step_{name}", before=tuple(f"step_{item}" for item in before),
        **{"move": Move.GROW, "turn": Turn.NOTE, "title": name.strip("0"), **fields},
    )  # fmt: skip


def revised(name: str, *before: str, failed: str) -> Step:
    more = {"move": Move.REVISE, "turn": None, "failed": f"step_{failed}", "label": f"try {failed}"}
    return step(name, *before, **more)


def test_failed_branches_stand_beside_the_step_that_they_left_nested_ones_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    steps = (
        step("00000a"),
        step("00000b", "00000a"),
        step("00000c", "00000b", "00000a", title="\x1b[2Jgone"),
        revised("00000d", "00000b", "00000a", failed="00000c"),
        step("00000e", "00000d", "00000b", "00000a"),
        revised("00000f", "00000a", failed="00000e"),
        step("00000g", "00000f", "00000a"),
    )
    tree = Tree(
        task=Task(id="t", goal="x", head="step_00000g", before=("step_00000f", "step_00000a")),
        steps={item.id: item for item in steps},
        lineage={item.id: item.before for item in steps},
    )
    assert list(tree_lines(tree)) == [
        "● 00000a note    a",
        "├─✗ failed: try 00000e 00000f",
        "│   ○ 00000b note    b",
        "│   ├─✗ failed: try 00000c 00000d",
        "│   │   ○ 00000c note    \\u{1b}[2Jgone",
        "│   ○ 00000d revised d",
        "│   ○ 00000e note    e",
        "● 00000f revised f",
        "● 00000g note    g ◀ head",
    ]


def test_what_two_clones_moved_apart_is_drawn_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    steps = (step("00000a"), step("00000b", "00000a"), step("00000c", "00000a"))
    tree = Tree(
        task=Task(id="t", goal="x", head="step_00000b", before=("step_00000a",)),
        steps={item.id: item for item in steps},
        lineage={item.id: item.before for item in steps},
    )
    assert list(tree_lines(tree)) == [
        "● 00000a note    a",
        "● 00000b note    b ◀ head",
        "├─? apart: not current, and nobody said why",
        "│   ○ 00000c note    c",
    ]


def test_each_step_is_drawn_once_and_what_is_current_at_the_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    for seed in range(30):
        tree = tree_from(history(seed)[-1].files)
        lines = [line for line in tree_lines(tree) if "├─✗" not in line]
        assert len(lines) == len(tree.steps)
        left = [line.split()[1] for line in lines if line[0] in "●·"]
        assert left == [item.id[-6:] for item in tree.path]


def test_a_script_starts_a_task_goes_on_with_it_and_is_told_what_is_wrong(tmp_path: Path) -> None:
    project = new_project(tmp_path)

    def run(*words: str, stdin: str = "") -> Ended:
        return run_memfs("exec", *words, *AGENT, cwd=project, stdin=stdin)

    task = _json(run("start", "Reach it", "--constraint", "No server", "--json"))["target"]
    call = ("--tool", "shell", "--call", "make test", "--result", "-", "--key", "k")
    grown = _json(run("grow", task, "--head", "none", *call, "--json", stdin="2 failed\n"))
    assert grown["data"]["head"] == grown["data"]["steps"][1]
    again = run("grow", task, "--head", "none", *call, stdin="2 failed\n")
    assert (again.status, "nothing new was written" in again.output) == (0, True)
    late = run("grow", task, "--head", "none", "--note", "late")
    assert late.status == 40
    assert grown["data"]["head"] in late.errors
    nothing = run("grow", task, "--head", "none")
    assert (nothing.status, "--note, --call or --result" in nothing.errors) == (2, True)
    head = str(grown["data"]["head"])
    cut = run("compress", task, head, head, "--objective", "x", "--result", "y", "--head", head)
    assert (cut.status, "execution.split-pair" in cut.output + cut.errors) == (1, True)
    shown = _json(run("show", task, "--json"))
    assert [item["text"] for item in shown["current"]] == ["make test", "2 failed"]
    assert (shown["rules"], shown["failed"], shown["open_calls"]) == (["No server"], [], [])
    packet = _json(run("context", task, "--json"))
    assert packet["state"] == "ok"
    assert "make test" in packet["text"]
    small = run("context", task, "--budget", "5")
    assert (small.status, small.output, "packet.nothing-fits" in small.errors) == (0, "", True)
    assert run("head", task[-6:]).output == f"{head}\n"
    assert run("show", "nowhere").status == 40
