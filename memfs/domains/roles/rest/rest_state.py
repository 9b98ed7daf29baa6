"""What a store knows of the rests of its roles: who rests now, and when each last rested.

The hold is the kernel's: it lets go when the process dies, however it dies. When a nap or a sleep
last began stands in a private note, which says nothing of what a role remembers and is written
first, so that a rest that kills its process is not begun again every minute. Where the note is
lost, a role counts as one that never rested.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from typing import Final

from memfs.errors import ConflictError
from memfs.model.frozen import frozen
from memfs.model.instants import format_instant, parse_instant
from memfs.model.role_sleep import Rest
from memfs.services.ports import Workspace
from memfs.store.private_notes import NoteHeldError, PrivateNotes

NOTES: Final = "role_rests"
_VERSION: Final = 1


class RoleRestingError(ConflictError):
    """Another process goes over what the role remembers; one at a time is enough."""

    code = "role.resting"


@frozen
class LastRests:
    """When a role last began to rest.

    Attributes:
        nap: Its last nap; ``None`` for never.
        sleep: Its last sleep; ``None`` for never.
    """

    nap: datetime | None = None
    sleep: datetime | None = None


@contextmanager
def resting(workspace: Workspace, role: str) -> Iterator[None]:
    """Lets one process go over what a role remembers at a time.

    Raises:
        RoleRestingError: Another one does.
        WriteFailedError: The store's private folder cannot be written.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(_notes(workspace).held(_name(role)))
        except NoteHeldError as error:
            raise RoleRestingError(f"{role} rests already") from error
        yield


def last_rests(workspace: Workspace, role: str) -> LastRests:
    """Returns when a role last began to rest; never, where the note is missing or does not read."""
    with suppress(ValueError, RecursionError):
        values = json.loads(_notes(workspace).read(_name(role)) or b"{}")
        if isinstance(values, dict) and values.get("v") == _VERSION:
            return LastRests(nap=_instant(values.get("nap")), sleep=_instant(values.get("sleep")))
    return LastRests()


def note_rest(workspace: Workspace, role: str, rest: Rest, at: datetime) -> None:
    """Notes that a role begins to rest; a rumination is none that is waited for.

    Raises:
        WriteFailedError: The file system refused.
    """
    if rest is Rest.RUMINATION:
        return
    last = last_rests(workspace, role)
    nap = at if rest is Rest.NAP else last.nap
    sleep = at if rest is Rest.SLEEP else last.sleep
    told = {"nap": nap, "sleep": sleep}
    values = {name: format_instant(time) for name, time in told.items() if time is not None}
    content = json.dumps({"v": _VERSION, **values}, separators=(",", ":")).encode("ascii")
    notes, name = _notes(workspace), _name(role)
    if not notes.create(name, content):
        notes.replace(name, content)


def _instant(value: object) -> datetime | None:
    return parse_instant(value) if isinstance(value, str) else None


def _name(role: str) -> str:
    """Returns the name of the note of a role; a role may be called what no note may."""
    return f"role_{hashlib.sha256(role.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def _notes(workspace: Workspace) -> PrivateNotes:
    return PrivateNotes(workspace.store.git_dir, NOTES)
