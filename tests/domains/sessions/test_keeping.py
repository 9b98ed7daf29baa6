"""A transcript, whole or growing, cut or written anew, is kept once and turn by turn."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.domains.sessions.metadata import session_id
from memfs.domains.sessions.reading import SessionState
from memfs.model.result import ResultStatus
from tests.support.conversations import HOST_ID, START, ClaudeTalk, CodexTalk
from tests.support.memory import AGENT, ANA, SteppedClock, git, memory_of, new_project

SESSION = session_id("claude", HOST_ID)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


@pytest.fixture
def talk(tmp_path: Path, project: Path) -> ClaudeTalk:
    return ClaudeTalk(tmp_path / "talks" / f"{HOST_ID}.jsonl", cwd=str(project))


def home() -> Path:
    """Returns the user's folder of memfs under test."""
    return Path(os.environ["MEMFS_HOME"])


def repository(session: str = SESSION) -> Path:
    return home() / "sessions" / session


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.md"))


def subjects(folder: Path, branch: str = "HEAD") -> list[str]:
    return git(folder, "log", "--reverse", "--format=%s", branch).splitlines()


def imported(memory: Memory, talk: ClaudeTalk | CodexTalk, *, is_ended: bool = False) -> int:
    """Imports and returns how many commits were added."""
    result = memory.import_session(talk.path, is_ended=is_ended)
    assert result.status in (ResultStatus.DONE, ResultStatus.NOTHING), result
    turns = result.data["turns"]
    assert isinstance(turns, int)
    return turns


def _at_that_time(memory: Memory) -> None:
    """Lets it be the time of the conversation: a turn may still go on."""
    memory.workspace = replace(memory.workspace, clock=SteppedClock(START))


def three_turns(talk: ClaudeTalk) -> list[str]:
    """Writes three turns; returns the ids of their last lines."""
    talk.user("Fix the migration")
    talk.tool("Bash", {"command": "make test"}, "3 passed")
    ends = [talk.answer("Done in one transaction.")]
    talk.user("Now the docs")
    ends.append(talk.answer("Docs updated."))
    talk.user("And the changelog")
    ends.append(talk.answer("Changelog updated."))
    return ends


def test_a_turn_is_a_commit_and_a_listing_is_in_order(project: Path, talk: ClaudeTalk) -> None:
    three_turns(talk)
    with memory_of(project, AGENT) as memory:
        assert imported(memory, talk) == 3

    folder = repository()
    assert subjects(folder) == [
        "Turn 1: Fix the migration",
        "Turn 2: Now the docs",
        "Turn 3: And the changelog",
    ]
    assert [name[:9] for name in names(folder)] == [
        "000001-u-", "000002-a-", "000003-t-", "000004-a-",
        "000005-u-", "000006-a-", "000007-u-", "000008-a-",
    ]  # fmt: skip
    body = git(folder, "log", "-1", "--format=%b", "HEAD~2")
    assert "Answer: Done in one transaction." in body
    assert "Tools: Bash" in body
    assert "Metrics: messages=4 calls=1 seconds=30 tokens=14" in body
    assert git(folder, "status", "--porcelain") == ""
    assert git(folder, "fsck", "--strict") == ""


def test_the_ledger_gets_one_record_without_a_word_of_it(project: Path, talk: ClaudeTalk) -> None:
    three_turns(talk)
    with memory_of(project, AGENT) as memory:
        imported(memory, talk)
        imported(memory, talk)
    files = list((project / ".memfs" / "sessions").rglob("*.json"))
    assert [path.stem for path in files] == [SESSION]
    record = json.loads(files[0].read_text("utf-8"))
    assert (record["client"], record["host_id"]) == ("claude", HOST_ID)
    assert "migration" not in git(project / ".memfs", "log", "-p", "--all")


def test_the_same_transcript_twice_is_one_import(project: Path, talk: ClaudeTalk) -> None:
    three_turns(talk)
    with memory_of(project, AGENT) as memory:
        assert [imported(memory, talk) for _ in range(3)] == [3, 0, 0]
    with memory_of(project, ANA) as memory:
        assert imported(memory, talk) == 0


def test_a_copy_of_it_under_another_name_is_the_same_session(
    project: Path, talk: ClaudeTalk, tmp_path: Path
) -> None:
    three_turns(talk)
    copy = ClaudeTalk(tmp_path / "elsewhere" / "copy.jsonl")
    shutil.copy(talk.path, copy.path)
    with memory_of(project, AGENT) as memory:
        assert [imported(memory, item) for item in (talk, copy)] == [3, 0]


