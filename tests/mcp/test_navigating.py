"""To the sources: turns of a session, commits of the project, each bounded and page by page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.memory import git, memory_of, new_project
from tests.support.protocol_client import Said, Talk, call, server_for, talk

SESSION = "5e55a000-0000-4000-8000-000000000001"
LONG = "The heron waits at the gate. " * 1_500


def line(number: int, kind: str, text: str, parent: str | None) -> dict[str, Any]:
    content: Any = text if kind == "user" else [{"type": "text", "text": text}]
    return {
        "type": kind,
        "uuid": f"00000000-0000-4000-8000-{number:012d}",
        "parentUuid": parent,
        "sessionId": SESSION,
        "timestamp": f"2026-11-29T10:00:{number:02d}.000Z",
        "version": "2.1.230",
        "isSidechain": False,
        "message": {"role": kind, "content": content},
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with commits of its own."""
    made = new_project(tmp_path_factory.mktemp("navigating"))
    for number in range(5):
        (made / f"gate{number}.txt").write_text(f"the heron gate {number}\n" * 5, encoding="utf-8")
        git(made, "add", f"gate{number}.txt")
        git(made, "commit", "-q", "-m", f"open gate {number}")
    return made


@pytest.fixture
def session(project: Path, tmp_path: Path) -> str:
    """A session of two turns, kept in the home of this test; its id."""
    said = [
        ("user", "Please oil the heron gate"),
        ("assistant", "The gate is oiled."),
        ("user", "And tell me of the heron"),
        ("assistant", LONG),
    ]
    file = tmp_path / f"{SESSION}.jsonl"
    parent: str | None = None
    lines = []
    for number, (kind, text) in enumerate(said, start=1):
        item = {**line(number, kind, text, parent), "cwd": str(project)}
        parent = item["uuid"]
        lines.append(json.dumps(item))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with memory_of(project) as memory:
        return memory.import_session(file, client="claude", is_ended=True, is_here=True).target


async def paged(it: Talk, tool: str, **given: object) -> list[Said]:
    found = [await it.call(tool, **given)]
    while "next_cursor" in found[-1].facts:
        found.append(await it.call(tool, **given, cursor=found[-1].facts["next_cursor"]))
    return found


def test_a_turn_of_a_session_is_read_as_it_was_said(project: Path, session: str) -> None:
    server = server_for(project)
    listed = call(server, "memory_search", where="sessions")
    found = call(server, "memory_search", where="sessions", query="oil gate")
    turns = call(server, "memory_get", reference=session)
    first = call(server, "memory_get", reference=session, turn=1)
    pointed = call(server, "memory_get", reference=f"session:{SESSION}#1")

    assert session in listed.text
    assert f"{session} · turn 1" in found.text
    assert "turn 1 >" in turns.text
    assert "turn 2 >" in turns.text
    assert "Please oil the heron gate" in first.text
    assert "The gate is oiled." in first.text
    assert "tell me of the heron" not in first.text
    assert first.facts["turns"] == [1]
    assert "Please oil the heron gate" in pointed.text


def test_a_long_turn_is_read_whole_page_by_page(project: Path, session: str) -> None:
    pages = talk(server_for(project), lambda it: paged(it, "memory_get", reference=session, turn=2))

    assert len(pages) > 1
    text = "".join(page.facts["text"] for page in pages)
    assert text.count("<memfs-packet ") == text.count("</memfs-packet>") == len(pages)
    words = "".join(part[2:] for part in text.splitlines() if part.startswith("> "))
    assert len(words) >= len(LONG) - 30


def test_what_is_not_kept_says_so(project: Path) -> None:
    server = server_for(project)

    gone = call(server, "memory_get", reference="session:no-such-session", turn=1)
    turn = call(server, "memory_get", reference="mem_" + "0" * 26, turn=1)

    assert "gone" in gone.text
    assert turn.facts["code"] == "usage.arguments"


def test_the_projects_log_is_listed_and_a_commit_shown(project: Path) -> None:
    server = server_for(project)

    pages = talk(server, lambda it: paged(it, "memory_log", limit=2))
    one = call(server, "memory_log", path="gate3.txt")
    commit = git(project, "rev-parse", "HEAD~1").strip()
    shown = call(server, "memory_log", commit=commit[:10])
    none = call(server, "memory_log", commit="0123456789")
    mixed = call(server, "memory_log", commit=commit, limit=3)
    since = call(server, "memory_log", since="2031-01-01")

    subjects = [f"open gate {number}" for number in (4, 3, 2, 1, 0)]
    text = "".join(page.facts["text"] for page in pages)
    assert [text.index(it) for it in subjects] == sorted(text.index(it) for it in subjects)
    assert one.facts["count"] == 1
    assert "> +the heron gate 3" in shown.text
    assert shown.facts["commit"] == commit
    assert none.facts["code"] == "project.unknown-commit"
    assert mixed.facts["code"] == "usage.arguments"
    assert since.facts["count"] == 0


def test_a_cursor_of_the_log_ends_with_the_next_commit(project: Path) -> None:
    server = server_for(project)
    cursor = call(server, "memory_log", limit=2).facts["next_cursor"]
    git(project, "commit", "-q", "--allow-empty", "-m", "one more")

    said = call(server, "memory_log", limit=2, cursor=cursor)

    assert said.facts["code"] == "usage.cursor-stale"
