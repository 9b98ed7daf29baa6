"""Whatever a host writes, it is an event or none, and an answer is one JSON object or nothing."""

from __future__ import annotations

import json
import os
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memfs.agents.antigravity import last_prompt
from memfs.agents.clients import NAMES, client_named
from memfs.agents.contract import EventKind, event_from, output_of
from memfs.cli.hook import read_payload

FIELDS = (
    "session_id", "conversation_id", "conversationId", "cwd", "workspace_roots", "workspacePaths",
    "transcript_path", "transcriptPath", "prompt", "prompt_id", "source", "compact_summary",
    "hook_event_name", "event", "tool_name", "tool_input", "tool_response", "agent_id", "command",
)  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PAYLOADS = st.dictionaries(st.sampled_from(FIELDS) | st.text(), VALUES, max_size=12)
EVENTS = st.sampled_from([*map(str, EventKind), "UserPromptSubmit", "weather", ""])


@given(name=st.sampled_from(NAMES), said=EVENTS, payload=PAYLOADS, context=st.text())
def test_any_payload_is_an_event_or_none(
    name: str, said: str, payload: dict[str, Any], context: str
) -> None:
    client = client_named(name)
    assert client is not None
    event = event_from(client, said, payload)
    if event is None:
        return
    assert event.client == name
    for path in (event.folder, event.transcript):
        assert not path or (path.startswith("/") and "\0" not in path)
    assert event.session.isascii()
    output = output_of(client, event, context)
    assert not output or isinstance(json.loads(output), dict)
    assert bool(output) is bool(context and event.kind.is_answered)


@given(content=st.binary(max_size=2000) | st.text().map(str.encode) | VALUES.map(json.dumps).map(
    str.encode
))  # fmt: skip
def test_any_bytes_are_a_payload_or_none(content: bytes) -> None:
    reading, writing = os.pipe()
    try:
        os.write(writing, content)
        os.close(writing)
        found = read_payload(reading)
    finally:
        os.close(reading)
    assert found is None or isinstance(found, dict)
    assert isinstance(last_prompt(content), str)