def test_what_is_added_to_a_transcript_is_added(project: Path, talk: ClaudeTalk) -> None:
    three_turns(talk)
    with memory_of(project, AGENT) as memory:
        imported(memory, talk)
        for number in range(4, 7):
            talk.user(f"Step {number}")
            talk.answer("Done.")
            assert imported(memory, talk) == 1
    assert len(subjects(repository())) == 6


def test_a_growing_transcript_cut_anywhere_gives_what_the_whole_one_gives(
    project: Path, talk: ClaudeTalk
) -> None:
    ends = three_turns(talk)
    talk.user("Other docs", parent=ends[0])
    talk.answer("Written otherwise.")
    whole = talk.path.read_bytes()
    talk.path.write_bytes(b"")
    with memory_of(project, AGENT) as memory:
        _at_that_time(memory)
        for cut in range(0, len(whole), 311):
            talk.path.write_bytes(whole[:cut])
            if cut > 400:
                imported(memory, talk)
        talk.path.write_bytes(whole)
        imported(memory, talk)
    folder = repository()
    assert subjects(folder, "main") == [
        "Turn 1: Fix the migration",
        "Turn 2: Now the docs",
        "Turn 3: And the changelog",
    ]
    assert subjects(folder) == ["Turn 1: Fix the migration", "Turn 2: Other docs"]


def test_a_turn_that_goes_on_is_left_for_the_next_time(project: Path, talk: ClaudeTalk) -> None:
    talk.user("Fix the migration")
    talk.tool("Bash", {"command": "make test"}, "1 failed", is_error=True)
    with memory_of(project, AGENT) as memory:
        _at_that_time(memory)
        result = memory.import_session(talk.path)
        assert (result.status, result.data["unfinished"]) == (ResultStatus.NOTHING, 3)
        assert not repository().exists()
        talk.answer("Fixed.")
        assert imported(memory, talk) == 1
    assert subjects(repository()) == ["Turn 1: Fix the migration"]


def test_a_turn_that_its_host_calls_over_and_that_goes_on_is_continued(
    project: Path, talk: ClaudeTalk
) -> None:
    talk.user("Fix the migration")
    talk.tool("Bash", {"command": "make test"}, "1 failed")
    with memory_of(project, AGENT) as memory:
        assert imported(memory, talk, is_ended=True) == 1
        talk.answer("Fixed.")
        talk.user("Now the docs")
        talk.answer("Done.")
        assert imported(memory, talk) == 2
        opened = memory.open_session(SESSION, turns=[1])
    assert subjects(repository()) == [
        "Turn 1: Fix the migration",
        "Turn 1 (continued): Fix the migration",
        "Turn 2: Now the docs",
    ]
    assert len(opened.nodes) == 4


def test_a_turn_in_which_nothing_happens_for_minutes_is_over(
    project: Path, talk: ClaudeTalk
) -> None:
    talk.user("Fix the migration")
    talk.answer("Half an answer", stop=None)
    with memory_of(project, AGENT) as memory:
        assert memory.workspace.clock.now() > START + timedelta(days=1)
        assert imported(memory, talk) == 1


# Branches -------------------------------------------------------------------------------------


def test_a_new_prompt_after_going_back_is_a_branch_and_loses_no_turn(
    project: Path, talk: ClaudeTalk
) -> None:
    ends = three_turns(talk)
    talk.user("Other docs", parent=ends[0])
    answer = talk.answer("Written otherwise.")
    with memory_of(project, AGENT) as memory:
        assert imported(memory, talk) == 4
        view = memory.session(SESSION)
        assert memory.open_session(SESSION, turns=[2]).nodes[0].words == "Other docs"
        old = memory.open_session(SESSION, turns=[2], branch="main")
    assert view.branch == f"retry/{answer}"
    assert dict(view.branches) == {"main": 3, f"retry/{answer}": 2}
    assert old.nodes[0].words == "Now the docs"
    folder = repository()
    shared = git(folder, "merge-base", "main", "HEAD").strip()
    assert shared == git(folder, "rev-parse", "main~2").strip()
    assert git(folder, "rev-list", "--count", "--all").strip() == "4"


