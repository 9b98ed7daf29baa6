"""Conversations as a place where words can stand: what an erasure looks through and never clears.

A conversation is what memory was made from and not memory; a person deletes one whole, with
``memfs session forget``. The receipt of an erasure names the sessions that still have the words.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memfs.errors import GitError
from memfs.services.ports import Workspace
from memfs.store.object_scan import each_object
from memfs.store.session_folders import SessionFolders

if TYPE_CHECKING:
    from memfs.services.erasure_scan import Needles

PLACE: Final = "sessions"
"""Name of the place in a receipt; that of one session in it follows behind a blank."""
UNFINISHED: Final = "unfinished sessions"
"""What is being made or removed just now; a session of no name yet, or of none any more."""


def sessions_of(workspace: Workspace) -> Iterator[tuple[str, Path]]:
    """Yields the sessions of this store with their folders, by id.

    One whose metadata does not read may be anybody's and is looked through as well.
    """
    if not workspace.home_dir.is_absolute():
        return
    folders = SessionFolders(workspace.home_dir)
    for session in folders.ids():
        try:
            value = json.loads(folders.metadata(session) or b"")
        except (ValueError, RecursionError):
            value = None
        store = value.get("store") if isinstance(value, dict) else None
        if store is None or store == str(workspace.store_id):
            yield session, folders.path(session)


def looked_through(workspace: Workspace, needles: Needles) -> Iterator[tuple[str, bool]]:
    """Yields each thing that was looked at in a session: its place, and whether it has them."""
    for session, folder in sessions_of(workspace):
        is_there = False
        for is_found in _found_in(folder, needles):
            is_there = is_there or is_found
            yield PLACE, is_found
        if is_there:
            yield f"{PLACE} {session}", True

    if workspace.home_dir.is_absolute():
        for folder in SessionFolders(workspace.home_dir).unfinished():
            for is_found in _found_in(folder, needles):
                yield UNFINISHED, is_found


def sweep_sessions(workspace: Workspace) -> None:
    """Removes what processes left that died while they made or removed a session."""
    if workspace.home_dir.is_absolute():
        SessionFolders(workspace.home_dir).sweep()


def _found_in(folder: Path, needles: Needles) -> Iterator[bool]:
    for place, _, names in os.walk(folder, followlinks=False):
        for name in names:
            yield needles.is_in(os.fsencode(name)) or needles.is_in_file(Path(place) / name)
    if not (folder / ".git").exists():
        return
    try:
        for item in each_object(folder / ".git"):
            yield needles.is_in(item.data)
    except GitError:
        # What cannot be read cannot be vouched for.
        yield True
