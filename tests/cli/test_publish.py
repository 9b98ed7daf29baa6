"""``memfs publish`` and the global store, as a script sees them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes import Ended, run_memfs

PERSON = ("--as", "user:ana", "--yes")
SCRIPTED = ("--scripted", *PERSON)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project beside a global store; scripts act for ana in both."""
    for words in (("--project", "datasync"), ("--home",)):
        made = run_memfs("init", *words, *SCRIPTED, cwd=tmp_path)
        assert made.status == 0, made.errors
    return tmp_path


def value(ended: Ended) -> Any:
    assert ended.status == 0, ended.errors
    return json.loads(ended.output)


def told(project: Path, *words: str) -> Any:
    return value(run_memfs(*words, "--json", cwd=project))


def remembered(project: Path, text: str, *options: str) -> str:
    answer = told(project, "remember", text, "--kind", "fact", *options, *PERSON)
    assert answer["status"] == "done"
    return str(answer["target"])


@pytest.fixture
def root(project: Path, home: Path) -> Path:
    """The global store."""
    return home / "memfs-home" / "global"


def test_a_record_is_offered_accepted_there_and_found_from_another_project(
    project: Path, root: Path, tmp_path: Path
) -> None:
    record = remembered(project, "Release tags are signed")
    answer = told(project, "publish", record[-6:], "--to", "global", *PERSON)
    assert answer["status"] == "waiting"
    assert answer["data"]["record"] == f"{record}@1"
    again = told(project, "publish", record, "--to", "global", *PERSON)
    assert again["status"] == "nothing"
    finished = told(project, "publish", "--finish", "--into", "global", *PERSON)
    assert finished["status"] == "nothing"

    waiting = told(root, "review", *PERSON)
    assert [item["candidate"] for item in waiting] == [answer["data"]["received_as"]]
    assert run_memfs("review", "accept", "--all", *PERSON, cwd=root).status == 0

    other = tmp_path / "website"
    other.mkdir()
    assert run_memfs("init", "--store", str(other / ".memfs"), *SCRIPTED, cwd=other).status == 0
    (found,) = told(other, "list")
    assert (found["title"], found["scope"]) == ("Release tags are signed", "global")
    assert found["store"] == answer["data"]["destination_store"]
    assert "(global)" in run_memfs("list", cwd=other).output
    assert "(global)" in run_memfs("search", "release tags", cwd=other).output
    page = run_memfs("show", found["id"], cwd=other).output
    assert found["store"] in page
    packet = told(other, "recall", "are release tags signed")
    assert packet["cards"][0]["store"] == found["store"] != packet["store"]


def test_an_agent_is_told_no_and_nothing_else(project: Path) -> None:
    record = remembered(project, "Release tags are signed")
    ended = run_memfs("publish", record, "--to", "global", "--as", "agent:x", cwd=project)
    assert (ended.status, ended.output) == (1, "")
    assert "actor.not-a-person" in ended.errors
    assert "signed" not in ended.errors


@pytest.mark.parametrize(
    "words",
    [(), ("abc123",), ("--to", "global"), ("abc123", "--to", "global", "--finish")],
)
def test_half_a_wish_is_refused_with_the_whole_one(project: Path, words: tuple[str, ...]) -> None:
    ended = run_memfs("publish", *words, *PERSON, cwd=project)
    assert ended.status == 2
    assert "usage" in ended.errors


def test_without_a_global_store_the_way_to_one_is_told(project: Path, root: Path) -> None:
    shutil.rmtree(root)
    ended = run_memfs("remember", "Use tabs", "--scope", "global", *PERSON, cwd=project)
    assert ended.status == 10
    assert "store.no-global" in ended.errors
    assert "memfs init --home" in ended.errors
    assert told(project, "list") == []


def test_a_broken_global_store_is_told_beside_the_answer(project: Path, root: Path) -> None:
    remembered(project, "Release tags are signed")
    shutil.rmtree(root / ".git" / "objects")
    for words in (("list",), ("search", "release tags")):
        ended = run_memfs(*words, cwd=project)
        assert ended.status == 0
        assert "Release tags are signed" in ended.output
        assert "the global store did not answer" in ended.errors
    packet = told(project, "recall", "are release tags signed")
    assert packet["state"] == "degraded"
    assert packet["reason"].startswith("global:")
    assert len(packet["cards"]) == 1


def test_a_project_cannot_take_the_name_of_the_global_store(tmp_path: Path) -> None:
    ended = run_memfs("init", "--project", "global", *SCRIPTED, cwd=tmp_path)
    assert ended.status == 2
    assert "--home" in ended.errors
    assert not (tmp_path / ".memfs").exists()
