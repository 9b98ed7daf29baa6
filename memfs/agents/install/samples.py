"""A sample of what each client sends with an event, to try a configured command with.

Pure. The fields are those that the client's contract always has; the words name nothing real.
"""

from __future__ import annotations

import json
from typing import Final

from memfs.agents.clients import client_named
from memfs.agents.contract import EventKind
from memfs.model.values import JsonValue

QUESTION: Final = "Which word does the sample store of memfs doctor know?"
SESSION: Final = "memfs-doctor"


def payload(
    client: str, kind: EventKind, *, folder: str, transcript: str, session: str = SESSION
) -> bytes:
    """Returns what stands on standard input of a hook.

    Args:
        client: Name of the client.
        kind: What happened.
        session: The conversation; each is told a record once, so that a trial needs its own.
        folder: Folder that the host works in, absolute.
        transcript: The host's record of the conversation, absolute.
    """
    known = client_named(client)
    name = known.own_name(kind) if known is not None else ""
    fields = _fields(client, name, folder, transcript, session)
    if kind is EventKind.PROMPT and client != "antigravity":
        fields["prompt"] = QUESTION
    if kind is EventKind.SESSION_START and client != "cursor":
        fields["source"] = "startup"
    return json.dumps(fields).encode()


def _fields(
    client: str, name: str, folder: str, transcript: str, session: str
) -> dict[str, JsonValue]:
    match client:
        case "cursor":
            return {
                "conversation_id": session,
                "generation_id": "g-1",
                "hook_event_name": name,
                "workspace_roots": [folder],
            }
        case "antigravity":
            return {
                "conversationId": session,
                "workspacePaths": [folder],
                "transcriptPath": transcript,
            }
        case "opencode":
            return {"session_id": session, "cwd": folder, "event": name}
        case _:
            return {
                "session_id": session,
                "transcript_path": transcript,
                "cwd": folder,
                "hook_event_name": name,
            }


def transcript_line(client: str) -> str:
    """Returns a line of a conversation in which the question is the last prompt."""
    if client == "antigravity":
        row = {"type": "USER_INPUT", "source": "USER_EXPLICIT", "content": QUESTION}
        return json.dumps(row) + "\n"
    return ""


def greeting() -> bytes:
    """Returns the first line that a client sends to a protocol server."""
    parameters = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": SESSION, "version": "1"},
    }
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}
    return json.dumps(call).encode() + b"\n"
