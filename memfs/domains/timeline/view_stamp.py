"""Whether the views of the timeline are up to the ledger: a few small looks, no record read.

What they were made from is noted in the private cache folder. The note is disposable; without it
every month is made anew.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from memfs.model.event import TIMELINE_FOLDER
from memfs.model.values import JsonValue
from memfs.services.ports import Workspace
from memfs.services.view_notes import drop_note, read_note, rules_of, write_note
from memfs.store.layout import VIEWS_FOLDER
from memfs.store.snapshot import Snapshot

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
    return read_note(workspace, _STAMP, _VERSION, _stamp_from)


def _stamp_from(value: Any) -> Stamp:
    months = {str(month): str(digest) for month, digest in value["months"].items()}
    folder, rules, commit = (str(value[name]) for name in ("folder", "rules", "commit"))
    return Stamp(folder=folder, rules=rules, commit=commit, months=months)


def write_stamp(workspace: Workspace, stamp: Stamp) -> None:
    """Notes what the views were made from, once they lie there."""
    values: dict[str, JsonValue] = {
        "folder": stamp.folder,
        "rules": stamp.rules,
        "commit": stamp.commit,
        "months": dict(sorted(stamp.months.items())),
    }
    write_note(workspace, _STAMP, _VERSION, values)


def drop_stamp(workspace: Workspace) -> None:
    """Forgets what the views were made from, so that they are made anew."""
    drop_note(workspace, _STAMP)
