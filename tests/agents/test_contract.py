"""Payload to event and context to bytes, for each client, from the sample payloads."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from memfs.agents.antigravity import last_prompt
from memfs.agents.clients import NAMES, client_named
from memfs.agents.contract import (
    AgentEvent,
    Client,
    EventKind,
    ToolUse,
    event_from,
    output_of,
)
from tests.conftest import ROOT

HOOKS = ROOT / "fixtures" / "hooks"
SAMPLES = sorted(HOOKS.glob("*/*.in.json"))
CONTEXT = (HOOKS / "context.txt").read_text(encoding="utf-8")
PROMPT = "Why does the export job skip rows after midnight?"


def client(name: str) -> Client:
    found = client_named(name)
    assert found is not None
    return found


def sample(path: Path) -> tuple[Client, str, dict[str, Any]]:
    payload = json.loads(path.read_text(encoding="utf-8"))
    return client(path.parent.name), path.name.partition(".")[0], payload


def event_of(name: str, said: str, **payload: Any) -> AgentEvent | None:
    return event_from(client(name), said, payload)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name} {path.stem[:-3]}")
def test_each_sample_is_answered_byte_by_byte(path: Path) -> None:
    teller, said, payload = sample(path)
    event = event_from(teller, said, payload)

    assert event is not None
    assert (event.client, event.kind) == (teller.name, said)
    assert event.session
    assert event.folder == "/home/ana/datasync"
    expected = path.with_name(path.name.replace(".in.", ".out.")).read_bytes()
    assert output_of(teller, event, CONTEXT) == expected
    assert output_of(teller, event, "") == b""


def test_every_client_has_a_sample_of_every_event() -> None:
    found = {(path.parent.name, path.name.partition(".")[0]) for path in SAMPLES}

    assert found == {
        (name, str(kind)) for name in NAMES for kind in set(client(name).events.values())
    }


def test_only_a_session_start_and_a_prompt_are_answered() -> None:
    for path in SAMPLES:
        said = path.name.partition(".")[0]
        written = path.with_name(f"{said}.out.json").read_bytes()
        assert bool(written) is (said in ("session-start", "prompt"))
        if written:
            assert isinstance(json.loads(written), dict)


def test_what_codex_is_answered_has_no_field_beyond_its_strict_schema() -> None:
    for said, name in (("session-start", "SessionStart"), ("prompt", "UserPromptSubmit")):
        written = json.loads((HOOKS / "codex" / f"{said}.out.json").read_bytes())
        assert written == {
            "hookSpecificOutput": {"hookEventName": name, "additionalContext": CONTEXT}
        }


def test_an_event_holds_what_its_payload_says() -> None:
    teller, said, payload = sample(HOOKS / "claude" / "prompt.in.json")

    assert event_from(teller, said, payload) == AgentEvent(
        client="claude",
        kind=EventKind.PROMPT,
        name="UserPromptSubmit",
        session="0b0f6f4e-5a3b-4f5c-9a53-6c0f4f1d2e3a",
        turn="prompt-1",
        folder="/home/ana/datasync",
        transcript="/home/ana/.claude/projects/-home-ana-datasync/0b0f6f4e.jsonl",
        prompt=PROMPT,
    )
    teller, said, payload = sample(HOOKS / "cursor" / "tool.in.json")
    event = event_from(teller, said, payload)
    assert event is not None
    assert event.tool == ToolUse(name="shell", command="npm test", exit_code=1)


def test_the_hosts_own_name_of_an_event_wins_over_the_configured_one() -> None:
    event = event_of("claude", "prompt", hook_event_name="SessionEnd", session_id="s")
    assert event is not None
    assert event.kind is EventKind.SESSION_END

    assert event_of("claude", "prompt", hook_event_name="PreToolUse") is None
    assert event_of("claude", "UserPromptSubmit", session_id="s") is not None
    assert event_of("claude", "weather") is None


@pytest.mark.parametrize("value", [[1], {}, None, 7, True, "a\0b", "\ud800", "../x", "x" * 5000])
@pytest.mark.parametrize("name", NAMES)
def test_no_field_is_required_and_none_is_believed_to_be_of_its_type(
    name: str, value: object
) -> None:
    fields = (
        "session_id", "conversationId", "conversation_id", "cwd", "transcript_path", "turn_id",
        "transcriptPath", "workspace_roots", "workspacePaths", "tool_input", "tool_response",
    )  # fmt: skip
    for said in map(str, set(client(name).events.values())):
        assert event_of(name, said) is not None
        event = event_of(name, said, **dict.fromkeys(fields, value))
        assert event is not None
        assert event.folder == ""
        assert event.session == ""
        assert event.transcript == ""


def test_a_path_with_a_control_character_or_a_relative_one_is_none() -> None:
    for path in ("relative", "/a\0b", "/a\nb", "", "~"):
        event = event_of("claude", "stop", cwd=path, transcript_path=path)
        assert event is not None
        assert (event.folder, event.transcript) == ("", "")


def test_half_a_surrogate_pair_cannot_break_the_answer() -> None:
    event = event_of("claude", "prompt", prompt="half \ud83d of it")
    assert event is not None
    assert event.prompt == "half ? of it"
    assert json.loads(output_of(client("claude"), event, "half \ud83d"))


def test_a_subagent_is_told_from_a_person() -> None:
    event = event_of("claude", "prompt", agent_id="sub-1", prompt="do it")
    assert event is not None
    assert event.is_nested


def test_the_newest_prompt_of_a_transcript_is_a_persons() -> None:
    rows = [
        {"type": "USER_INPUT", "source": "USER_EXPLICIT", "content": "first"},
        {"type": "PLANNER_RESPONSE", "source": "MODEL", "content": "answer"},
        {"type": "USER_INPUT", "source": "USER_EXPLICIT", "content": "second"},
        {"type": "USER_INPUT", "source": "SYSTEM", "content": "not typed"},
        {"type": "USER_INPUT", "source": "USER_EXPLICIT", "content": ["no text"]},
    ]
    tail = b'content": "cut in half"}\n' + "".join(json.dumps(row) + "\n" for row in rows).encode()

    assert last_prompt(tail + b"[1, 2]\nno json\n" + b"[" * 100_000) == "second"
    assert last_prompt(b"") == ""


def test_a_client_that_nobody_knows_is_none() -> None:
    assert client_named("../os") is None
    assert all(re.fullmatch(r"[a-z]+", name) for name in NAMES)
