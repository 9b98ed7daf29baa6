"""Looks now and then whether the nightly pass is due, and puts it off as a job (O23).

Imported at the end of many commands and by hooks, so it imports nothing until there is something
to look at. Where nobody ever looked, it only begins to: a store that was made a moment ago has
nothing to sleep over.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from typing import Final

from memfs.errors import MemfsError
from memfs.services.modes import is_taking
from memfs.services.ports import Workspace

_LOOK_S: Final = 60.0
"""It is looked so often at most."""
_STAMP: Final = "nightly-look"
_LARGE: Final = 1_500
"""A store with so many records is slept over in about half a second."""


def put_off_nightly(workspace: Workspace) -> bool:
    """Puts the nightly pass off where it is due, once; one stat most of the time.

    Returns:
        Whether the job is new. Nothing is raised: the next call looks again.
    """
    with suppress(OSError, MemfsError):
        return may_look(workspace) and _put_off(workspace)
    return False


def may_look(workspace: Workspace) -> bool:
    """Tells whether it is time to look again, and notes that somebody does.

    Raises:
        OSError: It cannot be noted.
    """
    if not is_taking(workspace):
        return False
    stamp = workspace.cache_dir / _STAMP
    now = workspace.clock.now()
    try:
        age = now.timestamp() - stamp.stat().st_mtime
    except FileNotFoundError:
        age = _LOOK_S
    if 0 <= age < _LOOK_S:
        return False
    stamp.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    stamp.touch(mode=0o600)
    os.utime(stamp, (now.timestamp(), now.timestamp()))
    return True


def due_slot(workspace: Workspace) -> datetime | None:
    """Returns the slot that has come and has no pass yet; begins to look where nobody did.

    Raises:
        WriteFailedError: It could not be noted that somebody looks.
    """
    from memfs.domains.distill.sleep_state import last_nightly, note_nightly
    from memfs.services.nightly import due_since, is_from_wrong_clock

    last, now = last_nightly(workspace), workspace.clock.now()
    if last is None or is_from_wrong_clock(last, now):
        note_nightly(workspace, now)
        return None
    return due_since(last, now, workspace.settings.sleep.deep_at)


def _put_off(workspace: Workspace) -> bool:
    slot = due_slot(workspace)
    if slot is None:
        return False
    from memfs.app.hook_jobs import JobKind
    from memfs.services.queue import Queued, enqueue

    return enqueue(workspace, JobKind.SLEEP, slot.isoformat(), {}) is Queued.QUEUED


def is_large(workspace: Workspace) -> bool:
    """Tells whether going over a store takes longer than somebody at a terminal should wait."""
    from contextlib import closing

    from memfs.services.catalogue import open_catalogue

    with closing(open_catalogue(workspace, workspace.store.snapshot())) as catalogue:
        return sum(catalogue.counts().values()) > _LARGE
