"""Transcripts of invented conversations, in the shape that each client writes."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

START = datetime(2026, 11, 28, 9, 0, 0, tzinfo=UTC)
HOST_ID = "5e55a000-0000-4000-8000-000000000001"


class ClaudeTalk:
    """Writes a transcript as Claude Code does, line by line."""

    def __init__(self, path: Path, *, host_id: str = HOST_ID, cwd: str = "", seed: int = 0) -> None:
        self.path = path
        self.host_id = host_id
        self.last: str | None = None
        self._cwd = cwd
        self._count = seed * 1000
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def line(self, value: dict[str, Any]) -> None:
        """Appends any line."""
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(value) + "\n")

    def entry(self, kind: str, *, parent: Any = ..., **fields: Any) -> str:
        """Appends a line of the conversation; returns its id."""
        self._count += 1
        name = str(uuid.UUID(int=(0xC0FFEE << 64) + self._count, version=4))
        follows = self.last if parent is ... else parent
        value = {
            "type": kind,
            "uuid": name,
            "parentUuid": follows,
            "sessionId": self.host_id,
            "timestamp": self.time().isoformat().replace("+00:00", "Z"),
            "isSidechain": False,
            **fields,
        }
        if self._cwd:
            value["cwd"] = self._cwd
        self.line(value)
        self.last = name
        return name

    def time(self) -> datetime:
        """Returns the time of the last line."""
        return START + timedelta(seconds=10 * self._count)

    def user(self, text: str, **fields: Any) -> str:
        """Appends what the person asks."""
        message = {"role": "user", "content": text}
        return self.entry("user", message=message, **fields)

    def answer(self, text: str, *, stop: str | None = "end_turn", **fields: Any) -> str:
        """Appends an answer in words."""
        blocks = [{"type": "text", "text": text}]
        return self.blocks(blocks, stop=stop, **fields)

    def blocks(
        self, blocks: Sequence[dict[str, Any]], *, stop: str | None = None, **fields: Any
    ) -> str:
        """Appends a piece of an answer."""
        group = fields.pop("group", f"msg_{self._count:04d}")
        message = {
            "id": group,
            "role": "assistant",
            "content": list(blocks),
            "stop_reason": stop,
            "usage": {"output_tokens": 7},
        }
        return self.entry("assistant", message=message, **fields)

    def tool(self, name: str, value: Any, result: str, *, is_error: bool = False) -> None:
        """Appends a call of a tool and what it answered."""
        call = f"toolu_{self._count:04d}"
        self.blocks([{"type": "tool_use", "id": call, "name": name, "input": value}])
        block = {
            "type": "tool_result",
            "tool_use_id": call,
            "content": result,
            "is_error": is_error,
        }
        self.entry("user", message={"role": "user", "content": [block]})


class CodexTalk:
    """Writes a rollout as Codex does."""

    def __init__(
        self, path: Path, *, host_id: str = HOST_ID, cwd: str = "", fork: str = ""
    ) -> None:
        self.path = path
        self._count = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        meta = {"id": host_id, "cwd": cwd, "cli_version": "1.2.3", "timestamp": self._time()}
        if fork:
            meta["forked_from_id"] = fork
        self.line("session_meta", meta)

    def line(self, kind: str, payload: dict[str, Any]) -> None:
        """Appends any line."""
        self._count += 1
        value = {"timestamp": self._time(), "type": kind, "payload": payload}
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(value) + "\n")

    def item(self, kind: str, **fields: Any) -> None:
        """Appends something that was said."""
        self.line("response_item", {"type": kind, **fields})

    def user(self, text: str) -> None:
        """Appends what the person asks, and its echo for display."""
        self.item("message", role="user", content=[{"type": "input_text", "text": text}])
        self.line("event_msg", {"type": "user_message", "message": text})

    def answer(self, text: str) -> None:
        """Appends an answer in words and the end of the turn."""
        self.item("message", role="assistant", content=[{"type": "output_text", "text": text}])
        self.line("event_msg", {"type": "agent_message", "message": text})
        self.line("event_msg", {"type": "task_complete"})

    def tool(self, name: str, value: Any, result: str) -> None:
        """Appends a call of a tool and what it answered."""
        call = f"call_{self._count}"
        self.item("function_call", name=name, arguments=json.dumps(value), call_id=call)
        self.item("function_call_output", call_id=call, output=result)

    def _time(self) -> str:
        moment = START + timedelta(seconds=10 * self._count)
        return moment.isoformat().replace("+00:00", "Z")
