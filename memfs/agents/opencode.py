"""OpenCode: a plugin of ours shells out, so that both sides of the contract are memfs's own.

Input: ``{"event", "session_id", "turn_id", "cwd", "prompt", "summary"}``, ``event`` by memfs's
name; output: ``{"context": text}`` or nothing. The plugin decides where it puts the context.
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
    path_of,
    text_of,
)
from memfs.model.values import JsonValue

EVENTS: Final[Mapping[str, EventKind]] = MappingProxyType({str(kind): kind for kind in EventKind})


def _read(kind: EventKind, name: str, payload: Payload) -> AgentEvent:
    return AgentEvent(
        client="opencode",
        kind=kind,
        name=name,
        session=name_of(payload, "session_id"),
        turn=name_of(payload, "turn_id"),
        folder=path_of(payload, "cwd"),
        transcript=path_of(payload, "transcript_path"),
        prompt=text_of(payload, "prompt") if kind is EventKind.PROMPT else "",
        source=name_of(payload, "source"),
        summary=text_of(payload, "summary") if kind is EventKind.POST_COMPACT else "",
        is_nested=payload.get("is_nested") is True,
        tool=_tool(payload) if kind is EventKind.TOOL else None,
    )


def _tool(payload: Payload) -> ToolUse:
    return ToolUse(
        name=name_of(payload, "tool"),
        command=text_of(payload, "command"),
        exit_code=number_of(payload, "exit_code"),
        is_failed=payload.get("is_failed") is True,
    )


def _write(event: AgentEvent, context: str) -> Mapping[str, JsonValue]:
    return {"context": context}


CLIENT: Final = Client(name="opencode", events=EVENTS, read=_read, write=_write, name_field="event")