def test_another_answer_to_the_same_prompt_is_a_branch_named_after_it(
    project: Path, talk: ClaudeTalk
) -> None:
    prompt = talk.user("Name the module")
    talk.answer("Call it ledger.")
    second = talk.answer("Call it journal.", parent=prompt)
    with memory_of(project, AGENT) as memory:
        assert imported(memory, talk) == 2
        opened = memory.open_session(SESSION)
        first = memory.open_session(SESSION, branch="main")
    assert opened.branch == f"retry/{second}"
    assert [node.words for node in opened.nodes] == ["Name the module", "Call it journal."]
    assert [node.words for node in first.nodes] == ["Name the module", "Call it ledger."]
    assert subjects(repository()) == ["Turn 1 (retry): Name the module"]


def test_a_branch_found_in_a_later_import_is_the_same_branch(
    project: Path, talk: ClaudeTalk
) -> None:
    ends = three_turns(talk)
    with memory_of(project, AGENT) as memory:
        imported(memory, talk)
        talk.user("Other docs", parent=ends[0])
        answer = talk.answer("Written otherwise.")
        assert imported(memory, talk) == 1
        assert dict(memory.session(SESSION).branches) == {"main": 3, f"retry/{answer}": 2}


def test_parallel_calls_of_tools_are_no_branch(project: Path, talk: ClaudeTalk) -> None:
    talk.user("Look at both")
    first = talk.blocks(
        [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a"}}], group="m"
    )
    second = talk.blocks(
        [{"type": "tool_use", "id": "t2", "name": "Read", "input": {"path": "b"}}], group="m"
    )
    results = [
        talk.entry(
            "user",
            parent=parent,
            message={
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": call, "content": "text"}],
            },
        )
        for parent, call in ((first, "t1"), (second, "t2"))
    ]
    talk.answer("Both read.", parent=results[0])
    with memory_of(project, AGENT) as memory:
        assert imported(memory, talk) == 1
        nodes = memory.open_session(SESSION).nodes
    assert [node.role.letter for node in nodes] == ["u", "a", "t", "t", "a"]
    assert [part.call for node in nodes[1:4] for part in node.parts] == [1, 2, 1, 2]


def test_a_prompt_at_the_very_beginning_is_a_branch_of_its_own(
    project: Path, talk: ClaudeTalk
) -> None:
    three_turns(talk)
    talk.user("Start over", parent=None)
    talk.answer("Started over.")
    with memory_of(project, AGENT) as memory:
        assert imported(memory, talk) == 4
        assert len(memory.session(SESSION).branches) == 2
        assert memory.session(SESSION).count == 1


def test_a_prompt_behind_a_line_that_is_passed_over_goes_on_from_what_that_followed(
    project: Path, talk: ClaudeTalk
) -> None:
    ends = three_turns(talk)
    hook = talk.entry("system", parent=ends[0], subtype="stop_hook_summary")
    talk.last = ends[2]
    with memory_of(project, AGENT) as memory:
        imported(memory, talk)
        for number in range(80):
            talk.entry("progress", data={"number": number})
        talk.user("And more")
        talk.answer("Yes.")
        assert imported(memory, talk) == 1
        talk.user("Other docs", parent=hook)
        talk.answer("Written otherwise.")
        assert imported(memory, talk) == 1
    assert subjects(repository(), "main")[-1] == "Turn 4: And more"
    assert subjects(repository()) == ["Turn 1: Fix the migration", "Turn 2: Other docs"]


def test_a_conversation_that_was_compacted_goes_on(project: Path, talk: ClaudeTalk) -> None:
    three_turns(talk)
    talk.entry("system", parent=None, subtype="compact_boundary")
    message = {"role": "user", "content": "Summary of what was said"}
    talk.entry("user", isCompactSummary=True, message=message)
    talk.user("Go on")
    talk.answer("I do.")
    with memory_of(project, AGENT) as memory:
        assert imported(memory, talk) == 4
    assert subjects(repository())[-1] == "Turn 4: Go on"
    assert "Summary of what was said" not in git(repository(), "log", "-p", "--all")


def test_turns_that_were_taken_back_stay_beside_what_follows(project: Path, tmp_path: Path) -> None:
    talk = CodexTalk(tmp_path / "rollout.jsonl", cwd=str(project))
    for words in ("One", "Two", "Three"):
        talk.user(f"{words} of the steps")
        talk.answer(f"{words} done.")
    with memory_of(project, AGENT) as memory:
        assert imported(memory, talk) == 3
        talk.line("event_msg", {"type": "thread_rolled_back", "num_turns": 2})
        assert imported(memory, talk) == 0
        talk.user("Two otherwise")
        assert imported(memory, talk, is_ended=True) == 1
        session = session_id("codex", HOST_ID)
        assert memory.session(session).count == 2
    assert subjects(repository(session), "main")[-1] == "Turn 3: Three of the steps"
    assert subjects(repository(session)) == ["Turn 1: One of the steps", "Turn 2: Two otherwise"]


# Sessions that share turns ----------------------------------------------------------------------


def test_a_session_that_goes_on_from_another_keeps_only_its_own_turns(
    project: Path, talk: ClaudeTalk, tmp_path: Path
) -> None:
    three_turns(talk)
    other = str(uuid.UUID(int=5, version=4))
    fork = ClaudeTalk(tmp_path / "talks" / f"{other}.jsonl", host_id=other, seed=9)
    fork.path.write_bytes(talk.path.read_bytes().replace(HOST_ID.encode(), other.encode()))
    fork.last = talk.last
    fork.user("In the fork")
    fork.answer("Here.")
    with memory_of(project, AGENT) as memory:
        assert imported(memory, talk) == 3
        assert imported(memory, fork) == 1
        assert imported(memory, fork) == 0
        view = memory.session(other)
        assert view.metadata is not None
        assert view.metadata.resumed_from is not None
        assert (view.metadata.resumed_from.session, view.metadata.resumed_from.turn) == (SESSION, 3)
        assert memory.open_session(other, turns=[4]).nodes[0].words == "In the fork"
        assert memory.open_session(other, turns=[2]).nodes[0].words == "Now the docs"
        fork.user("Further")
        fork.answer("Yes.")
        assert imported(memory, fork) == 1
        memory.actor = ANA
        memory.forget_session(SESSION)
        gone = memory.open_session(other, turns=[2])
        assert (gone.state, gone.nodes) == (SessionState.GONE, ())
    assert subjects(repository(session_id("claude", other))) == [
        "Turn 4: In the fork",
        "Turn 5: Further",
    ]


def test_a_rollout_that_was_copied_for_a_fork_shares_its_turns(
    project: Path, tmp_path: Path
) -> None:
    other = str(uuid.UUID(int=6, version=4))
    first = CodexTalk(tmp_path / "a.jsonl", cwd=str(project))
    fork = CodexTalk(tmp_path / "b.jsonl", host_id=other, cwd=str(project), fork=HOST_ID)
    for talk in (first, fork):
        talk.user("Fix the migration")
        talk.tool("shell", {"command": ["make", "test"]}, "3 passed")
        talk.answer("Done.")
    fork.user("In the fork")
    fork.answer("Here.")
    with memory_of(project, AGENT) as memory:
        assert [imported(memory, talk) for talk in (first, fork)] == [1, 1]
    assert subjects(repository(session_id("codex", other))) == ["Turn 2: In the fork"]


def test_two_sessions_that_only_begin_alike_are_two(project: Path, tmp_path: Path) -> None:
    other = str(uuid.UUID(int=6, version=4))
    talks = [
        CodexTalk(tmp_path / "a.jsonl", cwd=str(project)),
        CodexTalk(tmp_path / "b.jsonl", host_id=other, cwd=str(project)),
    ]
    with memory_of(project, AGENT) as memory:
        for talk in talks:
            talk.user("Hello")
            talk.answer("Hello.")
            assert imported(memory, talk) == 1


# What is in the way -----------------------------------------------------------------------------


def test_lines_that_are_broken_or_unknown_are_passed_over_and_counted(
    project: Path, talk: ClaudeTalk
) -> None:
    three_turns(talk)
    with talk.path.open("ab") as stream:
        stream.write(b'{"type": "user", "uuid": \n[1, 2]\n\xff\xfe\n\n')
        stream.write(b'{"type": "future-thing", "uuid": "x", "sessionId": "y"}\n')
        stream.write(b'{"a":' * 5000 + b"\n")
    talk.user("Still here")
    talk.answer("Yes.")
    with memory_of(project, AGENT) as memory:
        result = memory.import_session(talk.path)
    assert (result.data["turns"], result.data["broken"], result.data["skipped"]) == (4, 4, 1)


def test_a_line_that_is_far_too_long_is_passed_over(
    project: Path, talk: ClaudeTalk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memfs.interop.transcripts.lines.MAX_LINE_BYTES", 20_000)
    talk.user("Fix the migration")
    talk.tool("Bash", {"command": "cat big"}, "x" * 50_000)
    talk.answer("Done.")
    with memory_of(project, AGENT) as memory:
        result = memory.import_session(talk.path)
    assert (result.data["turns"], result.data["broken"]) == (1, 1)


def test_a_transcript_that_was_written_anew_is_read_from_its_beginning(
    project: Path, talk: ClaudeTalk
) -> None:
    three_turns(talk)
    with memory_of(project, AGENT) as memory:
        imported(memory, talk)
        lines = talk.path.read_bytes().splitlines(keepends=True)
        talk.path.write_bytes(b'{"type":"summary","summary":"About it"}\n' + b"".join(lines[2:]))
        talk.user("Still here")
        talk.answer("Yes.")
        assert imported(memory, talk) == 1
        talk.path.write_bytes(b"".join(lines[:3]))
        assert imported(memory, talk) == 0
    assert len(subjects(repository())) == 4


def test_a_session_without_its_metadata_is_none_until_it_is_imported_again(
    project: Path, talk: ClaudeTalk
) -> None:
    three_turns(talk)
    with memory_of(project, AGENT) as memory:
        imported(memory, talk)
        file = repository() / "session.json"
        before = file.read_bytes()
        for content in (b"", b"{", b"[]", b'{"id": "ses_other"}', b"\xff" * 9):
            file.write_bytes(content)
            assert memory.sessions() == ()
            assert memory.open_session(SESSION).state is SessionState.GONE
        file.unlink()
        assert memory.sessions() == ()
        (home() / "sessions" / "notes").mkdir()
        (home() / "sessions" / session_id("claude", "empty")).mkdir()
        (home() / "sessions" / session_id("claude", "link")).symlink_to(repository())
        assert memory.sessions() == ()
        assert imported(memory, talk) == 0
        assert [view.id for view in memory.sessions()] == [SESSION]
    assert json.loads(file.read_bytes())["title"] == json.loads(before)["title"]


def test_a_side_conversation_and_an_empty_transcript_keep_nothing(
    project: Path, talk: ClaudeTalk, tmp_path: Path
) -> None:
    talk.user("Search the code", isSidechain=True)
    talk.answer("Found.", isSidechain=True)
    with memory_of(project, AGENT) as memory:
        result = memory.import_session(talk.path)
        assert [item.code for item in result.reasons] == ["session.side"]
        talk.user("A person asks")
        talk.answer("And gets an answer.")
        talk.answer("Found more.", isSidechain=True)
        assert imported(memory, talk) == 1
    text = git(repository(), "log", "-p", "--all")
    assert "A person asks" in text
    assert "Found" not in text


def test_a_session_of_another_project_is_refused_unless_a_person_says_it_is_this_ones(
    project: Path, tmp_path: Path
) -> None:
    (tmp_path / "website").mkdir()
    talk = ClaudeTalk(tmp_path / f"{HOST_ID}.jsonl", cwd=str(tmp_path / "website"))
    three_turns(talk)
    with memory_of(project, AGENT) as memory:
        result = memory.import_session(talk.path)
        assert [item.code for item in result.reasons] == ["session.elsewhere"]
        assert not (home() / "sessions").exists()
        memory.actor = ANA
        assert memory.import_session(talk.path, is_here=True).data["turns"] == 3


def test_sessions_of_other_stores_are_not_seen_and_not_touched(
    project: Path, talk: ClaudeTalk, tmp_path: Path
) -> None:
    talk._cwd = ""
    three_turns(talk)
    with memory_of(project, AGENT) as memory:
        imported(memory, talk)
    other = new_project(tmp_path, "website")
    with memory_of(other, AGENT) as memory:
        assert memory.sessions() == ()
        assert memory.open_session(SESSION).state is SessionState.GONE
        result = memory.import_session(talk.path)
        assert [item.code for item in result.reasons] == ["session.elsewhere"]
        memory.actor = ANA
        assert memory.forget_session(SESSION).status is ResultStatus.NOTHING
    assert repository().is_dir()


def test_titles_the_persons_own_wins_then_the_hosts_then_the_first_line(
    project: Path, talk: ClaudeTalk
) -> None:
    def title(memory: Memory) -> str:
        imported(memory, talk)
        metadata = memory.sessions()[0].metadata
        assert metadata is not None
        return metadata.title

    three_turns(talk)
    with memory_of(project, AGENT) as memory:
        assert title(memory) == "Fix the migration"
        talk.line({"type": "summary", "summary": "Migration and docs", "leafUuid": "x"})
        assert title(memory) == "Migration and docs"
        talk.line({"type": "ai-title", "aiTitle": "Migration work"})
        assert title(memory) == "Migration work"
        talk.line({"type": "custom-title", "customTitle": "My big day"})
        talk.line({"type": "ai-title", "aiTitle": "Something else"})
        assert title(memory) == "My big day"
        talk.line({"type": "ai-title", "aiTitle": "Something else again"})
        assert title(memory) == "My big day"


# What else happens to a repository --------------------------------------------------------------


def test_a_commit_that_a_person_made_there_is_neither_read_as_a_turn_nor_lost(
    project: Path, talk: ClaudeTalk
) -> None:
    three_turns(talk)
    with memory_of(project, AGENT) as memory:
        imported(memory, talk)
        git(repository(), "commit", "-q", "--allow-empty", "-m", "Turn 9: mine\n\nMemfs-Turn: 9")
        mine = git(repository(), "rev-parse", "main").strip()
        talk.user("And more")
        talk.answer("Yes.")
        assert imported(memory, talk) == 1
        assert memory.session(SESSION).count == 4
        assert len(memory.open_session(SESSION).nodes) == 10
    assert git(repository(), "rev-parse", "main").strip() == mine


def test_a_repository_that_git_has_packed_goes_on(project: Path, talk: ClaudeTalk) -> None:
    ends = three_turns(talk)
    with memory_of(project, AGENT) as memory:
        imported(memory, talk)
        git(repository(), "gc", "-q", "--prune=now")
        talk.user("Other docs", parent=ends[0])
        talk.answer("Written otherwise.")
        assert imported(memory, talk) == 1
        git(repository(), "pack-refs", "--all")
        talk.user("And more")
        talk.answer("Yes.")
        assert imported(memory, talk) == 1
        assert len(memory.session(SESSION).branches) == 2
        assert memory.open_session(SESSION, turns=[3]).nodes[0].words == "And more"
    assert git(repository(), "fsck", "--strict") == ""


def test_a_damaged_object_hides_its_message_and_no_other(project: Path, talk: ClaudeTalk) -> None:
    three_turns(talk)
    with memory_of(project, AGENT) as memory:
        imported(memory, talk)
        name = next(item for item in names(repository()) if item.startswith("000005"))
        oid = git(repository(), "rev-parse", f"HEAD:{name}").strip()
        place = repository() / ".git" / "objects" / oid[:2] / oid[2:]
        place.chmod(0o600)
        place.write_bytes(b"damaged")
        assert len(memory.open_session(SESSION).nodes) == 7
        assert memory.search_sessions("changelog")


def test_many_turns_in_one_import_come_in_batches(project: Path, talk: ClaudeTalk) -> None:
    for number in range(70):
        talk.user(f"Step {number}")
        talk.answer("Done.")
    with memory_of(project, AGENT) as memory:
        assert imported(memory, talk) == 70
        assert memory.sessions()[0].count == 70
    assert len(subjects(repository())) == 70


def test_what_is_written_while_it_is_read_comes_next_time(project: Path, talk: ClaudeTalk) -> None:
    from memfs.interop.transcripts.port import open_transcript

    three_turns(talk)
    transcript = open_transcript(talk.path)
    seen = 0
    for _ in transcript.entries():
        seen += 1
        if seen < 3:
            talk.answer("More of it.")
    assert seen == 8
    end = transcript.report().end
    assert sum(1 for _ in transcript.entries(end)) == 2


def test_a_late_answer_to_an_earlier_prompt_belongs_to_that_prompt(
    project: Path, talk: ClaudeTalk
) -> None:
    first = talk.user("Name the module")
    talk.user("Or wait, fix the migration")
    talk.answer("Fixed.")
    talk.answer("Call it ledger.", parent=first)
    talk.answer("Call it journal.", parent=first)
    with memory_of(project, AGENT) as memory:
        assert imported(memory, talk) == 4
    assert sorted(subjects(repository(), "--all")) == [
        "Turn 1 (continued): Name the module",
        "Turn 1 (retry): Name the module",
        "Turn 1: Name the module",
        "Turn 2: Or wait, fix the migration",
    ]
