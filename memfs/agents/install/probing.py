"""Runs a configured command with a sample and says whether it does what it is there for.

Only commands that memfs itself would configure are run, and only programs that the caller
vouches for: a configuration file comes with a project, and a project may come from anybody.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LIMIT_S: Final = 15.0
_MOST_OUTPUT: Final = 1 << 20
_MOST_SAID: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where a command is tried.

    Attributes:
        folder: Its working folder.
        env: Its environment.
    """

    folder: Path
    env: Mapping[str, str]


def try_hook(words: Sequence[str], payload: bytes, stage: Stage, *, expected: str) -> str:
    """Runs a hook and returns what is wrong with it; empty for nothing.

    Args:
        words: The command.
        payload: What stands on its standard input.
        stage: Where it runs.
        expected: A word that the answer must hold; empty where no answer is due.
    """
    try:
        ended = subprocess.run(
            words,
            input=payload,
            capture_output=True,
            cwd=stage.folder,
            env=dict(stage.env),
            timeout=LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"expected an end within {LIMIT_S:.0f} s, got none"
    except OSError as error:
        return f"expected a program that starts, got: {error.strerror}"
    if ended.returncode != 0:
        return f"expected exit 0, got {ended.returncode}{_said(ended.stderr)}"
    if not expected:
        return "" if not ended.stdout else "expected no output, got some"
    return _answer_fault(ended.stdout, ended.stderr, expected)


def _answer_fault(output: bytes, errors: bytes, expected: str) -> str:
    try:
        answer = json.loads(output)
    except ValueError:
        got = "nothing" if not output.strip() else "something else"
        return f"expected one JSON object, got {got}{_said(errors)}"
    if not isinstance(answer, dict):
        return "expected one JSON object, got another value"
    if expected not in json.dumps(answer, ensure_ascii=False):
        return f"expected an answer from the sample store, got one without it{_said(errors)}"
    return ""


def try_server(words: Sequence[str], greeting: bytes, stage: Stage) -> str:
    """Starts a protocol server, greets it and ends it; returns what is wrong, empty for nothing."""
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=stage.folder,
            env=dict(stage.env),
        )
    except OSError as error:
        return f"expected a program that starts, got: {error.strerror}"
    with process:
        try:
            line = _first_line(process, greeting)
        finally:
            with suppress(OSError):
                if process.stdin is not None:
                    process.stdin.close()
            _end(process)
        errors = process.stderr.read() if process.stderr is not None and not line else b""
    try:
        answer = json.loads(line)
        is_greeted = bool(answer["result"]["serverInfo"]["name"])
    except (ValueError, KeyError, TypeError):
        got = "nothing" if not line else "something else"
        return f"expected a greeting, got {got}{_said(errors)}"
    return "" if is_greeted else "expected a greeting with a name, got one without"


def _first_line(process: subprocess.Popen[bytes], greeting: bytes) -> bytes:
    """Returns the first line that a server writes within the limit; empty for none."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError):
        process.stdin.write(greeting)
        process.stdin.flush()
    line = b""
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        while b"\n" not in line and len(line) < _MOST_OUTPUT and ready.select(LIMIT_S):
            piece = os.read(process.stdout.fileno(), 1 << 16)
            if not piece:
                break
            line += piece
    return line.partition(b"\n")[0]


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()


def _said(errors: bytes) -> str:
    """Returns the last line of what a command said, cut short."""
    lines = [line for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
    return f" ({lines[-1].strip()[:_MOST_SAID]})" if lines else ""
