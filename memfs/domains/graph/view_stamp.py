"""Whether the views of the graph are up to the ledger: a few small looks, no record read.

What they were made from is noted in the private cache folder. The note is disposable; without it
both are made anew.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from memfs.model.instants import format_instant, parse_instant
from memfs.model.values import JsonValue
from memfs.services.ports import Workspace
from memfs.services.view_notes import drop_note, read_note, rules_of, write_note
from memfs.store.layout import VIEWS_FOLDER
from memfs.store.snapshot import Snapshot

GRAPH_FOLDER: Final = "graph"
ENTITIES_VIEW: Final = f"{VIEWS_FOLDER}/{GRAPH_FOLDER}/entities.jsonl"
EDGES_VIEW: Final = f"{VIEWS_FOLDER}/{GRAPH_FOLDER}/edges.jsonl"
_STAMP: Final = "graph-views.json"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What the views were made from.

    Attributes:
        rules: What decides beside the records who is served what.
        commit: Ledger head at that time.
        until: When the first of what they show expires; ``None`` for never.
        digests: Digest of each file as it was written.
    """

    rules: str
    commit: str
    until: datetime | None
    digests: Mapping[str, str]


def has_graph(snapshot: Snapshot) -> bool:
    """Tells whether there is any entity or edge."""
    return bool(snapshot.folder_id(GRAPH_FOLDER))


def is_current(workspace: Workspace, snapshot: Snapshot) -> bool:
    """Tells whether the views are those of ``snapshot`` and both lie there."""
    stamp = read_stamp(workspace)
    if stamp is None:
        return not has_graph(snapshot)
    if (stamp.commit, stamp.rules) != (snapshot.commit, rules_of(workspace, snapshot)):
        return False
    if stamp.until is not None and stamp.until <= workspace.clock.now():
        return False
    root = workspace.store.root
    return all(os.path.lexists(root / path) for path in (ENTITIES_VIEW, EDGES_VIEW))


def read_stamp(workspace: Workspace) -> Stamp | None:
    """Returns what the views were made from; ``None`` when nobody knows."""
    return read_note(workspace, _STAMP, _VERSION, _stamp_from)


def _stamp_from(value: Any) -> Stamp:
    return Stamp(
        rules=str(value["rules"]),
        commit=str(value["commit"]),
        until=parse_instant(value["until"]) if value["until"] else None,
        digests={str(path): str(digest) for path, digest in value["digests"].items()},
    )


def write_stamp(workspace: Workspace, stamp: Stamp) -> None:
    """Notes what the views were made from, once they lie there."""
    values: dict[str, JsonValue] = {
        "rules": stamp.rules,
        "commit": stamp.commit,
        "until": format_instant(stamp.until) if stamp.until is not None else "",
        "digests": dict(sorted(stamp.digests.items())),
    }
    write_note(workspace, _STAMP, _VERSION, values)


def drop_stamp(workspace: Workspace) -> None:
    """Forgets what the views were made from, so that they are made anew."""
    drop_note(workspace, _STAMP)
