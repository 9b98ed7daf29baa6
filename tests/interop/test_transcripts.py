"""Each reader of a host's transcript gives what was said and nothing of what stands around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.cli.session_values import opened_value, session_value
from memfs.cli.terminal import json_text
from memfs.domains.sessions.turns import START, Mark, MarkMismatchError, Message
from memfs.errors import DataError, UsageError
from memfs.interop.transcripts.port import open_transcript
from tests.conftest import ROOT
from tests.support.conversations import HOST_ID, ClaudeTalk, CodexTalk
from tests.support.memory import ANA, memory_of, new_project

FIXTURES = ROOT / "fixtures" / "transcripts"
FILES = {"claude": "claude/transcript.jsonl", "codex": "codex/rollout.jsonl"}


@pytest.mark.parametrize("client", FILES)
def test_a_transcript_gives_exactly_these_turns(client: str, tmp_path: Path) -> None:
    path = FIXTURES / FILES[client]
    before = path.read_bytes()
    with memory_of(new_project(tmp_path), ANA) as memory:
        result = memory.import_session(path, is_here=True)
        view = memory.session(HOST_ID)
        shown = {
            "import": {name: result.data[name] for name in sorted(result.data)},
            "session": session_value(view),
            "opened": opened_value(memory.open_session(HOST_ID, limit_bytes=1_000_000)),
        }
    assert path.read_bytes() == before
    expected = path.with_name("expected.json")
    assert json_text(shown, indent=1) + "\n" == expected.read_text(encoding="utf-8")
    assert "hidden reasoning" not in json_text(shown)


@pytest.mark.parametrize("client", FILES)
def test_the_client_is_recognised_and_can_be_named(client: str) -> None:
    path = FIXTURES / FILES[client]
    assert open_transcript(path).head().client == client
    head = open_transcript(path, client).head()
    assert (head.host_id, head.folder) == (HOST_ID, "/home/ana/src/datasync")


@pytest.mark.parametrize(
    "content",
    [b"", b"\n\n", b"Just notes.\n", b'{"a": 1}\n', b"\x00\x01\x02", b"[]\n", b'{"type": "x"}\n'],
)
def test_another_file_is_no_transcript(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        open_transcript(path)
    assert caught.value.code == "session.unknown-transcript"


def test_a_client_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        open_transcript(FIXTURES / FILES["claude"], "emacs")


def test_a_pipe_and_a_folder_are_refused_at_once(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "nothing"):
        with pytest.raises(DataError):
            open_transcript(path)


@pytest.mark.parametrize("client", FILES)
def test_a_pass_behind_a_mark_gives_the_rest_and_another_text_is_refused(
    client: str, tmp_path: Path
) -> None:
    path = FIXTURES / FILES[client]
    transcript = open_transcript(path)
    whole = [entry for entry in transcript.entries() if isinstance(entry, Message)]
    links = transcript.report().links
    for at in (1, len(whole) // 2, len(whole) - 1):
        rest = [
            entry
            for entry in transcript.entries(whole[at].mark, links)
            if isinstance(entry, Message)
        ]
        assert [entry.id for entry in rest] == [entry.id for entry in whole[at:]]
    end = transcript.report().end
    assert list(transcript.entries(end)) == []
    for mark in (Mark(end.offset, "0" * 64), Mark(end.offset + 999, end.digest), Mark(5, "")):
        with pytest.raises(MarkMismatchError):
            list(transcript.entries(mark))


def test_a_rollout_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl"
    path.write_text(
        '{"id": "old-1", "timestamp": "2025-05-01T10:00:00Z", "instructions": null}\n'
        '{"record_type": "state"}\n'
        '{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}\n'
        '{"type": "function_call", "name": "shell", "arguments": "not json", "call_id": "a"}\n'
        '{"type": "function_call_output", "call_id": "a", "output": "ok"}\n',
        encoding="utf-8",
    )
    transcript = open_transcript(path)
    assert transcript.head().host_id == "old-1"
    messages = [entry for entry in transcript.entries() if isinstance(entry, Message)]
    assert [part.text for message in messages for part in message.parts] == ["Hi", "not json", "ok"]


def test_ids_of_a_rollout_are_the_same_whenever_it_is_read(tmp_path: Path) -> None:
    talk = CodexTalk(tmp_path / "rollout.jsonl")
    for _ in range(3):
        talk.user("Again")
        talk.answer("Again.")
    transcript = open_transcript(talk.path)
    once = [entry.id for entry in transcript.entries(START) if isinstance(entry, Message)]
    talk.user("More")
    again = [entry.id for entry in transcript.entries(START) if isinstance(entry, Message)]
    assert again[: len(once)] == once
    assert len(set(again)) == len(again) == 7


def test_fields_of_a_strange_type_count_as_absent(tmp_path: Path) -> None:
    talk = ClaudeTalk(tmp_path / f"{HOST_ID}.jsonl")
    talk.user("Fine")
    for value in (
        {"type": 7, "uuid": [], "sessionId": {}},
        {"type": "user", "uuid": 5, "parentUuid": 7, "message": []},
        {"type": "user", "uuid": "u", "message": {"role": "user", "content": {"text": "x"}}},
        {"type": "assistant", "message": {"content": [None, 3, "x", {"type": "text"}]}},
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "input": None}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": 3}]}},
        {"type": "attachment", "attachment": {"type": "queued_command", "prompt": 9}},
        {"type": "user", "timestamp": "soon", "message": {"content": "half \ud800 of it"}},
    ):
        talk.line(value)
    with memory_of(new_project(tmp_path), ANA) as memory:
        memory.import_session(talk.path, is_ended=True)
        words = [node.words for node in memory.open_session(HOST_ID).nodes]
    assert words == ["Fine", "", "", "half \\u{d800} of it"]
