"""A wrapped command: its output goes through unchanged, its end is seen, a part of it is kept.

Invariants: the bytes that the command writes reach the same stream in the same order; its exit
code is what is given back; a signal that this process gets, the command gets, once; and nothing
here ever kills the command. What is kept is bounded: the head and the tail of each stream. On a
terminal the command has a terminal too. What it left running in the background goes on, with its
output still going where it went.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from memfs.domains.runs.outcome import HEAD_BYTES, TAIL_BYTES

_PIECE: Final = 65_536
_GRACE_S: Final = 0.25
"""How long output is waited for after the command has ended; what comes later is carried on."""
_LOOK_S: Final = 0.2
_HAS_TIMED_WAIT: Final = hasattr(signal, "sigtimedwait")
NOT_FOUND: Final = 127
NOT_STARTED: Final = 126
_PASSED_ON: Final = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGWINCH,
)
_STOPPING: Final = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})
_FROM_TERMINAL: Final = frozenset({signal.SIGINT, signal.SIGQUIT, signal.SIGWINCH})


@dataclass(slots=True)
class Kept:
    """The head and the tail of what was written to one stream."""

    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    is_cut: bool = False

    def add(self, piece: bytes) -> None:
        """Takes what was written next."""
        room = HEAD_BYTES - len(self.head)
        self.head += piece[:room]
        self.tail += piece[room:] if room > 0 else piece
        if len(self.tail) > 2 * TAIL_BYTES:
            del self.tail[:-TAIL_BYTES]
            self.is_cut = True

    def text(self) -> str:
        """Returns what is kept, whole lines alone where something is missing in between."""
        head, tail = bytes(self.head), bytes(self.tail)
        if self.is_cut or len(tail) > TAIL_BYTES:
            tail = tail[-TAIL_BYTES:].partition(b"\n")[2]
            head = head.rpartition(b"\n")[0] + b"\n"
        return (head + tail).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildEnd:
    """How a wrapped command ended.

    Attributes:
        exit_code: As a shell gives it: 128 and the signal where one ended it.
        is_started: The command could be started.
        is_stopped: Somebody asked it to stop, and it did not end well.
        output: What it printed, then what it complained: head and tail of each.
        duration_s: How long it took.
    """

    exit_code: int
    is_started: bool
    is_stopped: bool
    output: str
    duration_s: float


def run_child(
    command: Sequence[str], env: Mapping[str, str], *, feed: bytes | None = None
) -> ChildEnd:
    """Runs a command to its end.

    Args:
        command: Program and arguments.
        env: Its environment.
        feed: What it reads on standard input; ``None`` for this process's own.
    """
    begun = time.monotonic()
    with _signals() as relay:
        try:
            child = _started(command, env, relay, feed=feed)
        except FileNotFoundError as error:
            return _unstarted(command, NOT_FOUND, error, begun)
        except (OSError, ValueError) as error:
            return _unstarted(command, NOT_STARTED, error, begun)
        relay.begin(child.process.pid)
        try:
            child.carry(feed)
            code = child.process.wait()
        finally:
            relay.end()
            child.close()
    _carry_on(child.left)
    exit_code = code if code >= 0 else 128 - code
    return ChildEnd(
        exit_code=exit_code,
        is_started=True,
        is_stopped=bool(exit_code) and (relay.is_asked or -code in _STOPPING),
        output="\n".join(text for kept in child.kept if (text := kept.text())),
        duration_s=time.monotonic() - begun,
    )


def _unstarted(command: Sequence[str], exit_code: int, error: Exception, begun: float) -> ChildEnd:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    with contextlib.suppress(OSError):
        os.write(2, f"memfs: {command[0]}: {why}\n".encode("utf-8", "backslashreplace"))
    return ChildEnd(
        exit_code=exit_code,
        is_started=False,
        is_stopped=False,
        output=f"The command could not be started: {why}.",
        duration_s=time.monotonic() - begun,
    )


class _Relay:
    """Hands signals on to the command, on a thread that waits for them."""

    def __init__(self, mask: set[signal.Signals]) -> None:
        self.mask = mask
        self.is_asked = False
        self.has_terminal_of_its_own = False
        self.on_resize: list[int] = []
        self._pid = 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._wait, daemon=True, name="memfs-signals")

    def begin(self, pid: int) -> None:
        """Hands everything on to ``pid`` from now on, what came meanwhile too."""
        self._pid = pid
        self._thread.start()

    def end(self) -> None:
        """Hands nothing on any more, and waits for no signal beside whoever does so next."""
        self._is_over.set()
        if self._thread.ident is not None and self._thread.is_alive():
            with contextlib.suppress(ProcessLookupError):
                signal.pthread_kill(self._thread.ident, signal.SIGWINCH)
            self._thread.join()

    def _wait(self) -> None:
        while not self._is_over.is_set():
            number, is_from_kernel = _next_signal()
            if number is None or self._is_over.is_set():
                continue
            if number in _STOPPING:
                self.is_asked = True
            if number is signal.SIGWINCH and self.on_resize:
                _copy_size(self.on_resize[0])
                continue
            # What the terminal sends, it sends to everybody in the foreground, the command too.
            is_everybodys = is_from_kernel and number in _FROM_TERMINAL
            if is_everybodys and not self.has_terminal_of_its_own:
                continue
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self._pid, number)


def _next_signal() -> tuple[signal.Signals | None, bool]:
    """Waits a moment for a signal; tells also whether the terminal sent it."""
    if _HAS_TIMED_WAIT:
        info = signal.sigtimedwait(_PASSED_ON, _LOOK_S)
        if info is None:
            return None, False
        return signal.Signals(info.si_signo), info.si_code > 0
    pending = signal.sigpending() & set(_PASSED_ON)
    if not pending:
        time.sleep(_LOOK_S)
        return None, False
    number = signal.Signals(signal.sigwait(pending))
    return number, os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp()


@contextlib.contextmanager
def _signals() -> Iterator[_Relay]:
    """Keeps signals for the relay, also those that come before or after the command runs."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)
    relay = _Relay({signal.Signals(number) for number in before if isinstance(number, int)})
    try:
        yield relay
    finally:
        # Whoever presses twice must not cut off what is recorded next.
        while pending := signal.sigpending() & set(_PASSED_ON):
            signal.sigwait(pending)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Child:
    """A command that runs, with the streams that it writes to."""

    def __init__(
        self, process: subprocess.Popen[bytes], streams: dict[int, int], terminal: int = -1
    ) -> None:
        self.process = process
        self.kept = tuple(Kept() for _ in streams)
        self._streams = streams
        self._order = tuple(streams)
        self.left: Mapping[int, int] = {}
        self._terminal = terminal

    def carry(self, feed: bytes | None) -> None:
        """Carries output on until the streams are closed, or the command is gone for a moment."""
        if self._terminal >= 0:
            from memfs.domains.runs.child_terminal import carry_terminal

            carry_terminal(self.process, self._terminal, self.kept[0])
            return
        writer = None
        if feed is not None:
            writer = threading.Thread(target=self._feed, args=(feed,), daemon=True)
            writer.start()
        open_streams = dict(self._streams)
        deadline = None
        with selectors.DefaultSelector() as selector:
            for source in open_streams:
                selector.register(source, selectors.EVENT_READ)
            while open_streams:
                if deadline is None and self.process.poll() is not None:
                    deadline = time.monotonic() + _GRACE_S
                if deadline is not None and time.monotonic() > deadline:
                    break
                for key, _ in selector.select(0.05):
                    source = key.fd
                    piece = os.read(source, _PIECE)
                    if piece and _written(open_streams[source], piece):
                        self.kept[self._order.index(source)].add(piece)
                        continue
                    selector.unregister(source)
                    del open_streams[source]
                    os.close(source)
        self.left = open_streams

    def _feed(self, feed: bytes) -> None:
        stream = self.process.stdin
        if stream is None:
            return
        with contextlib.suppress(OSError):
            stream.write(feed)
        with contextlib.suppress(OSError):
            stream.close()

    def close(self) -> None:
        """Closes what is still open here."""
        if self._terminal >= 0:
            os.close(self._terminal)


