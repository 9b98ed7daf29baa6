"""``memfs hook EVENT --client NAME``: the program behind the hooks of every coding agent.

It fails open and always ends with 0: a host that waits for memory must never be stopped by it.
Standard output is one JSON object or nothing; what there is to tell goes to standard error by
code, never by content. It reads no more than it needs, ends itself when it takes too long, does
nothing inside a hook of its own making, and imports no command line.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

from memfs.errors import MemfsError

if TYPE_CHECKING:
    from memfs.agents.contract import AgentEvent, Client, Payload

INSIDE: Final = "MEMFS_HOOK"
"""Set for everything that a hook starts: a hook inside a hook does nothing."""
TRIAL: Final = "MEMFS_HOOK_TRIAL"
"""Set by whoever only tries a hook out: it is answered, and nothing is put off."""
MOST_BYTES: Final = 4 * 1024 * 1024
IDLE_S: Final = 1.0
"""A host that says nothing for so long has said all; some never close the pipe."""
WITHIN_S: Final = 5.0
ENDING_WITHIN_S: Final = 1.2
"""The end of a session leaves all hooks together a second and a half."""
_GARBAGE_THRESHOLD: Final = 200_000
_PIECE: Final = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line asks for."""

    event: str
    client: str
    store: str = ""


class TookTooLong(BaseException):
    """The time of the hook is up; nothing between here and the entry point may keep it."""


def run(arguments: Sequence[str]) -> NoReturn:
    """Runs the process's hook and ends the process."""
    gc.set_threshold(_GARBAGE_THRESHOLD)
    _open_missing_streams()
    status = main(arguments, env=os.environ)
    os._exit(status)


def _open_missing_streams() -> None:
    """Stands the null device in for a standard stream that was closed.

    Otherwise a file of the store could get its number, and the answer be written into it.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def main(
    arguments: Sequence[str],
    *,
    env: Mapping[str, str],
    stdin: int = 0,
    stdout: int = 1,
) -> int:
    """Runs one hook; never raises, and always returns 0.

    Args:
        arguments: What stands behind ``memfs hook``.
        env: The environment.
        stdin: Descriptor of the payload.
        stdout: Descriptor of the answer.
    """
    try:
        asked = asked_from(arguments)
        if asked is None:
            _say("expected: memfs hook EVENT --client NAME")
            return 0
        payload = read_payload(stdin)
        if payload is not None:
            with _within(_seconds_for(asked.event)):
                _answer(asked, payload, env, stdout)
    except TookTooLong:
        _say("took too long")
    except MemfsError as error:
        _say(error.code)
    except OSError as error:
        _say(f"system.refused: {error.strerror}")
    except Exception as error:  # noqa: BLE001  the broad handler of this entry point: fail open
        _say(f"memfs.bug: {type(error).__name__}")
        if env.get("MEMFS_DEBUG"):
            import traceback

            traceback.print_exception(error)
    return 0


def asked_from(arguments: Sequence[str]) -> Asked | None:
    """Returns what is asked for; ``None`` for a command line that says nothing of the kind."""
    event = ""
    options = {"--client": "", "--store": ""}
    words = iter(arguments)
    for word in words:
        name, is_joined, value = word.partition("=")
        if name in options:
            options[name] = value if is_joined else next(words, "")
        elif not event and not word.startswith("-"):
            event = word
    client = options["--client"]
    return Asked(event=event, client=client, store=options["--store"]) if event and client else None


def read_payload(descriptor: int) -> Payload | None:
    """Reads until one JSON object is whole; ``None`` for anything else.

    Returns when the object ends, the pipe ends, or the host is silent, whichever comes first;
    what exceeds the limit is no payload.
    """
    data = bytearray()
    while len(data) <= MOST_BYTES:
        ready, _, _ = select.select([descriptor], [], [], IDLE_S)
        piece = os.read(descriptor, _PIECE) if ready else b""
        if not piece:
            return _object_in(data)
        data += piece
        # A payload ends with its last brace; looking any earlier would be looking in vain.
        if piece.rstrip()[-1:] == b"}" and (found := _object_in(data)) is not None:
            return found
    return None


def _object_in(data: bytearray) -> Payload | None:
    text = data.decode("utf-8", "replace").lstrip("\ufeff \t\r\n\0")
    try:
        # Some hosts write line feeds inside strings as they are.
        value, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _answer(asked: Asked, payload: Payload, env: Mapping[str, str], stdout: int) -> None:
    from memfs.app.switches import is_switched_off

    if env.get(INSIDE) or is_switched_off(env):
        return
    from memfs.agents.clients import NAMES, client_named
    from memfs.agents.contract import event_from

    client = client_named(asked.client)
    if client is None:
        _say(f"expected a client of {', '.join(NAMES)}")
        return
    event = event_from(client, asked.event, payload)
    if event is None:
        return
    os.environ[INSIDE] = str(event.kind)
    try:
        _call(client, event, env, asked.store, lambda output: _write(stdout, output))
    finally:
        del os.environ[INSIDE]


def _call(
    client: Client,
    event: AgentEvent,
    env: Mapping[str, str],
    store: str,
    write: Callable[[bytes], None],
) -> None:
    """Answers first, and then puts off what the event asks for: nobody waits for that."""
    from memfs.app import hooking

    hooking.note_lineage(client, event, env)
    call: hooking.HookCall | None = None
    with ExitStack() as stack:
        try:
            call = stack.enter_context(hooking.opened(client, event, env, store))
            output = call.output() if call is not None else b""
        except (MemfsError, OSError) as error:
            code = error.code if isinstance(error, MemfsError) else "system.refused"
            _say(code)
            write(hooking.degraded_output(client, event, code))
            return
        except TookTooLong:
            # Mostly an index that is not there yet: it is made in the background, and the next
            # prompt is answered.
            _say("took too long")
            output = b""
            if call is not None:
                call.put_off_index()
        write(output)
        if call is not None and not env.get(TRIAL):
            call.put_off()
            warning = call.keep_turn()
            if warning:
                _say(f"{warning}: the files that changed are left as they are")


def _write(descriptor: int, output: bytes) -> None:
    view = memoryview(output)
    with suppress(BrokenPipeError):
        while view:
            view = view[os.write(descriptor, view) :]


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Ends what runs inside when its time is up; only in the main thread of a process."""
    try:
        before = signal.signal(signal.SIGALRM, _time_is_up)
    except ValueError:
        yield
        return
    timer = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        # Whoever runs this in their own process gets back what they had.
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *timer)


def _seconds_for(event: str) -> float:
    is_end = event.replace("-", "").lower() == "sessionend"
    return ENDING_WITHIN_S if is_end else WITHIN_S


def _time_is_up(number: int, frame: object) -> NoReturn:
    raise TookTooLong


def _say(message: str) -> None:
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"memfs hook: {message}\n")
        sys.stderr.flush()
