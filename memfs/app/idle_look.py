"""Looks now and then for sessions in which nobody has said anything for a while (O22).

Imported at the end of many commands, so it imports nothing until there is something to look at.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from typing import Final

from memfs.errors import MemfsError
from memfs.services.modes import is_taking
from memfs.services.ports import Workspace

_LOOK_S: Final = 60.0
"""Idle sessions are looked for so often at most."""
_STAMP: Final = "idle-look"


def put_off_idle(workspace: Workspace) -> int:
    """Puts a look at each idle session off, once for what it has now; one stat most of the time.

    Returns:
        The number of jobs that are new. Nothing is raised: the next call looks again.
    """
    if not is_taking(workspace):
        return 0
    stamp = workspace.cache_dir / _STAMP
    now = workspace.clock.now()
    with suppress(OSError, MemfsError):
        try:
            age = now.timestamp() - stamp.stat().st_mtime
        except FileNotFoundError:
            age = _LOOK_S
        if 0 <= age < _LOOK_S or not (workspace.home_dir / "sessions").is_dir():
            return 0
        stamp.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        stamp.touch(mode=0o600)
        os.utime(stamp, (now.timestamp(), now.timestamp()))
        return _put_off(workspace)
    return 0


def _put_off(workspace: Workspace) -> int:
    from memfs.app.hook_jobs import JobKind
    from memfs.domains.sessions.distil import idle_sessions
    from memfs.services.queue import Queued, enqueue

    count = 0
    for item in idle_sessions(workspace, workspace.clock.now()):
        state = f"{item.id}\0{item.updated}\0{item.mark.digest}"
        about = hashlib.sha256(state.encode()).hexdigest()
        queued = enqueue(workspace, JobKind.DISTIL, about, {"session": item.id})
        count += queued is Queued.QUEUED
    return count
