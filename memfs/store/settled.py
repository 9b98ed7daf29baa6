"""Tells at every opening whether there is anything to recover; kept apart to be quick to load."""

from __future__ import annotations

import os
from typing import Final

from memfs.store.context import WriteContext
from memfs.store.journal import read_boot_id
from memfs.store.refs import LEDGER_REF, MAIN_REF, BrokenRefError
from memfs.store.staging import find_leftovers

GIT_LOCKS: Final = ("index.lock", f"{MAIN_REF}.lock", f"{LEDGER_REF}.lock")
"""The lock files of Git that a transaction takes, relative to the Git directory."""

PURGE_FOLDER: Final = "memfs/purge"
"""Where a history is rewritten, relative to the Git directory; absent at all other times."""


def is_purge_pending(git_dir: str) -> bool:
    """Whether a purge is under way or was interrupted; costs one look at a name."""
    return os.path.lexists(f"{git_dir}/{PURGE_FOLDER}")


def is_settled(context: WriteContext) -> bool:
    """Tells in well under a millisecond whether there is nothing to recover or to heal."""
    marker = context.journal.read_marker()
    if marker is None or marker.boot != read_boot_id() or marker.index != context.index.key():
        return False
    try:
        if marker.main != context.read_main() or marker.ledger != context.read_ledger():
            return False
    except BrokenRefError:
        return False
    if any(os.path.lexists(f"{context.git_dir}/{name}") for name in GIT_LOCKS):
        return False
    if find_leftovers(context.temporary_folder) or is_purge_pending(context.git_dir):
        return False
    return context.journal.read_intent_commit() in ("", marker.main)
