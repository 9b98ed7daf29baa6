"""Sessions on their way through the stages: quoted where a person typed it, once, with its turn."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.app.idle_look import put_off_idle
from memfs.domains.sessions.metadata import session_id
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import ResultStatus
from memfs.services.capture import capture
from memfs.services.packet_text import CLOSING, opening
from tests.support.conversations import HOST_ID, START, ClaudeTalk, CodexTalk
from tests.support.memory import (
    SteppedClock,
    memory_of,
    new_project,
    replaced_settings,
    store_root,
)

SESSION = session_id("claude", HOST_ID)
TYPED = "We decided to drop the XML endpoint. Please remove it now."
HOOK = Actor(Principal.parse("user:ana"), Channel.PROMPT_HOOK)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


@pytest.fixture
def talk(tmp_path: Path) -> ClaudeTalk:
    return ClaudeTalk(tmp_path / f"{HOST_ID}.jsonl")


def _at(memory: Memory, later: timedelta) -> None:
    memory.workspace = replace(memory.workspace, clock=SteppedClock(START + later))


def test_a_decision_that_a_person_typed_is_an_event_that_quotes_it(
    project: Path, talk: ClaudeTalk
) -> None:
    talk.user(TYPED)
    talk.answer("Done. It turned out that nobody called the endpoint any more.")
    with memory_of(project) as memory:
        _at(memory, timedelta(minutes=1))
        kept = capture(memory.workspace, TYPED, HOOK, source=f"session:{HOST_ID}#a")
        memory.import_session(talk.path, is_ended=True)
        memory.distil_session(SESSION)
        (event,) = memory.timeline()
        record = event.stored.record
        assert (event.title, str(event.sort)) == (
            "We decided to drop the XML endpoint.",
            "decision",
        )
        assert (event.session, event.turns) == (SESSION, ("1",))
        assert record.evidence == (kept.target,)
        assert record.origin is not None
        assert (record.origin.source, record.origin.speaker) == (f"session:{HOST_ID}#1", "user")
        waiting = {item.title: item.kind for item in memory.candidates()}
        assert waiting == {"It turned out that nobody called the endpoint any more.": "event"} | {
            title: kind for title, kind in waiting.items() if kind == "decision"
        }


def test_without_evidence_a_decision_is_a_claim_alone_and_waits(
    project: Path, talk: ClaudeTalk
) -> None:
    talk.user(TYPED)
    talk.answer("Done.")
    with memory_of(project) as memory:
        memory.flush_session(talk.path)
        assert [item.kind for item in memory.candidates()] == ["decision"]
        assert memory.timeline() == ()


def test_what_memory_said_itself_is_never_extracted(project: Path, talk: ClaudeTalk) -> None:
    packet = (
        f"{opening(version='1', store='s')}\nWe decided to move to Postgres.\n"
        f"It turned out that the disk was full.\n{CLOSING}"
    )
    talk.user(f"{packet}\nGo on please.")
    talk.tool("Bash", {"command": "memfs recall disk"}, packet)
    talk.answer(f"{packet}\nDone.")
    with memory_of(project) as memory:
        memory.flush_session(talk.path)
        assert memory.candidates() == ()
        assert memory.timeline() == ()


def test_calls_of_tools_and_links_that_were_read_stand_in_what_is_learned(
    project: Path, talk: ClaudeTalk
) -> None:
    inside = str(project.resolve() / "src/importer.py")
    talk.user("Find out why the importer stops, please.")
    talk.tool("Read", {"file_path": inside}, "1\tpass")
    talk.tool("Read", {"file_path": "/home/somebody/notes.txt"}, "private")
    talk.tool("WebFetch", {"url": "https://docs.example.invalid/io?token=x"}, "a page")
    talk.tool("Bash", {"command": "make test"}, "1 failed", is_error=True)
    talk.tool("Edit", {"file_path": inside, "old_string": "a", "new_string": "b"}, "ok")
    talk.tool("Bash", {"command": "make test"}, "ok")
    talk.answer("The root cause is a folder without an index file.")
    with memory_of(project) as memory:
        memory.flush_session(talk.path)
        found = {item.title: item.content.decode() for item in memory.candidates()}
        told, mended = sorted(found, key=len)
        assert told == "The root cause is a folder without an index file."
        assert mended == "`make test` failed, and passed after a change of src/importer.py"
        assert "https://docs.example.invalid/io" in found[told]
        assert "src/importer.py" in found[told]
        assert "somebody" not in "".join(found.values())
        assert "token" not in "".join(found.values())


def test_idle_sessions_alone_are_taken_and_their_turns_once(
    project: Path, talk: ClaudeTalk
) -> None:
    talk.user("Remember that the demo is on the 14th.")
    talk.answer("Yes.")
    with memory_of(project) as memory:
        memory.import_session(talk.path)
        _at(memory, timedelta(minutes=29))
        assert memory.distill().status is ResultStatus.NOTHING
        _at(memory, timedelta(minutes=31))
        assert put_off_idle(memory.workspace) == 1
        result = memory.distill()
        assert result.data["stages"]["collect"] == {"sessions": 1}  # type: ignore[index,call-overload]
        assert [item.status for item in memory.run_jobs()] == [ResultStatus.NOTHING]
        assert len(memory.candidates()) == 1
        memory.reject(None)
        assert memory.distill(session=SESSION).status is ResultStatus.NOTHING
        result = memory.distill(is_backfill=True)
        assert memory.candidates() == ()
        assert memory.distill(is_backfill=True).status is ResultStatus.NOTHING


def test_a_rollout_of_another_client_is_distilled_alike(project: Path, tmp_path: Path) -> None:
    talk = CodexTalk(tmp_path / "rollout.jsonl")
    talk.user("The cause was a lock that nobody released. Please mend it.")
    talk.answer("Mended.")
    with memory_of(project) as memory:
        memory.flush_session(talk.path)
        (candidate,) = memory.candidates()
        assert candidate.kind == "event"
        assert str(candidate.origin.principal) == "agent:codex"


def test_what_a_session_said_goes_with_it_also_between_two_stages(
    project: Path, talk: ClaudeTalk
) -> None:
    talk.user("We use PostgreSQL 16 for the billing service.")
    talk.answer("The root cause was a lock that nobody released.")
    with memory_of(project) as memory:
        memory.import_session(talk.path, is_ended=True)
        for stage in ("collect", "extract", "link"):
            memory.distill(stage, session=SESSION)
        notes = store_root(project) / ".git/memfs/distill/work.json"
        assert "PostgreSQL" in notes.read_text()
        kept = notes.read_bytes()
        memory.forget_session(SESSION)
        assert not notes.exists()
        # Another process wrote it again just then.
        notes.write_bytes(kept)
        memory.distill()
        assert memory.candidates() == ()
        assert not notes.exists()


def test_what_finds_no_room_in_the_inbox_is_proposed_when_there_is(
    project: Path, talk: ClaudeTalk
) -> None:
    replaced_settings(project, "quota: 500", "quota: 1")
    talk.user(
        "We use PostgreSQL 16 for the billing service. Our staging cluster runs in Frankfurt."
    )
    talk.answer("Yes.")
    with memory_of(project) as memory:
        assert memory.flush_session(talk.path).data["more"] is True
        (first,) = memory.candidates()
        assert memory.distil_session(SESSION).data["more"] is True
        assert memory.candidates() == (first,)
        memory.accept([first.id])
        memory.distil_session(SESSION)
        (second,) = memory.candidates()
        assert second.title != first.title
        memory.reject([second.id])
        assert memory.distil_session(SESSION).status is ResultStatus.NOTHING
