"""From a host's event to key facts that wait for review: before a compaction, and when idle."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.model.instants import format_instant
from memfs.model.result import ResultStatus
from tests.support.hooks import called, payload
from tests.support.memory import ANA, START, SteppedClock, new_project, workspace_of

DECISION = "We decided to deploy the exporter on Tuesdays only."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def memory(project: Path, clock: SteppedClock) -> Iterator[Memory]:
    with workspace_of(project, clock=clock) as workspace:
        yield Memory(workspace, ANA)


class Chat:
    """A transcript that grows a turn at a time."""

    def __init__(self, folder: Path, project: Path) -> None:
        self.path = folder / "chat.jsonl"
        self._project = project
        self._last: str | None = None

    def say(self, words: str, answer: str, at: datetime) -> None:
        for role, text in (("user", words), ("assistant", answer)):
            name = f"{role[0]}{at.timestamp():.0f}"
            line = {
                "type": role,
                "uuid": name,
                "parentUuid": self._last,
                "sessionId": "chat-1",
                "cwd": str(self._project),
                "version": "2.1",
                "timestamp": format_instant(at),
                "message": {
                    "role": role,
                    "content": [{"type": "text", "text": text}],
                    "stop_reason": "end_turn",
                },
            }
            self._last = name
            with self.path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")

    def event(self, name: str) -> None:
        """Lets the host tell of an event."""
        assert called(name, payload(self._project, transcript_path=str(self.path))) == b""


@pytest.fixture
def chat(tmp_path: Path, project: Path) -> Chat:
    return Chat(tmp_path, project)


def waiting(memory: Memory) -> list[str]:
    return [item.content.decode().strip() for item in memory.candidates()]


def test_key_facts_reach_the_inbox_before_messages_are_dropped(memory: Memory, chat: Chat) -> None:
    chat.say(f"{DECISION} Please go on.", "Understood.", START)
    chat.event("pre-compact")
    actions = [result.action for result in memory.run_jobs()]
    assert "flush-before-compaction" in actions
    (candidate,) = memory.candidates()
    assert DECISION in candidate.content.decode()
    assert candidate.quotes
    chat.event("pre-compact")
    memory.run_jobs()
    assert len(memory.candidates()) == 1


def test_an_idle_session_is_looked_at_once_and_a_busy_one_is_not(
    memory: Memory, chat: Chat, clock: SteppedClock
) -> None:
    chat.say(DECISION, "Understood.", clock.now())
    chat.event("stop")
    clock.advance(timedelta(minutes=6))
    assert [result.action for result in memory.run_jobs()] == ["import-transcript"]
    clock.advance(timedelta(minutes=10))
    assert memory.run_jobs() == (), "somebody spoke a quarter of an hour ago"
    assert waiting(memory) == []
    clock.advance(timedelta(minutes=30))
    assert [result.action for result in memory.run_jobs()] == ["distil-session"]
    assert len(waiting(memory)) == 1
    clock.advance(timedelta(hours=3))
    assert memory.run_jobs() == ()


def test_what_a_session_said_waits_and_is_served_to_nobody(memory: Memory, chat: Chat) -> None:
    chat.say(DECISION, "Understood.", START)
    chat.event("session-end")
    chat.event("pre-compact")
    memory.run_jobs()
    assert memory.list_records() == ()
    assert memory.recall("when do we deploy the exporter").text == ""


def test_a_command_keeps_a_few_turns_of_a_long_conversation_and_leaves_the_rest(
    memory: Memory, chat: Chat
) -> None:
    for number in range(12):
        chat.say(f"Question {number}", f"Answer {number}", START + timedelta(minutes=number))
    chat.event("SessionEnd")

    (first, *_) = memory.run_jobs(most=1, within_s=60)
    (session,) = memory.sessions()
    few = len(memory.session(session.id).turns)
    memory.run_jobs()
    (session,) = memory.sessions()

    assert first.status is ResultStatus.DONE
    assert (0 < few < 12, len(memory.session(session.id).turns)) == (True, 12)
