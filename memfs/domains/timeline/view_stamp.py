"""Whether the views of the timeline are up to the ledger: a few small looks, no record read.

What they were made from is noted in the private cache folder. The note is disposable; without it
every month is made anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from memfs.model.event import TIMELINE_FOLDER
from memfs.services.ports import Workspace
from memfs.store.layout import HOLD_FOLDER, VIEWS_FOLDER
from memfs.store.snapshot import Snapshot

_RULES: Final = ("pollution", HOLD_FOLDER)
_STAMP: Final = "timeline-views.json"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What the views were made from.

    Attributes:
        folder: Id of the folder of events; ``-`` for none.
        rules: What decides beside it who is served what.
        commit: Ledger head at that time.
        months: Digest of the file of each month as it was written.
    """

    folder: str
    rules: str
    commit: str
    months: Mapping[str, str]


def view_of_month(month: str) -> str:
    """Returns where the events of a month stand."""
    return f"{VIEWS_FOLDER}/{TIMELINE_FOLDER}/{month}.jsonl"


def folder_of(snapshot: Snapshot) -> str:
    """Returns the id of the folder of events; the same id is the same events."""
    return snapshot.folder_id(TIMELINE_FOLDER) or "-"


def rules_of(workspace: Workspace, snapshot: Snapshot) -> str:
    """Returns what decides beside the events what is shown of them, as one string."""
    rules = (snapshot.folder_id(folder)[:16] or "-" for folder in _RULES)
    return f"{workspace.settings.mode}.{'.'.join(rules)}"


def is_current(workspace: Workspace, snapshot: Snapshot) -> bool:
    """Tells whether the views are those of ``snapshot`` and all lie there."""
    stamp = read_stamp(workspace)
    folder = folder_of(snapshot)
    if stamp is None:
        return folder == "-"
    if (stamp.folder, stamp.rules) != (folder, rules_of(workspace, snapshot)):
        return False
    return has_files(workspace, stamp)


def has_files(workspace: Workspace, stamp: Stamp) -> bool:
    """Tells whether the file of each month lies there, whatever stands in it."""
    root = workspace.store.root
    return all(os.path.lexists(root / view_of_month(month)) for month in stamp.months)


def read_stamp(workspace: Workspace) -> Stamp | None:
    """Returns what the views were made from; ``None`` when nobody knows."""
    try:
        value = json.loads((workspace.cache_dir / _STAMP).read_bytes())
        if value["v"] != _VERSION:
            return None
        months = {str(month): str(digest) for month, digest in value["months"].items()}
        folder, rules, commit = (str(value[name]) for name in ("folder", "rules", "commit"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return Stamp(folder=folder, rules=rules, commit=commit, months=months)


def write_stamp(workspace: Workspace, stamp: Stamp) -> None:
    """Notes what the views were made from, once they lie there."""
    value = {
        "v": _VERSION,
        "folder": stamp.folder,
        "rules": stamp.rules,
        "commit": stamp.commit,
        "months": dict(sorted(stamp.months.items())),
    }
    place = workspace.cache_dir / _STAMP
    aside = place.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        workspace.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        aside.write_text(json.dumps(value), encoding="ascii")
        aside.replace(place)


def drop_stamp(workspace: Workspace) -> None:
    """Forgets what the views were made from, so that they are made anew."""
    with suppress(OSError):
        (workspace.cache_dir / _STAMP).unlink()
