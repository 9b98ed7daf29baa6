"""Where a migration stands: one private note, written whole after each stage (A76).

The note names no record and quotes nothing. One process migrates at a time: the kernel lets go
of the hold when that process dies, however it dies, and whoever comes next goes on from the note.
A note that does not read stops the migration; it is never taken for "nothing is under way".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final

from memfs.errors import ConflictError, DataError
from memfs.model.instants import format_instant, parse_instant
from memfs.model.migration import Migration, MigrationSource, SourceSort, Stage
from memfs.model.settings import Mode
from memfs.model.values import JsonValue
from memfs.services.ports import Workspace
from memfs.store.private_notes import NoteHeldError, PrivateNotes

_FOLDER: Final = "migration"
_NOTE: Final = "state"
_HOLD: Final = "run"
_VERSION: Final = 1


class MigrationRunningError(ConflictError):
    """Another process moves this store at the moment."""

    code = "migration.running"


class MigrationStateError(DataError):
    """The note that says how far a migration has come does not read."""

    code = "migration.state"


@contextmanager
def migrating(workspace: Workspace) -> Iterator[None]:
    """Lets one process migrate at a time.

    Raises:
        MigrationRunningError: Another one does.
        WriteFailedError: The store's private folder cannot be written.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(_notes(workspace).held(_HOLD))
        except NoteHeldError as error:
            raise MigrationRunningError(
                "a migration of this store is running in another process",
                hint="wait for it; memfs migrate --status tells how far it is",
            ) from error
        yield


def read_migration(workspace: Workspace) -> Migration | None:
    """Returns the newest migration of the store; ``None`` where there was none.

    Raises:
        MigrationStateError: The note is there and does not read.
    """
    notes = _notes(workspace)
    content = notes.read(_NOTE)
    if content is None and _NOTE not in notes.names():
        return None
    try:
        return _decoded(json.loads(content or b""))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise MigrationStateError(
            "expected the note of a migration, got something that does not read",
            path=".git/memfs/migration/state.json",
            hint="look at it; without the file the migration begins anew, which repeats no import",
        ) from error


def write_migration(workspace: Workspace, migration: Migration) -> None:
    """Writes how far a migration has come, whole or not at all.

    Raises:
        WriteFailedError: The file system refused.
    """
    content = json.dumps(_encoded(migration), separators=(",", ":")).encode("ascii")
    notes = _notes(workspace)
    if not notes.create(_NOTE, content):
        notes.replace(_NOTE, content)


def end_migration(workspace: Workspace) -> None:
    """Takes the note away: nothing is under way."""
    _notes(workspace).remove(_NOTE)


def _notes(workspace: Workspace) -> PrivateNotes:
    return PrivateNotes(workspace.store.git_dir, _FOLDER)


def _encoded(migration: Migration) -> dict[str, JsonValue]:
    source = migration.source
    return {
        "v": _VERSION,
        "name": migration.name,
        "sort": str(source.sort),
        "path": source.path,
        "format": source.format,
        "digest": source.digest,
        "accept": migration.is_accepting,
        "mode": str(migration.mode),
        "started": format_instant(migration.started),
        "done": str(migration.done),
        "undoing": None if migration.undoing is None else str(migration.undoing),
        "trips": migration.trips,
        "base": migration.base,
        "backup": migration.backup,
        "counts": dict(migration.counts),
    }


def _decoded(value: Mapping[str, JsonValue]) -> Migration:
    if value["v"] != _VERSION:
        raise ValueError("another version of the note")
    undoing, counts = value["undoing"], value["counts"]
    if not isinstance(counts, dict):
        raise TypeError("counts")
    return Migration(
        name=str(value["name"]),
        source=MigrationSource(
            sort=SourceSort(str(value["sort"])),
            path=str(value["path"]),
            format=str(value["format"]),
            digest=str(value["digest"]),
        ),
        is_accepting=value["accept"] is True,
        mode=Mode(str(value["mode"])),
        started=parse_instant(str(value["started"])),
        done=Stage(str(value["done"])),
        undoing=None if undoing is None else Stage(str(undoing)),
        trips=_number(value["trips"]),
        base=str(value["base"]),
        backup=str(value["backup"]),
        counts={str(name): _number(number) for name, number in counts.items()},
    )


def _number(value: JsonValue) -> int:
    if not isinstance(value, int):
        raise TypeError("expected a whole number")
    return value