def _started(
    command: Sequence[str], env: Mapping[str, str], relay: _Relay, *, feed: bytes | None
) -> _Child:
    def unblock() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, relay.mask)

    if feed is None and all(os.isatty(number) for number in (0, 1, 2)):
        from memfs.domains.runs.child_terminal import start_on_terminal

        process, terminal = start_on_terminal(command, env, unblock)
        relay.has_terminal_of_its_own = True
        relay.on_resize.append(terminal)
        return _Child(process, {terminal: 1}, terminal)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    process = subprocess.Popen(
        list(command),
        env=dict(env),
        stdin=None if feed is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=unblock,  # noqa: PLW1509  no thread of ours runs before it is started
    )
    sources = []
    for stream_of_child in (process.stdout, process.stderr):
        if stream_of_child is None:
            raise AssertionError("a pipe that was asked for")
        sources.append(os.dup(stream_of_child.fileno()))
        stream_of_child.close()
    return _Child(process, {sources[0]: 1, sources[1]: 2})


def _written(target: int, piece: bytes) -> bool:
    """Writes all of a piece; ``False`` where nobody reads any more."""
    view = memoryview(piece)
    try:
        while view:
            view = view[os.write(target, view) :]
    except OSError:
        return False
    return True


def _carry_on(streams: Mapping[int, int]) -> None:
    """Leaves a process behind for what the command left running: its output goes on as before.

    It holds nothing of the store, and ends when nobody can write to the stream any more.
    """
    for source, target in streams.items():
        with contextlib.suppress(OSError):
            streams_of_cat = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, target, 1)]
            os.posix_spawnp("cat", ["cat"], os.environ, file_actions=streams_of_cat, setpgroup=0)
        os.close(source)


def _copy_size(terminal: int) -> None:
    from memfs.domains.runs.child_terminal import copy_size

    copy_size(terminal)
