"""A hook as a host calls it, in this process: a payload and an answer, each through a pipe."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memfs.cli.hook import main


def called(
    event: str,
    payload: Mapping[str, Any] | bytes,
    *,
    client: str = "claude",
    env: Mapping[str, str] | None = None,
    is_left_open: bool = False,
) -> bytes:
    """Runs one hook and returns what it wrote to standard output; it always ends with 0.

    Args:
        event: The event as a command names it.
        payload: What the host writes; a value becomes JSON.
        client: The client.
        env: Variables beside those of the process.
        is_left_open: The host does not close the pipe.
    """
    content = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    reading, writing = os.pipe()
    answer, told = os.pipe()
    child = os.fork() if len(content) > 60_000 else -1
    if child == 0:
        os.close(reading)
        with contextlib.suppress(OSError), os.fdopen(writing, "wb") as stream:
            stream.write(content)
        os._exit(0)
    if child < 0:
        os.write(writing, content)
    if child > 0 or not is_left_open:
        os.close(writing)
    try:
        words = [event, "--client", client]
        assert main(words, env={**os.environ, **(env or {})}, stdin=reading, stdout=told) == 0
    finally:
        os.close(told)
        os.close(reading)
        if child > 0:
            os.waitpid(child, 0)
        elif is_left_open:
            os.close(writing)
    with os.fdopen(answer, "rb") as stream:
        return stream.read()


def context_of(output: bytes) -> str:
    """Returns the context that an answer of Claude's shape gives; empty for no answer."""
    if not output:
        return ""
    text = json.loads(output)["hookSpecificOutput"]["additionalContext"]
    assert isinstance(text, str)
    return text


def payload(project: Path, **fields: Any) -> dict[str, Any]:
    """Returns a payload of a host that works in ``project``."""
    return {"session_id": "chat-1", "cwd": str(project), **fields}
