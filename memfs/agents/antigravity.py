"""Antigravity CLI: no event for a prompt; context is an ephemeral message before a model call.

PreInvocation comes before every call of a model and carries no prompt, so that what a person
typed is read from the end of the transcript, and a call that continues a turn is answered with
nothing. Fields are in camel case and the event's name is not among them: it is the one in the
configured command. There is no event for a compaction or the end of a session.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from memfs.agents.contract import (
    AgentEvent,
    Client,
    EventKind,
    Payload,
    is_path,
    name_of,
    path_of,
)
from memfs.model.values import JsonValue

EVENTS: Final[Mapping[str, EventKind]] = MappingProxyType(
    {
        "PreInvocation": EventKind.PROMPT,
        "Stop": EventKind.STOP,
    }
)
_TYPED: Final = "USER_INPUT"
_BY_A_PERSON: Final = "USER_EXPLICIT"


def _read(kind: EventKind, name: str, payload: Payload) -> AgentEvent:
    return AgentEvent(
        client="antigravity",
        kind=kind,
        name=name,
        session=name_of(payload, "conversationId"),
        folder=_first_workspace(payload),
        transcript=path_of(payload, "transcriptPath"),
        source=name_of(payload, "terminationReason"),
        is_every_call=kind is EventKind.PROMPT,
    )


def _first_workspace(payload: Payload) -> str:
    folders = payload.get("workspacePaths")
    if not isinstance(folders, list):
        return ""
    return next((path for path in folders if isinstance(path, str) and is_path(path)), "")


def _write(event: AgentEvent, context: str) -> Mapping[str, JsonValue]:
    return {"injectSteps": [{"ephemeralMessage": context}]}


def last_prompt(tail: bytes) -> str:
    """Returns what a person typed last, from the end of a transcript; empty for nothing.

    A first line that is cut, and any that is no JSON, is passed over.
    """
    for line in reversed(tail.splitlines()):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(row, dict) or row.get("type") != _TYPED:
            continue
        content = row.get("content")
        if row.get("source", _BY_A_PERSON) == _BY_A_PERSON and isinstance(content, str):
            return content.encode("utf-8", "replace").decode("utf-8")
    return ""


CLIENT: Final = Client(
    name="antigravity",
    events=EVENTS,
    read=_read,
    write=_write,
    name_field="hookEventName",
    project_variables=("ANTIGRAVITY_PROJECT_DIR",),
    prompt_in=last_prompt,
)
