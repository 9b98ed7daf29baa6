"""``memfs session``, ``git-log`` and ``git-show`` as a person and a script see them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memfs.domains.sessions.metadata import session_id
from tests.support.conversations import HOST_ID, ClaudeTalk
from tests.support.memory import git, new_project
from tests.support.processes import Ended, run_memfs

SESSION = session_id("claude", HOST_ID)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    project = new_project(folder)
    (project / "a.txt").write_text("a\n")
    git(project, "add", "a.txt")
    author = ("-c", "user.name=Test Person", "-c", "user.email=person@example.invalid")
    git(project, *author, "commit", "-q", "-m", "First")
    talk = ClaudeTalk(folder / f"{HOST_ID}.jsonl", cwd=str(project))
    first = ""
    for number in range(1, 4):
        talk.user(f"Step {number} \x1b]0;title\x07 of it")
        end = talk.answer("Done.")
        first = first or end
    talk.user("Another way", parent=first)
    talk.answer("Went that way.")
    return project


def memfs(project: Path, *words: str) -> Ended:
    return run_memfs(*words, "--as", "user:ana", "--yes", cwd=project)


def transcript(project: Path) -> str:
    return str(project.parent / f"{HOST_ID}.jsonl")


def test_the_whole_way_of_a_session(project: Path) -> None:
    kept = memfs(project, "session", "import", transcript(project))
    assert (kept.status, kept.output) == (0, f"{SESSION}: kept 4 turns, 1 on new branches\n")
    again = memfs(project, "session", "import", transcript(project), "--json")
    assert json.loads(again.output)["status"] == "nothing"

    listed = memfs(project, "session", "list")
    assert listed.output.split()[:1] == [SESSION[-6:]]
    assert "2 turns  Step 1" in listed.output
    # The command before has looked at it for key facts, at its end.
    assert "no session is kept" in memfs(project, "session", "list", "--idle").errors

    run_memfs("run", "start", "--task", "Review it", "--session", HOST_ID, cwd=project)
    shown = memfs(project, "session", "show", SESSION[-6:])
    assert "Turn 2: Another way" in shown.output
    assert "main" in shown.output
    assert "Review it" in shown.output
    value = json.loads(memfs(project, "session", "show", HOST_ID, "--json").output)
    assert value["branches"] == {"main": 3, value["branch"]: 2}
    assert [run["task"] for run in value["runs"]] == ["Review it"]

    opened = memfs(project, "session", "open", HOST_ID, "--turn", "2", "--branch", "main")
    assert "> Step 2  of it" in opened.output
    assert "\x1b" not in opened.output
    pointer = memfs(project, "session", "open", f"session:{HOST_ID}#2", "--json")
    assert json.loads(pointer.output)["messages"][0]["parts"][0]["text"] == "Another way"

    found = memfs(project, "session", "search", "another way", "--speaker", "user")
    assert found.output == f"{SESSION[-6:]}  turn 2  user  Another way\n"

    flushed = memfs(project, "session", "flush", transcript(project))
    assert (flushed.status, flushed.output) == (0, f"{SESSION}: nothing new; no new key facts\n")

    refused = run_memfs("session", "forget", SESSION, "--as", "agent:builder", cwd=project)
    assert refused.status == 1
    gone = memfs(project, "session", "forget", SESSION, "--why", "a test")
    assert gone.status == 0
    for words in (("open", HOST_ID), ("show", SESSION)):
        ended = memfs(project, "session", *words)
        assert (ended.status, ended.output) == (1, "")
        assert "source gone" in ended.errors
    back = memfs(project, "session", "import", transcript(project))
    assert back.status == 1
    assert "was forgotten" in back.output + back.errors


def test_what_is_no_transcript_is_refused_with_its_place(project: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text("notes\n")
    ended = memfs(project, "session", "import", str(tmp_path / "notes.jsonl"))
    assert 20 <= ended.status < 30
    assert "session.unknown-transcript" in ended.errors


def test_commits_of_the_project(project: Path) -> None:
    listed = memfs(project, "git-log")
    assert listed.output.endswith("Test Person  First\n")
    value = json.loads(memfs(project, "git-log", "--json").output)
    shown = memfs(project, "git-show", value[0]["commit"][:8])
    assert "A  a.txt" in shown.output
    assert "+a" in shown.output
    change = json.loads(memfs(project, "git-show", "HEAD", "--json").output)
    assert change["files"] == [{"status": "A", "path": "a.txt"}]
    ended = memfs(project, "git-show", "nowhere")
    assert 40 <= ended.status < 50
