"""``memfs intention`` as a script calls it, and as a person reads it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memfs.cli.intention_text import list_lines, page
from memfs.domains.intentions.views import IntentionView, view_of
from memfs.model.record import Record, StoredRecord
from tests.support.memory import ANA, memory_of, new_project
from tests.support.processes import Ended, run_memfs

PERSON = ("--as", "user:ana", "--yes")
AT = datetime(2026, 11, 29, 10, tzinfo=UTC)
RECORD = Record(
    kind="intention",
    id="intent_01m8kbyj80000000000007hncv",
    title="Renew it",
    observed=AT,
    fields={
        "state": "due",
        "trigger": {"type": "time", "local": "2027-03-01T09:00:00", "zone": "Europe/Amsterdam"},
        "occurrence": "2027-03-01T09:00:00",
        "due_at": "2027-03-01T08:00:00Z",
        "last": "2027-03-01T09:00:00",
        "window_s": 172_800,
        "asked": 1,
    },
)


def view(**changes: Any) -> IntentionView:
    return view_of(StoredRecord(record=replace(RECORD, **changes), path="intentions/x.md", blob=""))


def _json(ended: Ended) -> Any:
    assert ended.status == 0, ended.errors
    return json.loads(ended.output)


def test_a_line_and_a_page_say_when_and_how_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert list_lines((view(),)).split() == (
        ["07hncv", "due", "Renew", "it", "at", "2027-03-01", "09:00", "Europe/Amsterdam"]
    )
    assert page(view(body="Before\x1b[2J it ends.\n")).splitlines() == [
        "intent_01m8kbyj80000000000007hncv  intention · due",
        "Renew it",
        "Before\\u{1b}[2J it ends.",
        "",
        "asks          at 2027-03-01 09:00 Europe/Amsterdam",
        "due since     2027-03-01T08:00:00Z",
        "worth asking  for 2d",
        "asked         1, missed 0",
        "file  intentions/x.md",
    ]
    hostile = view(title="\x1b]0;gone\x07", fields={"state": "due", "trigger": {"type": "no"}})
    assert list_lines((hostile,)) == "07hncv  unreadable  \\u{1b}]0;gone\\u{7}"
    assert "(no title)" in page(view(title=""))


def test_scripts_propose_list_and_ask_and_get_plain_data(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    soon = (datetime.now(UTC) + timedelta(days=400)).strftime("%Y-%m-%dT09:00")
    said = ("intention", "add", "Renew it", "--at", soon, "--zone", "UTC", "--json")
    proposed = _json(run_memfs(*said, *PERSON, cwd=project))
    assert (proposed["status"], proposed["reasons"][-1]["code"]) == ("waiting", "intention.review")
    with memory_of(project, ANA) as memory:
        (accepted,) = memory.accept(None)
        memory.add_intention("It is there", once="path=plan.md")
    (project / "plan.md").touch()
    asked = _json(run_memfs("intentions", "due", "--json", *PERSON, cwd=project))
    assert [item["title"] for item in asked["due"]] == ["It is there"]
    assert asked["new"] == [asked["due"][0]["id"]]
    listed = _json(run_memfs("intention", "list", "--json", cwd=project))
    assert [(item["title"], item["state"]) for item in listed] == [
        ("It is there", "due"),
        ("Renew it", "pending"),
    ]
    assert listed[1]["next"] == f"{soon}:00Z"
    assert listed[1]["trigger"] == {"type": "time", "local": f"{soon}:00", "zone": "UTC"}
    refused = run_memfs("intention", "done", accepted.target, cwd=project)
    assert (refused.status, "only a person" in refused.errors + refused.output) == (1, True)
    wrong = run_memfs("intention", "add", "x", "--at", soon, *PERSON, cwd=project)
    assert (wrong.status, "expected a zone" in wrong.errors) == (2, True)
