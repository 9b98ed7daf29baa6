"""``core.md`` between two sleeps: what was chosen for it, and whether it lies there as written.

A sleep chooses; until the next one the same records stand there, each as the ledger has it now.
What was chosen is noted beside the caches as ids and places; without the note the next refresh
chooses anew. Looked at by most commands, so it imports next to nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from typing import Final

from memfs.errors import DataError
from memfs.model.frozen import frozen
from memfs.services.ports import Workspace

CORE_PATH: Final = "core.md"
SLEEP_NOTES: Final = "sleep"
STATE_NOTE: Final = "state"
_NOTE: Final = "core.json"
_VERSION: Final = 1
_DEEP: Final = b'"deep":'


@frozen
class Place:
    """One chosen record and where it lies."""

    id: str
    path: str


@frozen
class CoreNote:
    """What was chosen for ``core.md``, and the file as it was written.

    Attributes:
        facts: What holds, in order; also what is not served for the time being.
        events: What happened, in order.
        told: Ids of those that stand in the file.
        left: How many more there were to choose from.
        commit: The ledger that the lines were written from.
        digest: Blob id of the file as it was written.
    """

    facts: tuple[Place, ...] = ()
    events: tuple[Place, ...] = ()
    told: tuple[str, ...] = ()
    left: int = 0
    commit: str = ""
    digest: str = ""

    @property
    def places(self) -> tuple[Place, ...]:
        """All that was chosen, in order."""
        return (*self.facts, *self.events)


def read_core_note(workspace: Workspace) -> CoreNote | None:
    """Returns what was noted when the core was written; ``None`` where nobody knows."""
    try:
        values = json.loads((workspace.cache_dir / _NOTE).read_bytes())
        if values["v"] != _VERSION:
            return None
        return CoreNote(
            facts=_places(values["facts"]),
            events=_places(values["events"]),
            told=tuple(str(name) for name in values["told"]),
            left=int(values["left"]),
            commit=str(values["commit"]),
            digest=str(values["digest"]),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def write_core_note(workspace: Workspace, note: CoreNote) -> None:
    """Notes what was chosen; where that is not possible, the next refresh chooses anew."""
    values = {
        "v": _VERSION,
        "facts": [[place.id, place.path] for place in note.facts],
        "events": [[place.id, place.path] for place in note.events],
        "told": list(note.told),
        "left": note.left,
        "commit": note.commit,
        "digest": note.digest,
    }
    place = workspace.cache_dir / _NOTE
    aside = place.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        workspace.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        aside.write_text(json.dumps(values), encoding="ascii")
        aside.chmod(0o600)
        # Whole or not at all: a session that starts now reads it.
        aside.replace(place)


def forget_places(workspace: Workspace, identifiers: AbstractSet[str]) -> None:
    """Takes records out of what was chosen; what is retracted alone stays chosen."""
    note = read_core_note(workspace)
    if note is None or identifiers.isdisjoint(place.id for place in note.places):
        return
    write_core_note(
        workspace,
        replace(
            note,
            facts=tuple(place for place in note.facts if place.id not in identifiers),
            events=tuple(place for place in note.events if place.id not in identifiers),
            told=tuple(name for name in note.told if name not in identifiers),
        ),
    )


def has_slept(workspace: Workspace) -> bool:
    """Tells whether a deep pass ever ended here, and with it made a core."""
    from memfs.store.private_notes import PrivateNotes

    state = PrivateNotes(workspace.store.git_dir, SLEEP_NOTES).read(STATE_NOTE)
    return state is not None and _DEEP in state


def is_core_current(workspace: Workspace) -> bool:
    """Whether the core lies there as it was written, from the ledger as it is; or there is none."""
    note = read_core_note(workspace)
    if note is None:
        return not has_slept(workspace)
    is_same = note.commit == workspace.store.ledger_head()
    return is_same and core_digest(workspace) == note.digest


def core_digest(workspace: Workspace) -> str:
    """Returns the digest of ``core.md``; empty when there is none that could be read."""
    try:
        return workspace.store.working_digest(CORE_PATH) or ""
    except DataError:
        return ""


def is_core_edited(workspace: Workspace) -> bool:
    """Whether a core lies there that is not the one that was written; one look where none is."""
    found = core_digest(workspace)
    if not found:
        return False
    note = read_core_note(workspace)
    return note is None or note.digest != found


def _places(values: object) -> tuple[Place, ...]:
    if not isinstance(values, list):
        raise TypeError("expected a list of places")
    return tuple(Place(id=str(identifier), path=str(path)) for identifier, path in values)
