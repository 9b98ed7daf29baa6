"""Key facts become candidates that quote their evidence, once, and never memory by themselves."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.app.idle_look import put_off_idle
from memfs.domains.sessions.key_facts import key_facts
from memfs.domains.sessions.metadata import session_id
from memfs.domains.sessions.turns import Role
from memfs.model.origin import OriginClass
from memfs.model.result import ResultStatus
from memfs.services.queue import enqueue
from tests.support.conversations import HOST_ID, START, ClaudeTalk
from tests.support.memory import AGENT, ANA, SteppedClock, memory_of, new_project

SESSION = session_id("claude", HOST_ID)

FACTS = {
    "We use PostgreSQL 16 for the billing service.": "fact",
    "Our staging cluster runs in Frankfurt.": "fact",
    "The deploy script lives in tools/deploy.sh.": "fact",
    "The API gateway must be restarted after each release.": "fact",
    "I prefer tabs over spaces in Makefiles.": "preference",
    "Always run the linter before committing.": "preference",
    "We decided to drop support for Python 3.9.": "decision",
    "Let's go with SQLite for the cache.": "decision",
    "Remember that the demo is on the 14th.": "note",
    "Careful: the importer breaks if the folder is empty.": "warning",
}
NO_FACTS = (
    "Fix the failing test in the importer.",
    "Can we use PostgreSQL 16 here?",
    "If we use Redis we need another container.",
    "Maybe we use Redis for this later.",
    "What is our staging cluster running on",
    "We use it.",
    "Thanks, that looks good to me.",
    "> We use PostgreSQL 16 for the billing service.",
    "```\nWe use PostgreSQL 16 for the billing service.\n```",
    "    We use PostgreSQL 16 for the billing service.",
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


@pytest.fixture
def talk(tmp_path: Path) -> ClaudeTalk:
    return ClaudeTalk(tmp_path / f"{HOST_ID}.jsonl")


@pytest.mark.parametrize("sentence", FACTS)
def test_a_sentence_that_states_something_is_a_key_fact(sentence: str) -> None:
    (fact,) = key_facts(f"Hello. {sentence} Now go on.", Role.USER)
    assert (fact.kind, fact.text) == (FACTS[sentence], sentence)


@pytest.mark.parametrize("text", NO_FACTS)
def test_a_wish_a_question_a_guess_and_a_quotation_are_none(text: str) -> None:
    assert list(key_facts(text, Role.USER)) == []


def test_what_a_tool_printed_is_none_and_an_agent_has_no_preferences() -> None:
    text = "We use PostgreSQL 16 for billing. I prefer tabs over spaces here."
    assert list(key_facts(text, Role.TOOL)) == []
    assert [fact.kind for fact in key_facts(text, Role.ASSISTANT)] == ["fact"]


def test_key_facts_wait_with_evidence_that_they_quote(project: Path, talk: ClaudeTalk) -> None:
    for sentence in FACTS:
        talk.user(f"{sentence} Go on please.")
        talk.answer("Yes.")
    with memory_of(project, ANA) as memory:
        result = memory.flush_session(talk.path)
        candidates = memory.candidates()
        assert memory.list_records(kinds=["fact", "preference", "decision"]) == ()
        evidence = memory.list_records(kinds=["evidence"])
        excerpts = memory.list_records(kinds=["excerpt"])
    assert result.status is ResultStatus.DONE
    assert {item.kind for item in candidates} == {
        "fact",
        "preference",
        "decision",
        "note",
        "warning",
    }
    assert len(candidates) >= len(FACTS) - 2
    assert all(item.quotes for item in candidates)
    assert {item.origin.origin_class for item in candidates} == {OriginClass.AGENT_STATED}
    assert {stored.record.origin.speaker for stored in evidence if stored.record.origin} == {"user"}
    assert {
        str(stored.record.origin.origin_class) for stored in evidence if stored.record.origin
    } == {"remote"}
    pointers = {stored.record.origin.source for stored in evidence if stored.record.origin}
    assert f"session:{HOST_ID}#1" in pointers
    assert {stored.record.body.strip() for stored in excerpts} <= set(FACTS)


def test_what_is_flushed_again_is_proposed_once_even_after_it_was_rejected(
    project: Path, talk: ClaudeTalk
) -> None:
    talk.user("We use PostgreSQL 16 for the billing service.")
    talk.answer("Yes.")
    with memory_of(project, ANA) as memory:
        assert len(memory.flush_session(talk.path).data["candidates"]) == 1  # type: ignore[arg-type]
        assert memory.flush_session(talk.path).data["candidates"] == []
        memory.reject(None)
        talk.user("We use PostgreSQL 16 for the billing service.")
        talk.answer("Yes, again.")
        assert memory.flush_session(talk.path).data["candidates"] == []
        assert memory.candidates() == ()


def test_before_compaction_the_facts_of_a_turn_that_goes_on_are_kept_too(
    project: Path, talk: ClaudeTalk
) -> None:
    talk.user("We use PostgreSQL 16 for the billing service.")
    talk.tool("Bash", {"command": "make"}, "ok")
    with memory_of(project, ANA) as memory:
        _at(memory, timedelta())
        result = memory.flush_session(talk.path)
        assert result.target == SESSION
        assert [item.kind for item in memory.candidates()] == ["fact"]


def test_the_summary_of_a_host_is_an_agents_word(project: Path) -> None:
    summary = "## Summary\n- We decided to drop support for Python 3.9.\n- I prefer tabs to spaces."
    with memory_of(project, ANA) as memory:
        results = memory.keep_summary(summary, client="claude", session=HOST_ID)
        assert [item.status for item in results] == [ResultStatus.WAITING]
        (candidate,) = memory.candidates()
    assert candidate.kind == "decision"
    assert candidate.origin.origin_class is OriginClass.AGENT_STATED


def test_an_idle_session_is_distilled_once_and_a_busy_one_is_not(
    project: Path, talk: ClaudeTalk
) -> None:
    talk.user("We use PostgreSQL 16 for the billing service.")
    talk.answer("Yes.")
    with memory_of(project, ANA) as memory:
        memory.import_session(talk.path)
        _at(memory, timedelta(minutes=29))
        assert memory.idle_sessions() == ()
        assert put_off_idle(memory.workspace) == 0
        _at(memory, timedelta(minutes=31))
        assert [item.id for item in memory.idle_sessions()] == [SESSION]
        assert put_off_idle(memory.workspace) == 1
        results = memory.run_jobs()
        assert [item.action for item in results] == ["distil-session"]
        assert len(memory.candidates()) == 1
        assert memory.idle_sessions() == ()
        _at(memory, timedelta(minutes=90))
        assert put_off_idle(memory.workspace) == 0
        assert memory.run_jobs() == ()
        talk._count += 600
        talk.user("Our staging cluster runs in Frankfurt.")
        talk.answer("Yes.")
        memory.import_session(talk.path)
        _at(memory, timedelta(minutes=101))
        assert memory.idle_sessions() == ()
        _at(memory, timedelta(minutes=160))
        result = memory.distil_session(SESSION)
        assert (result.data["looked_at"], len(memory.candidates())) == (1, 2)


def test_hooks_jobs_keep_a_transcript_and_one_that_is_gone_is_no_fault(
    project: Path, talk: ClaudeTalk
) -> None:
    talk.user("We use PostgreSQL 16 for the billing service.")
    talk.tool("Bash", {"command": "make"}, "ok")
    place: dict[str, str | int] = {"client": "claude", "session": HOST_ID}
    with memory_of(project, ANA) as memory:
        _at(memory, timedelta())
        for kind in ("import-transcript", "flush-before-compaction", "end-session"):
            enqueue(memory.workspace, kind, kind, {**place, "transcript": str(talk.path)})
        gone = {**place, "transcript": str(talk.path.with_name("gone.jsonl"))}
        enqueue(memory.workspace, "import-transcript", "gone", gone)
        results = memory.run_jobs()
        assert {item.status for item in results} <= {ResultStatus.DONE, ResultStatus.NOTHING}
        assert memory.session(SESSION).count == 1
        assert len(memory.candidates()) == 1
        memory.actor = AGENT
        assert memory.run_jobs() == ()


def _at(memory: Memory, later: timedelta) -> None:
    memory.workspace = replace(memory.workspace, clock=SteppedClock(START + later))


@pytest.mark.parametrize("text", ["\n" * 60_000, " " * 60_000, "a. " * 20_000, "we " * 20_000])
def test_no_text_keeps_the_rules_busy(text: str) -> None:
    assert list(key_facts(text, Role.USER)) == []


def test_a_long_transcript_is_kept_in_several_jobs(project: Path, talk: ClaudeTalk) -> None:
    for number in range(120):
        talk.user(f"Step {number}")
        talk.answer("Done.")
    place: dict[str, str | int] = {"client": "claude", "session": HOST_ID}
    with memory_of(project, ANA) as memory:
        enqueue(memory.workspace, "end-session", "x", {**place, "transcript": str(talk.path)})
        results = memory.run_jobs()
        assert [item.data["turns"] for item in results] == [50, 50, 20]
        assert memory.session(SESSION).count == 120
