"""Real processes: the command as a script would start it, and on a terminal of its own."""

from __future__ import annotations

import errno
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from tests.support.forkserver import CLIENT, ended_with, server


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A process that has ended; on a terminal both streams are in ``output``."""

    status: int
    output: str
    errors: str = ""


def command_folder(folder: Path) -> Path:
    """Makes a folder with a program ``memfs`` that runs this checkout; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "memfs"
    script.write_text(CLIENT.format(python=sys.executable, address=server()), encoding="utf-8")
    script.chmod(0o755)
    return folder


def run_memfs(
    *arguments: str, cwd: Path, stdin: str = "", env: Mapping[str, str] | None = None
) -> Ended:
    """Runs ``memfs`` without a terminal, as a script or an agent would."""
    with TemporaryFile() as given, TemporaryFile() as output, TemporaryFile() as errors:
        given.write(stdin.encode("utf-8"))
        given.seek(0)
        status = ended_with(
            arguments,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            streams=(given.fileno(), output.fileno(), errors.fileno()),
        )
        output.seek(0)
        errors.seek(0)
        return Ended(
            status=status,
            output=output.read().decode("utf-8"),
            errors=errors.read().decode("utf-8"),
        )


def run_on_terminal(command: str, *, cwd: Path, env: Mapping[str, str]) -> Ended:
    """Runs a shell command with a terminal on all three streams, as a person would.

    Returns:
        The output as the terminal received it, with plain line feeds.
    """
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        cwd=cwd,
        env=dict(env),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    received = bytearray()
    try:
        while chunk := _read(controller):
            received += chunk
        status = process.wait(timeout=60)
    finally:
        os.close(controller)
        process.kill()
    return Ended(status=status, output=received.decode("utf-8").replace("\r\n", "\n"))


def _read(controller: int) -> bytes:
    try:
        return os.read(controller, 65536)
    except OSError as error:
        if error.errno == errno.EIO:  # Linux says so when the last process has left.
            return b""
        raise


def run_git(*arguments: str, cwd: Path) -> Ended:
    """Runs Git as a person would, hooks included."""
    ended = subprocess.run(["git", *arguments], cwd=cwd, capture_output=True, text=True, timeout=60)
    return Ended(status=ended.returncode, output=ended.stdout, errors=ended.stderr)
