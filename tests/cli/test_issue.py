"""``memfs issue`` and ``memfs export`` as a script and an agent call them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.support.issues import RUN
from tests.support.memory import new_project, store_root
from tests.support.processes import Ended, run_memfs

PERSON = ("--as", "user:ana", "--yes")
FIXTURE = ROOT / "fixtures" / "imports" / "tracker" / "issues.jsonl"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("cli"))


def _json(ended: Ended) -> Any:
    assert ended.status == 0, ended.errors
    return json.loads(ended.output)


def test_an_issue_from_opening_to_the_end(project: Path) -> None:
    env = {"MEMFS_RUN_ID": RUN, "MEMFS_AGENT": "builder"}
    opened = _json(
        run_memfs(
            "issue", "open", "Upload stalls", "--detail", "-", "--json",
            cwd=project, env=env, stdin="one\ntwo\n",
        )
    )  # fmt: skip
    assert (opened["status"], opened["data"]["state"]) == ("done", "open")
    assert opened["data"]["by"] == RUN
    again = run_memfs("issue", "open", "upload stalls", cwd=project, env=env)
    assert (again.status, "open already" in again.output) == (0, True)
    for words in (
        ("note", "upload stalls", "seen twice"),
        ("resolve", opened["target"], "--detail", "done"),
        ("reopen", opened["target"][-6:]),
        ("wontfix", "upload stalls"),
    ):
        assert run_memfs("issue", *words, cwd=project, env=env).status == 0

    shown = _json(run_memfs("issue", "show", "upload stalls", "--json", cwd=project))
    assert [item["event"] for item in shown["events"]] == [
        "opened",
        "noted",
        "resolved",
        "reopened",
        "wontfix",
    ]
    assert shown["events"][0]["detail"] == "one\ntwo"
    assert {item["by"] for item in shown["events"]} == {RUN}
    listed = run_memfs("issue", "list", cwd=project)
    assert "wontfix" in listed.output
    assert "\x1b" not in listed.output
    page = run_memfs("issue", "show", "upload stalls", cwd=project)
    assert "  seen twice\n" in page.output
    assert run_memfs("list", "--kind", "issue", cwd=project).output.count("Upload stalls") == 1


def test_the_log_answers_to_grep_alone(project: Path) -> None:
    run_memfs("issue", "open", "Grepped", cwd=project, env={"MEMFS_RUN_ID": RUN})
    texts = [path.read_text() for path in (store_root(project) / "issues").rglob("*.md")]
    lines = [line for text in texts for line in text.splitlines() if f"opened by {RUN}" in line]
    assert any(": Grepped (evt_" in line for line in lines)


def test_what_is_no_issue_says_so_and_ends_with_the_number_of_a_conflict(project: Path) -> None:
    for words in (("show", "nothing"), ("resolve", "nothing")):
        ended = run_memfs("issue", *words, cwd=project)
        assert 40 <= ended.status < 50
        assert "conflict.unknown-issue" in ended.errors
    assert run_memfs("issue", "list", "--state", "closed", cwd=project).status == 2


def test_a_list_is_bounded_and_says_how_much_is_left(project: Path) -> None:
    for title in ("Bounded one", "Bounded two"):
        run_memfs("issue", "open", title, cwd=project)

    ended = run_memfs("issue", "list", "--all", "--limit", "1", cwd=project)

    assert len(ended.output.splitlines()) == 1
    assert "more; --limit 0 lists all" in ended.errors


def test_export_writes_lines_or_a_new_private_file(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    run_memfs("import", str(FIXTURE), "--accept", *PERSON, cwd=project)
    lines = run_memfs("export", "--format", "tracker", *PERSON, cwd=project).output.splitlines()
    rows = [json.loads(line) for line in FIXTURE.read_text().splitlines()]
    by_id = {row["id"]: row for row in map(json.loads, lines)}
    assert by_id == {row["id"]: row for row in rows}

    target = tmp_path / "out.jsonl"
    ended = run_memfs("export", "--format", "tracker", "--output", str(target), cwd=project)
    assert (ended.status, target.read_text().splitlines()) == (0, lines)
    assert target.stat().st_mode & 0o777 == 0o600
    again = run_memfs("export", "--format", "tracker", "--output", str(target), cwd=project)
    assert (again.status, "--force" in again.errors) == (2, True)
    told = _json(run_memfs("export", "--format", "tracker", "--json", cwd=project))
    assert (told["count"], told["text"].splitlines()) == (7, lines)


def test_the_merge_driver_opens_no_store(tmp_path: Path) -> None:
    for name in ("base", "ours", "theirs"):
        (tmp_path / name).write_text("no issue\n")
    (tmp_path / "theirs").write_text("no issue either\n")

    ended = run_memfs("issue", "merge-driver", "base", "ours", "theirs", "x.md", cwd=tmp_path)

    assert 40 <= ended.status < 50
    assert "conflict.issue-merge" in ended.errors
    assert (tmp_path / "ours").read_text() == "no issue\n"
