"""Cursor: camel-case events, snake-case fields; standard output is JSON or empty.

Context goes into ``additional_context`` with ``continue: true``. A conversation is named by
``conversation_id``, a prompt by ``generation_id``, the project by ``workspace_roots``. Its own
record of a conversation is undocumented and not read.
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
    is_path,
    name_of,
    number_of,
    object_of,
    path_of,
    text_of,
)
from memfs.model.values import JsonValue

EVENTS: Final[Mapping[str, EventKind]] = MappingProxyType(
    {
        "sessionStart": EventKind.SESSION_START,
        "beforeSubmitPrompt": EventKind.PROMPT,
        "stop": EventKind.STOP,
        "preCompact": EventKind.PRE_COMPACT,
        "sessionEnd": EventKind.SESSION_END,
        "afterShellExecution": EventKind.TOOL,
        "postToolUse": EventKind.TOOL,
        "postToolUseFailure": EventKind.TOOL,
    }
)
_FAILED: Final = "postToolUseFailure"


def _read(kind: EventKind, name: str, payload: Payload) -> AgentEvent:
    return AgentEvent(
        client="cursor",
        kind=kind,
        name=name,
        session=name_of(payload, "conversation_id", "session_id"),
        turn=name_of(payload, "generation_id"),
        folder=_first_root(payload) or path_of(payload, "cwd"),
        prompt=text_of(payload, "prompt") if kind is EventKind.PROMPT else "",
        source=name_of(payload, "source", "trigger", "reason", "status"),
        tool=_tool(name, payload) if kind is EventKind.TOOL else None,
    )


def _first_root(payload: Payload) -> str:
    roots = payload.get("workspace_roots")
    if not isinstance(roots, list):
        return ""
    return next((root for root in roots if isinstance(root, str) and is_path(root)), "")


def _tool(name: str, payload: Payload) -> ToolUse:
    command = text_of(payload, "command") or text_of(object_of(payload, "tool_input"), "command")
    return ToolUse(
        name=name_of(payload, "tool_name") or "shell",
        command=command,
        exit_code=number_of(payload, "exit_code", "exitCode"),
        is_failed=name == _FAILED,
    )


def _write(event: AgentEvent, context: str) -> Mapping[str, JsonValue]:
    return {"continue": True, "additional_context": context}


CLIENT: Final = Client(
    name="cursor",
    events=EVENTS,
    read=_read,
    write=_write,
    project_variables=("CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
)
