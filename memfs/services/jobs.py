"""Notes about withdrawals whose purge, repair and receipt have not ended; beside the caches.

A note names ids and the process that works on it, so that whoever finds one whose process is
gone can finish the work. Nothing depends on a note for the barrier to hold.

This is no queue (see ``memfs.services.queue``): a note is written inside the write that sets the
barrier, its work is begun at once by the same process, and it is finished by whoever comes next,
in every mode and without a bound on attempts, because a withdrawal may not be given up.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from memfs.model.values import JsonValue
from memfs.services.barrier import Withdrawal
from memfs.services.ports import Workspace

JOBS_FOLDER: Final = "withdrawals"


def begin_job(workspace: Workspace, withdrawal: Withdrawal) -> None:
    """Notes, before the barrier is committed, that work follows; without words."""
    folder = workspace.cache_dir / JOBS_FOLDER
    value = {
        "operation": withdrawal.operation,
        "transaction": withdrawal.transaction,
        "roots": [stored.record.reference for stored in withdrawal.roots],
        "withheld": [stored.record.id for stored in withdrawal.withheld],
        "worker": os.getpid(),
    }
    # A cache that cannot be written keeps nobody from withdrawing: doctor finds what waits.
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / f"{withdrawal.transaction}.json").write_text(json.dumps(value), encoding="ascii")


def end_job(workspace: Workspace, transaction: str) -> None:
    """Takes the note away: the work is done, or was never begun."""
    with suppress(OSError):
        (workspace.cache_dir / JOBS_FOLDER / f"{transaction}.json").unlink(missing_ok=True)


def left_behind(workspace: Workspace) -> Iterator[tuple[Path, dict[str, JsonValue]]]:
    """Yields the notes, with their files, of work whose process is gone."""
    folder = workspace.cache_dir / JOBS_FOLDER
    try:
        notes = sorted(folder.iterdir())
    except OSError:
        return
    for path in notes:
        try:
            note = json.loads(path.read_text(encoding="ascii"))
        except (OSError, ValueError):
            continue
        if isinstance(note, dict) and not _is_alive(note.get("worker")):
            yield path, note


def _is_alive(worker: JsonValue) -> bool:
    if not isinstance(worker, int):
        return False
    try:
        os.kill(worker, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
