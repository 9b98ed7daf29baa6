"""Files of a transaction before they have their names: in ``.git/memfs/tmp``, on one file system.

Every name starts with the pid and the start time of the process that made it, so that the
leftovers of a dead process can be told from the work of a live one and removed. Nothing here
is visible to readers, watchers or ``git status``.
"""

from __future__ import annotations

import functools
import itertools
import os
from pathlib import Path
from typing import Final

from memfs.model.settings import Durability
from memfs.store.effects import Effects

_OPEN_FILES: Final = 128
_SERIAL: Final = itertools.count(1)


class Staging:
    """The temporary files of one transaction.

    With ``batch`` durability the write-back of each file starts at once and is waited for in
    :meth:`flush`; with ``each`` every file is synced where it is written; ``process`` syncs
    nothing, since a killed process loses nothing that the kernel has.
    """

    def __init__(self, folder: str, effects: Effects, durability: Durability) -> None:
        self._folder = folder
        self._effects = effects
        self._durability = durability
        self._open: list[int] = []
        self._left: set[str] = set()
        self._prefix = f"{folder}/{own_token(os.getpid())}."

    def new_name(self) -> str:
        """Returns a path that no other transaction uses and remembers it for removal."""
        path = f"{self._prefix}{next(_SERIAL)}"
        self._left.add(path)
        return path

    def put(self, content: bytes, *, mode: int = 0o600) -> str:
        """Writes ``content`` under a new temporary name and returns the path."""
        path = self.new_name()
        self._start(self._create(path, content, mode))
        return path

    def put_empty(self) -> str:
        """Makes an empty temporary file that needs no flush, for a lock, and returns its path."""
        path = self.new_name()
        os.close(self._create(path, b"", 0o600))
        return path

    def _create(self, path: str, content: bytes, mode: int) -> int:
        try:
            return self._effects.create(path, content, mode=mode)
        except FileNotFoundError:
            self._effects.mkdir(self._folder.rpartition("/")[0])
            self._effects.mkdir(self._folder)
            return self._effects.create(path, content, mode=mode)

    def _start(self, descriptor: int) -> None:
        match self._durability:
            case Durability.PROCESS:
                os.close(descriptor)
            case Durability.EACH if not self._is_large():
                self._open.append(descriptor)
                self._effects.fsync(descriptor)
                os.close(self._open.pop())
            case Durability.EACH | Durability.BATCH:
                self._open.append(descriptor)
                self._effects.start_flush(descriptor)
                if len(self._open) > _OPEN_FILES:
                    self._effects.finish_flush(self._open[0])
                    os.close(self._open.pop(0))

    def _is_large(self) -> bool:
        """Whether syncing file by file has become pointless: one large plan is one batch."""
        return len(self._left) > _OPEN_FILES

    def flush(self) -> None:
        """Waits until the data of every file is written; one sync makes their metadata durable."""
        while self._open:
            if len(self._open) == 1:
                self._effects.fsync(self._open[0])
            else:
                self._effects.finish_flush(self._open[0])
            os.close(self._open.pop(0))

    def forget(self, path: str) -> None:
        """Notes that a temporary name is gone: the file was renamed into place."""
        self._left.discard(path)

    def discard(self) -> None:
        """Removes what is left; a failure leaves it for the next recovery."""
        while self._open:
            os.close(self._open.pop())
        for path in self._left:
            try:
                self._effects.unlink(path)
            except OSError:
                continue
        self._left.clear()


def process_token(pid: int) -> str:
    """Returns ``<pid>-<start time>`` of a process; the start time is 0 where it is unknown."""
    return f"{pid}-{_start_time(pid)}"


@functools.lru_cache(maxsize=1)
def own_token(pid: int) -> str:
    """Returns the token of this process, whose id is given so that a fork gets its own."""
    return process_token(pid)


def is_token_alive(token: str) -> bool:
    """Tells whether the process that made a temporary name may still run.

    Anything that is not a token counts as alive: it is not ours to remove.
    """
    if token == own_token(os.getpid()):
        return True
    pid_text, dash, start = token.partition("-")
    if not (dash and pid_text.isdigit() and start.isdigit()):
        return True
    pid = int(pid_text)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OverflowError:
        return False
    except PermissionError:
        return True
    # The number may have been given to another process since.
    return start == "0" or _start_time(pid) in (start, "0")


def find_leftovers(folder: str) -> tuple[str, ...]:
    """Returns the temporary files of dead processes."""
    try:
        with os.scandir(folder) as scan:
            names = [entry.name for entry in scan]
    except FileNotFoundError:
        return ()
    tokens = {name.partition(".")[0] for name in names}
    dead = {token for token in tokens if not is_token_alive(token)}
    return tuple(f"{folder}/{name}" for name in names if name.partition(".")[0] in dead)


def remove_leftovers(folder: str, effects: Effects) -> None:
    """Removes the temporary files of dead processes."""
    for path in find_leftovers(folder):
        effects.unlink(path)


def _start_time(pid: int) -> str:
    try:
        text = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return "0"
    # The command name stands in brackets and may itself hold blanks and brackets.
    fields = text.rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 else "0"
