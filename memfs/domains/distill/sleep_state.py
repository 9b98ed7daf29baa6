"""What a store knows of its sleeps: two private notes, content-free, and the hold of who sleeps.

``state`` says when which pass last ended and what was put forward before; that a deep pass did
says that a core was made. ``nightly`` says when the last pass over everything began, or since when
somebody looks whether one is due. One process sleeps at a time: the kernel lets go of the hold
when that process dies, however it dies (O41).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from memfs.errors import ConflictError
from memfs.model.instants import format_instant, parse_instant
from memfs.model.values import JsonValue
from memfs.services.core_note import SLEEP_NOTES, STATE_NOTE
from memfs.services.ports import Workspace
from memfs.store.private_notes import NOTE_BYTES, NoteHeldError, PrivateNotes

NIGHTLY_NOTE: Final = "nightly"
_HOLD: Final = "sleep"
_VERSION: Final = 1
MOST_PUT_FORWARD: Final = 5_000


class SleepRunningError(ConflictError):
    """Another process sleeps; one at a time is enough."""

    code = "sleep.running"


@dataclass(frozen=True, slots=True, kw_only=True)
class SleepState:
    """What is known of the sleeps of a store.

    Attributes:
        ended: When each pass last ended, by its name.
        put_forward: Ids of records that were put forward as lasting, the newest last: a
            person who said no is not asked every night.
    """

    ended: Mapping[str, datetime] = field(default_factory=dict)
    put_forward: tuple[str, ...] = ()

    def with_ended(self, name: str, at: datetime) -> SleepState:
        """Returns the state after a pass."""
        return replace(self, ended={**self.ended, name: at})

    def with_put_forward(self, names: Iterable[str]) -> SleepState:
        """Returns the state after records were put forward."""
        known = dict.fromkeys((*self.put_forward, *names))
        return replace(self, put_forward=tuple(known)[-MOST_PUT_FORWARD:])


@contextmanager
def sleeping(workspace: Workspace) -> Iterator[None]:
    """Lets one process sleep at a time.

    Raises:
        SleepRunningError: Another one does.
        WriteFailedError: The store's private folder cannot be written.
    """
    notes = _notes(workspace)
    with ExitStack() as stack:
        try:
            stack.enter_context(notes.held(_HOLD))
        except NoteHeldError as error:
            raise SleepRunningError("a sleep is already running") from error
        yield


def read_state(workspace: Workspace) -> SleepState:
    """Returns what is known; nothing where the note is missing or does not read."""
    values = _read(workspace, STATE_NOTE)
    ended, put_forward = values.get("ended"), values.get("put_forward")
    if not isinstance(ended, dict) or not isinstance(put_forward, list):
        return SleepState()
    with suppress(ValueError):
        return SleepState(
            ended={name: parse_instant(str(at)) for name, at in ended.items()},
            put_forward=tuple(str(item) for item in put_forward),
        )
    return SleepState()


def write_state(workspace: Workspace, state: SleepState) -> None:
    """Writes what is known, whole.

    Raises:
        WriteFailedError: The file system refused.
    """
    _write(
        workspace,
        STATE_NOTE,
        {
            "v": _VERSION,
            "ended": {name: format_instant(at) for name, at in sorted(state.ended.items())},
            "put_forward": list(state.put_forward),
        },
    )


def last_nightly(workspace: Workspace) -> datetime | None:
    """Returns when the last pass over everything began; ``None`` where nobody knows."""
    with suppress(KeyError, TypeError, ValueError):
        return parse_instant(str(_read(workspace, NIGHTLY_NOTE)["at"]))
    return None


def note_nightly(workspace: Workspace, at: datetime) -> None:
    """Notes that a pass over everything began, or that from now on one is looked for.

    Raises:
        WriteFailedError: The file system refused.
    """
    _write(workspace, NIGHTLY_NOTE, {"v": _VERSION, "at": format_instant(at)})


def _notes(workspace: Workspace) -> PrivateNotes:
    return PrivateNotes(workspace.store.git_dir, SLEEP_NOTES)


def _read(workspace: Workspace, name: str) -> Mapping[str, JsonValue]:
    try:
        values = json.loads(_notes(workspace).read(name) or b"{}")
    except (ValueError, RecursionError):
        return {}
    is_ours = isinstance(values, dict) and values.get("v") == _VERSION
    return values if is_ours else {}


def _write(workspace: Workspace, name: str, values: Mapping[str, JsonValue]) -> None:
    content = json.dumps(values, separators=(",", ":")).encode("ascii")
    assert len(content) <= NOTE_BYTES, "bounded by MOST_PUT_FORWARD"
    notes = _notes(workspace)
    if not notes.create(name, content):
        notes.replace(name, content)
