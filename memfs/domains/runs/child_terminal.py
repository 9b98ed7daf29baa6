"""A wrapped command on a terminal of its own: it sees a terminal where the person has one.

What the person types goes to it byte by byte, control characters too, so that its terminal turns
them into signals as theirs would have. The person's terminal is given back as it was.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import tty
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from memfs.domains.runs.child import Kept

_PIECE: Final = 65_536
_SIZE: Final = struct.pack("HHHH", 0, 0, 0, 0)


def start_on_terminal(
    command: Sequence[str], env: Mapping[str, str], unblock: Callable[[], None]
) -> tuple[subprocess.Popen[bytes], int]:
    """Starts a command on a new terminal of the size of this one; returns the other end too."""
    ours, theirs = pty.openpty()
    copy_size(ours)

    def prepare() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        unblock()

    try:
        process = subprocess.Popen(
            list(command),
            env=dict(env),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=prepare,  # noqa: PLW1509  no thread of ours runs before it is started
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    return process, ours


def carry_terminal(process: subprocess.Popen[bytes], terminal: int, kept: Kept) -> None:
    """Carries bytes both ways until the command is gone."""
    before = termios.tcgetattr(0)
    tty.setraw(0)
    watched = [terminal, 0]
    try:
        while True:
            ready, _, _ = select.select(watched, [], [], 0.1)
            if not ready and process.poll() is not None:
                return
            if terminal in ready and not _one_piece(terminal, kept):
                return
            if 0 in ready:
                typed = os.read(0, _PIECE)
                if not typed:
                    watched.remove(0)
                    continue
                with contextlib.suppress(OSError):
                    os.write(terminal, typed)
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(0, termios.TCSADRAIN, before)


def _one_piece(terminal: int, kept: Kept) -> bool:
    try:
        piece = os.read(terminal, _PIECE)
    except OSError:
        # The last process on that terminal is gone.
        return False
    if not piece:
        return False
    kept.add(piece)
    view = memoryview(piece)
    with contextlib.suppress(OSError):
        while view:
            view = view[os.write(1, view) :]
    return True


def copy_size(terminal: int) -> None:
    """Gives a terminal the size of the person's."""
    with contextlib.suppress(OSError):
        size = fcntl.ioctl(1, termios.TIOCGWINSZ, _SIZE)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
