"""``memfs role sleep``, ``nap`` and ``ruminate``: an account as JSON, and an exit number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memfs.cli.commands.role import command
from memfs.domains.runs.model import TIMEOUT, ModelClient, ModelError
from memfs.errors import UsageError
from tests.support.memory import new_project
from tests.support.roles import WHOLE, whole

PLAIN: dict[str, Any] = {**WHOLE, "anchors": ["anchor:missing"], "salience": 0.9}
CLAUDE = ("--as", "agent:claude")


def unanswered(*_: object) -> str:
    raise ModelError(TIMEOUT)


def test_a_rest_is_told_as_json_with_its_exit_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(new_project(tmp_path))

    def run(*words: str, text: str = "") -> Result:
        return CliRunner().invoke(command, words, input=text, standalone_mode=False)

    def told(ended: Result) -> Any:
        assert ended.exception is None, ended.output
        return json.loads(ended.stdout)

    new = whole("RecordShortTermMemory", **PLAIN)
    taken = run("ruminate", *CLAUDE, "--json", "-", text=f"{new}\nnothing\n")
    assert taken.return_value == 0
    assert told(taken)["data"]["rejections"] == [{"operation": "", "codes": ["role.unreadable"]}]
    assert told(run("nap", *CLAUDE, "--json"))["data"]["kept_because"] == "nap"
    assert told(run("nap", *CLAUDE, "--due", "--json")) == []
    failed = run("sleep", *CLAUDE, "--json", "-", text="\n")
    assert (failed.return_value, told(failed)["reasons"][0]["code"]) == (1, "role.sleep-no-op")
    slept = run("sleep", *CLAUDE, "--json")
    answer = told(slept)
    assert (slept.return_value, answer["action"], answer["target"]) == (0, "sleep", "claude")
    assert (answer["data"]["opened"], answer["data"]["distilled"]) == (1, 1)
    monkeypatch.setenv("MEMFS_MODEL", "small")
    monkeypatch.setattr(ModelClient, "asked", unanswered)
    told(run("ruminate", *CLAUDE, "--json", "-", text=f"{new}\n"))
    silent = told(run("sleep", *CLAUDE, "--model", "--json"))
    assert (silent["status"], silent["data"]["unanswered"]) == ("done", {"model.timeout": 1})
    monkeypatch.delenv("MEMFS_MODEL")
    for words in (
        ("sleep", *CLAUDE, "--model", "-"),
        ("sleep", *CLAUDE, "--model"),
        ("nap", *CLAUDE, "--due", "--role", "claude"),
        ("sleep", *CLAUDE, "--role", "no name"),
    ):
        assert isinstance(run(*words).exception, UsageError)
