"""The conversation behind a record is told to who opens the record, and to nobody else (M33)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.domains.sessions.metadata import session_id
from memfs.domains.sessions.sources import SaidIn
from tests.support.conversations import HOST_ID, ClaudeTalk
from tests.support.memory import AGENT, memory_of, new_project

SESSION = session_id("claude", HOST_ID)
NAME = "Billing moves house"
FACT = "We use PostgreSQL 16 for the billing service."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


def learned(memory: Memory, talk: ClaudeTalk) -> str:
    """Lets a fact of a conversation in; returns its id."""
    talk.user("Let us begin.")
    talk.answer("Yes.")
    talk.user(FACT)
    talk.answer("Noted.")
    talk.line({"type": "custom-title", "customTitle": NAME})
    memory.flush_session(talk.path)
    (result,) = memory.accept(None)
    return result.target


def test_a_record_names_its_session_and_how_to_open_it_where_it_is_opened(
    project: Path, tmp_path: Path
) -> None:
    with memory_of(project) as memory:
        name = learned(memory, ClaudeTalk(tmp_path / f"{HOST_ID}.jsonl"))
        place = memory.said_in(memory.show(name))
        answers = (memory.list_records(), memory.search(FACT), memory.recall(FACT).text)

    assert place == SaidIn(session=SESSION, title=NAME, turn=2)
    assert place.hint == f"memfs session open {SESSION} --turn 2"
    assert NAME not in repr(answers)
    with memory_of(project, AGENT) as memory:
        assert NAME not in repr((memory.list_records(), memory.recall(FACT).text))


def test_a_session_that_is_gone_says_so_and_fails_nothing(project: Path, tmp_path: Path) -> None:
    with memory_of(project) as memory:
        name = learned(memory, ClaudeTalk(tmp_path / f"{HOST_ID}.jsonl"))
        memory.forget_session(SESSION)
        place = memory.said_in(memory.show(name))

    assert place is not None
    assert (place.title, place.is_gone, place.hint) == ("", True, "")


def test_a_record_that_a_person_stated_comes_from_no_session(project: Path) -> None:
    with memory_of(project) as memory:
        name = memory.remember(FACT, kind="fact").target
        assert memory.said_in(memory.show(name)) is None
