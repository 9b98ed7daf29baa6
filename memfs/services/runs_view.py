"""Whether the list of runs beside the ledger is up to it: two small looks, no record read.

What the view was made from is noted in the private cache folder. The note is disposable; without
it the view is made anew.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from memfs.errors import DataError
from memfs.services.ports import Workspace
from memfs.store.layout import HOLD_FOLDER
from memfs.store.snapshot import Snapshot

RUNS_VIEW: Final = "views/runs.jsonl"
OLDER_VIEW: Final = "views/runs-older.json"
VIEWS: Final = (RUNS_VIEW, OLDER_VIEW)
_FOLDERS: Final = ("runs", "pollution", HOLD_FOLDER)
_STAMP: Final = "runs-view"


def view_key(workspace: Workspace, snapshot: Snapshot) -> str:
    """Returns what the view depends on, as one string; the same key gives the same view."""
    folders = (snapshot.folder_id(folder)[:16] or "-" for folder in _FOLDERS)
    limit = workspace.settings.runs.index_entries
    return f"1.{limit}.{workspace.settings.mode}.{'.'.join(folders)}"


def has_runs(snapshot: Snapshot) -> bool:
    """Tells whether any run was ever recorded here."""
    return bool(snapshot.folder_id("runs"))


def is_current(workspace: Workspace) -> bool:
    """Tells whether the view lies there as it was written, from the runs as they are."""
    snapshot = workspace.store.snapshot()
    stamp = read_stamp(workspace)
    if not stamp:
        return not has_runs(snapshot)
    return stamp == (view_key(workspace, snapshot), *(_digest(workspace, path) for path in VIEWS))


def read_stamp(workspace: Workspace) -> tuple[str, ...]:
    """Returns the key and the digests of the files when they were written; empty for none."""
    try:
        text = (workspace.cache_dir / _STAMP).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return ()
    parts = tuple(text.strip("\n").split(" "))
    return parts if len(parts) == 1 + len(VIEWS) else ()


def write_stamp(workspace: Workspace, key: str) -> None:
    """Notes what the view was made from, once it lies there."""
    digests = (_digest(workspace, path) for path in VIEWS)
    with suppress(OSError):
        workspace.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        place = workspace.cache_dir / _STAMP
        place.write_text(" ".join((key, *digests)) + "\n", encoding="ascii")


def drop_stamp(workspace: Workspace) -> None:
    """Forgets what the view was made from, so that it is made anew."""
    with suppress(OSError):
        (workspace.cache_dir / _STAMP).unlink()


def _digest(workspace: Workspace, path: str) -> str:
    try:
        return workspace.store.working_digest(path) or "-"
    except DataError:
        return "-"
