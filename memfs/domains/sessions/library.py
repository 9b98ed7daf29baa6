"""The sessions of one store: which there are, and how one of them is named.

What has no metadata file that reads is no session and is passed over without a word (O34);
the sessions of other stores lie in the same folder and are not this one's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from memfs.domains.sessions.metadata import Metadata, decode_metadata, session_id
from memfs.domains.sessions.record import is_open_to
from memfs.errors import ConflictError, StoreError
from memfs.model.ids import SESSION_PREFIX, is_id
from memfs.model.origin import Actor
from memfs.policy.access import is_trusted
from memfs.services.ports import Workspace
from memfs.store.session_folders import SessionFolders

_POINTER: Final = re.compile(r"session:(?P<name>.+?)(?:#(?P<turn>\d{1,9}))?\Z")
_SUFFIX: Final = 4
CLIENTS: Final = ("claude", "codex")


class NoHomeError(StoreError):
    """There is no folder for what belongs to the user."""

    code = "session.no-home"


class AmbiguousSessionError(ConflictError):
    """More than one session could be meant."""

    code = "session.ambiguous"


def folders_of(workspace: Workspace) -> SessionFolders:
    """Returns where the sessions of the user lie.

    Raises:
        NoHomeError: The home folder is not known.
    """
    if not workspace.home_dir.is_absolute():
        raise NoHomeError("expected a home folder of memfs, got none", hint="set MEMFS_HOME")
    return SessionFolders(workspace.home_dir)


def read_session(workspace: Workspace, session: str) -> Metadata | None:
    """Returns a session of this store; ``None`` where there is none that reads."""
    if not is_id(session, SESSION_PREFIX):
        return None
    found = decode_metadata(folders_of(workspace).metadata(session), session)
    return found if found is not None and found.store == str(workspace.store_id) else None


def all_sessions(workspace: Workspace) -> Iterator[Metadata]:
    """Yields the sessions of this store, by id."""
    for session in folders_of(workspace).ids():
        found = read_session(workspace, session)
        if found is not None:
            yield found


def split_pointer(reference: str) -> tuple[str, int | None]:
    """Splits ``session:abc#12`` into the name and the turn; anything else has no turn."""
    match = _POINTER.match(reference.strip())
    if match is None:
        return reference.strip(), None
    return match["name"], int(match["turn"]) if match["turn"] else None


def resolve(workspace: Workspace, reference: str, actor: Actor) -> str:
    """Returns the id of the session that is meant: by its id, the end of it, or its host's id.

    What could be the name of a session that is gone comes back as it would be called; a person
    can name one whose metadata is damaged, so that it can be forgotten all the same. To a
    program, one that it may not read is not there by any name but the whole id (A9).

    Raises:
        AmbiguousSessionError: More than one could be meant.
    """
    name, _ = split_pointer(reference)
    if is_id(name, SESSION_PREFIX):
        return name
    found = sorted(
        item.id
        for item in all_sessions(workspace)
        if name and (item.host_id == name or (len(name) >= _SUFFIX and item.id.endswith(name)))
        if is_trusted(actor) or is_open_to(workspace, item, actor)
    )
    if len(found) > 1:
        raise _ambiguous(found)
    if found:
        return found[0]
    folders = folders_of(workspace)
    named = [session_id(client, name) for client in CLIENTS]
    damaged = [
        item
        for item in (folders.ids() if is_trusted(actor) else ())
        if item in named or (len(name) >= _SUFFIX and item.endswith(name))
        if decode_metadata(folders.metadata(item), item) is None
    ]
    if len(damaged) > 1:
        raise _ambiguous(damaged)
    return next(iter((*damaged, *filter(folders.is_barred, named))), "")


def _ambiguous(found: Sequence[str]) -> AmbiguousSessionError:
    return AmbiguousSessionError(
        f"expected one session, got {', '.join(found)}", hint="name one of them by its id"
    )
