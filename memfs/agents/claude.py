"""Claude Code: JSON on both sides, context in ``hookSpecificOutput.additionalContext``.

Only session start and prompt are answered. Context on Stop would continue the turn, PreCompact
with anything but nothing could block a compaction, and what SessionEnd prints is discarded.
The payload of a subagent carries ``agent_id``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from memfs.agents.contract import (
    AgentEvent,
    Client,
    EventKind,
    Payload,
    ToolUse,
    name_of,
    number_of,
    object_of,
    path_of,
    text_of,
)
from memfs.model.values import JsonValue

EVENTS: Final[Mapping[str, EventKind]] = MappingProxyType(
    {
        "SessionStart": EventKind.SESSION_START,
        "UserPromptSubmit": EventKind.PROMPT,
        "Stop": EventKind.STOP,
        "PreCompact": EventKind.PRE_COMPACT,
        "PostCompact": EventKind.POST_COMPACT,
        "SessionEnd": EventKind.SESSION_END,
        "PostToolUse": EventKind.TOOL,
        "PostToolUseFailure": EventKind.TOOL,
    }
)
_FAILED: Final = "PostToolUseFailure"


def read_event(kind: EventKind, name: str, payload: Payload, *, client: str) -> AgentEvent:
    """Returns the event of a payload in the shape that Claude Code and Codex share."""
    return AgentEvent(
        client=client,
        kind=kind,
        name=name,
        session=name_of(payload, "session_id"),
        turn=name_of(payload, "prompt_id", "turn_id"),
        folder=path_of(payload, "cwd"),
        transcript=path_of(payload, "transcript_path"),
        prompt=text_of(payload, "prompt") if kind is EventKind.PROMPT else "",
        source=name_of(payload, "source", "trigger", "reason"),
        summary=text_of(payload, "compact_summary") if kind is EventKind.POST_COMPACT else "",
        is_nested=bool(text_of(payload, "agent_id")),
        tool=tool_used(name, payload) if kind is EventKind.TOOL else None,
    )


def tool_used(name: str, payload: Payload) -> ToolUse:
    """Returns the use of a tool that a payload tells of."""
    answer = object_of(payload, "tool_response", "tool_result", "tool_output")
    return ToolUse(
        name=name_of(payload, "tool_name"),
        command=text_of(object_of(payload, "tool_input"), "command"),
        exit_code=number_of(answer, "exit_code", "exitCode", "returncode"),
        is_failed=name == _FAILED or bool(answer.get("is_error")) or bool(answer.get("error")),
    )


def context_output(event: AgentEvent, context: str) -> Mapping[str, JsonValue]:
    """Returns an answer with no field besides those that Codex's strict schema lists as well."""
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


def _read(kind: EventKind, name: str, payload: Payload) -> AgentEvent:
    return read_event(kind, name, payload, client="claude")


CLIENT: Final = Client(
    name="claude",
    events=EVENTS,
    read=_read,
    write=context_output,
    project_variables=("CLAUDE_PROJECT_DIR",),
    environment_file="CLAUDE_ENV_FILE",
)
