"""Gemini CLI: only JSON on standard output, context in ``hookSpecificOutput``.

BeforeAgent is the prompt, AfterAgent the end of a turn and PreCompress what others call a
compaction. SessionEnd is not waited for: the hook may be ended at any moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from memfs.agents.claude import tool_used
from memfs.agents.contract import (
    AgentEvent,
    Client,
    EventKind,
    Payload,
    name_of,
    path_of,
    text_of,
)
from memfs.model.values import JsonValue

EVENTS: Final[Mapping[str, EventKind]] = MappingProxyType(
    {
        "SessionStart": EventKind.SESSION_START,
        "BeforeAgent": EventKind.PROMPT,
        "AfterAgent": EventKind.STOP,
        "PreCompress": EventKind.PRE_COMPACT,
        "SessionEnd": EventKind.SESSION_END,
        "AfterTool": EventKind.TOOL,
    }
)


def _read(kind: EventKind, name: str, payload: Payload) -> AgentEvent:
    return AgentEvent(
        client="gemini",
        kind=kind,
        name=name,
        session=name_of(payload, "session_id"),
        folder=path_of(payload, "cwd"),
        transcript=path_of(payload, "transcript_path"),
        prompt=text_of(payload, "prompt") if kind is EventKind.PROMPT else "",
        source=name_of(payload, "source", "trigger", "reason"),
        tool=tool_used(name, payload) if kind is EventKind.TOOL else None,
    )


def _write(event: AgentEvent, context: str) -> Mapping[str, JsonValue]:
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


CLIENT: Final = Client(
    name="gemini",
    events=EVENTS,
    read=_read,
    write=_write,
    project_variables=("GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
)
