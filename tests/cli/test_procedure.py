"""``memfs procedure`` as a script, a person and an agent call it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.memory import new_project
from tests.support.processes import Ended, run_memfs

PERSON = ("--as", "user:ana", "--yes")
AGENT = ("--as", "agent:builder")
HOSTILE = "Release \u202e it \x1b[31mnow"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("procedures"))


def _json(ended: Ended) -> Any:
    assert ended.status == 0, ended.errors
    return json.loads(ended.output)


def test_a_procedure_from_its_proposal_to_its_harm(project: Path) -> None:
    def memfs(*words: str, stdin: str = "", who: tuple[str, ...] = PERSON) -> Ended:
        return run_memfs("procedure", *words, *who, cwd=project, stdin=stdin)

    empty = memfs("list")
    assert (empty.status, empty.output) == (0, "")
    assert "memfs procedure add" in empty.errors
    offered = memfs(
        "add", "-", "--title", "Release in two steps", "--applies-when", "platform=linux",
        "--applies-when", "main is green", "--json", stdin="1. Tag.\n2. Push the tag.\n",
    )  # fmt: skip
    assert _json(offered)["reasons"][0]["code"] == "procedure.review"
    accepted = run_memfs("review", "accept", "--all", "--json", *PERSON, cwd=project)
    (done,) = _json(accepted)
    ref = done["target"]
    denied = memfs("trial", ref, who=AGENT)
    assert (denied.status, "actor.not-a-person" in denied.errors) == (1, True)
    assert _json(memfs("trial", ref, "--json"))["data"]["row"] == "stage.begin-trial"

    episode = _json(
        memfs("episode", "Released", "--result", "success", "--condition", "task=v1",
              "--procedure", ref, "--json")
    )["target"]  # fmt: skip
    used = _json(memfs("outcome", ref[-6:], "--episode", episode, "--json"))
    assert used["data"]["success"] == 1
    value = _json(memfs("show", ref, "--json"))
    assert (value["stage"], value["independent"], value["episodes"]) == ("trial", 1, [episode])
    page = memfs("show", ref).output
    assert "applies when: platform=linux, main is green" in page
    assert "2. Push the tag." in page
    assert episode[-6:] in page

    assert memfs("outcome", ref).status == 2
    assert memfs("list", "--stage", "finished").status == 2
    assert memfs("show", episode).status == 2
    harm = memfs("outcome", ref, "--harmful")
    assert "trial to candidate" in harm.output
    (row,) = memfs("list", "--stage", "candidate").output.splitlines()
    assert row.endswith("Release in two steps  (harmful)")
    assert memfs("promote", ref).status == 1


def test_text_of_others_cannot_act_on_a_terminal(project: Path) -> None:
    told = run_memfs(
        "procedure", "episode", HOSTILE, "--result", "failure", "--condition", HOSTILE,
        *PERSON, cwd=project,
    )  # fmt: skip
    assert "\x1b" not in told.output + told.errors
    assert "\u202e" not in told.output + told.errors
