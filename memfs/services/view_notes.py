"""Notes beside the caches of what generated views were made from; disposable, one file each.

Whoever made a view notes what decided on its lines. Without the note, or with one of another
version, a view is made anew. Failing to keep a note costs time and nothing else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, TypeVar

from memfs.model.values import JsonValue
from memfs.services.ports import Workspace
from memfs.store.layout import HOLD_FOLDER
from memfs.store.snapshot import Snapshot

Stamp = TypeVar("Stamp")
_RULES: Final = ("pollution", HOLD_FOLDER)


def rules_of(workspace: Workspace, snapshot: Snapshot) -> str:
    """Returns what decides beside the records what is shown of them, as one string."""
    rules = (snapshot.folder_id(folder)[:16] or "-" for folder in _RULES)
    return f"{workspace.settings.mode}.{'.'.join(rules)}"


def read_note(
    workspace: Workspace, name: str, version: int, read: Callable[[Any], Stamp]
) -> Stamp | None:
    """Returns what a note says; ``None`` when there is none that can be read.

    Args:
        workspace: The store.
        name: Its file.
        version: The version of its layout; one of another counts as none.
        read: Makes the stamp of its values; may raise as reading a mapping raises.
    """
    try:
        value = json.loads((workspace.cache_dir / name).read_bytes())
        return read(value) if value["v"] == version else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def write_note(
    workspace: Workspace, name: str, version: int, values: Mapping[str, JsonValue]
) -> None:
    """Keeps a note, whole."""
    place = workspace.cache_dir / name
    aside = place.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        workspace.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        aside.write_text(json.dumps({"v": version, **values}), encoding="ascii")
        aside.replace(place)


def drop_note(workspace: Workspace, name: str) -> None:
    """Forgets a note, so that what it is of is made anew."""
    with suppress(OSError):
        (workspace.cache_dir / name).unlink()
