"""``memfs jobs``: what was put off, done, taken away or begun again, in words and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.cli.entry import main
from memfs.services.leases import take
from memfs.services.queue import enqueue
from tests.support.memory import new_project, workspace_of

WORDS = "We never deploy on a Friday"
PERSON = ("--as", "user:ana", "--yes")


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    """A project with one job, in which no command does it by itself."""
    project = new_project(tmp_path)
    monkeypatch.chdir(project)
    monkeypatch.setattr(Memory, "work_off_some", lambda self: None)
    with workspace_of(project) as workspace:
        given = {"client": "claude", "session": "chat-1", "turn": "p1", "words": WORDS}
        enqueue(workspace, "capture-prompt", "one", given)
    capsys.readouterr()
    return project


def run(*words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    status = main(["jobs", *words])
    told = capsys.readouterr()
    return status, told.out, told.err


def listed(capsys: pytest.CaptureFixture[str], *who: str) -> list[dict[str, object]]:
    _, out, _ = run("list", "--json", *who, capsys=capsys)
    value = json.loads(out)
    assert isinstance(value, list)
    return value


@pytest.mark.usefixtures("project")
def test_jobs_are_listed_without_their_words_and_programs_see_no_conversation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words in ((), ("list",), ("list", *PERSON), ("list", "--json")):
        status, out, _ = run(*words, capsys=capsys)
        assert status == 0
        assert "capture-prompt" in out
        assert ("chat-1" in out) is (PERSON[0] in words)
        assert WORDS not in out
    (job,) = listed(capsys, *PERSON)
    assert (job["state"], job["kind"], job["attempt"]) == ("waiting", "capture-prompt", 0)


@pytest.mark.usefixtures("project")
def test_jobs_are_run_and_each_is_answered_for(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run("run", *PERSON, capsys=capsys)
    assert status == 0
    assert "kept as evidence" in out
    assert run("run", *PERSON, capsys=capsys)[2] == "nothing is due\n"
    assert run(capsys=capsys)[2] == "nothing was put off\n"


@pytest.mark.usefixtures("project")
def test_a_job_is_cancelled_by_the_beginning_of_its_id(capsys: pytest.CaptureFixture[str]) -> None:
    (job,) = listed(capsys)
    wanted = str(job["id"])[:6]
    assert run("cancel", wanted, capsys=capsys)[0] == 1
    assert len(listed(capsys)) == 1
    assert run("cancel", wanted, *PERSON, capsys=capsys)[0] == 0
    assert listed(capsys) == []
    status, _, err = run("cancel", wanted, *PERSON, capsys=capsys)
    assert status == 40
    assert "conflict.unknown-job" in err


def test_a_dead_job_is_retried(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with workspace_of(project) as workspace:
        lease = take(workspace, frozenset({"capture-prompt"}))
        assert lease is not None
        lease.fail("usage", is_final=True)
    (dead,) = listed(capsys)
    assert (dead["state"], dead["code"]) == ("dead", "usage")
    assert run("retry", str(dead["id"]), *PERSON, capsys=capsys)[0] == 0
    assert [job["state"] for job in listed(capsys)] == ["waiting"]
