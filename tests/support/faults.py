"""Effects that fail or kill, and children in which a kill does no harm to the test run."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final

from memfs.store.effects import Effects

# Read when it is imported: the tests themselves see no variable from outside.
IS_FULL_RUN: Final = os.environ.get("MEMFS_FAULTS") == "full"


def is_full_run() -> bool:
    """Tells whether the fault tests run at full count."""
    return IS_FULL_RUN


class RecordingEffects(Effects):
    """Remembers each effect and each step, in order."""

    def __init__(self) -> None:
        self.effects: list[str] = []
        self.steps: list[str] = []

    def before(self, effect: str, target: str) -> None:
        self.effects.append(effect)

    def step(self, name: str) -> None:
        self.steps.append(name)


class FailingEffects(Effects):
    """Raises at the N-th effect and, when asked, at every later one."""

    def __init__(self, at: int, error: int, *, is_lasting: bool = False) -> None:
        self._at = at
        self._error = error
        self._is_lasting = is_lasting
        self.count = 0

    def before(self, effect: str, target: str) -> None:
        self.count += 1
        if self.count == self._at or (self._is_lasting and self.count > self._at):
            raise OSError(self._error, os.strerror(self._error), target)

    @property
    def has_struck(self) -> bool:
        return self.count >= self._at


class TornEffects(FailingEffects):
    """Fails like a full disk: half of the bytes are there when the write is refused."""

    def write(self, descriptor: int, content: bytes, path: str = "") -> None:
        self.count += 1
        if self.count >= self._at:
            os.write(descriptor, content[: len(content) // 2])
            raise OSError(self._error, os.strerror(self._error), path)
        super().write(descriptor, content, path)


class KillingEffects(Effects):
    """Kills its process before the N-th effect, or when the named step is reached."""

    def __init__(self, *, at: int = 0, step: str = "") -> None:
        self._at = at
        self._step = step
        self._count = 0

    def before(self, effect: str, target: str) -> None:
        self._count += 1
        if self._count == self._at:
            os.kill(os.getpid(), signal.SIGKILL)

    def step(self, name: str) -> None:
        if name == self._step:
            os.kill(os.getpid(), signal.SIGKILL)


def run_in_child(work: Callable[[], None]) -> int:
    """Runs ``work`` in a forked child; returns its exit status, negative for a signal."""
    child = start_child(work)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def start_child(work: Callable[[], None]) -> int:
    """Starts ``work`` in a forked child and returns its process id."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    finally:
        if status:
            traceback.print_exc()
            sys.stderr.flush()
        os._exit(status)


def acknowledge(log: Path, line: str) -> None:
    """Notes an acknowledged write where a kill cannot take it back."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(descriptor, f"{line}\n".encode())
    os.close(descriptor)
