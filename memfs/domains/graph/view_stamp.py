"""Whether the views of the graph are up to the ledger: a few small looks, no record read.

What they were made from is noted in the private cache folder. The note is disposable; without it
both are made anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memfs.model.instants import format_instant, parse_instant
from memfs.services.ports import Workspace
from memfs.store.layout import HOLD_FOLDER, VIEWS_FOLDER
from memfs.store.snapshot import Snapshot

GRAPH_FOLDER: Final = "graph"
ENTITIES_VIEW: Final = f"{VIEWS_FOLDER}/{GRAPH_FOLDER}/entities.jsonl"
EDGES_VIEW: Final = f"{VIEWS_FOLDER}/{GRAPH_FOLDER}/edges.jsonl"
_RULES: Final = ("pollution", HOLD_FOLDER)
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


def rules_of(workspace: Workspace, snapshot: Snapshot) -> str:
    """Returns what decides beside the records what is shown of them, as one string."""
    rules = (snapshot.folder_id(folder)[:16] or "-" for folder in _RULES)
    return f"{workspace.settings.mode}.{'.'.join(rules)}"


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
    try:
        value = json.loads((workspace.cache_dir / _STAMP).read_bytes())
        if value["v"] != _VERSION:
            return None
        return Stamp(
            rules=str(value["rules"]),
            commit=str(value["commit"]),
            until=parse_instant(value["until"]) if value["until"] else None,
            digests={str(path): str(digest) for path, digest in value["digests"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def write_stamp(workspace: Workspace, stamp: Stamp) -> None:
    """Notes what the views were made from, once they lie there."""
    value = {
        "v": _VERSION,
        "rules": stamp.rules,
        "commit": stamp.commit,
        "until": format_instant(stamp.until) if stamp.until is not None else "",
        "digests": dict(sorted(stamp.digests.items())),
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
