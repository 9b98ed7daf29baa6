"""Codex: the events and the answer of Claude Code, held to a strict schema.

``additionalProperties`` is false in every output schema: an answer has ``hookSpecificOutput``
with the event's name and the context, and nothing else. ``transcript_path`` may be null, and
``turn_id`` stands where Claude Code has ``prompt_id``.
"""

from __future__ import annotations

from typing import Final

from memfs.agents.claude import EVENTS, context_output, read_event
from memfs.agents.contract import AgentEvent, Client, EventKind, Payload


def _read(kind: EventKind, name: str, payload: Payload) -> AgentEvent:
    return read_event(kind, name, payload, client="codex")


CLIENT: Final = Client(name="codex", events=EVENTS, read=_read, write=context_output)
