"""Which prompt of a conversation was answered last, for hosts that ask before every model call.

One small file a conversation in the cache folder, with a digest and no word. Losing it costs
an answer that is given twice.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from enum import Enum, auto
from pathlib import Path
from typing import Final

from memfs.services.ports import Workspace

FOLDER: Final = "turns"
MOST: Final = 500


class TurnMark(Enum):
    """What a call of a model is in its conversation."""

    NEW_SESSION = auto()
    NEW_TURN = auto()
    SAME_TURN = auto()


def mark_turn(workspace: Workspace, session: str, prompt: str) -> TurnMark:
    """Tells what a call is, and notes its prompt as the one that was answered last."""
    folder = workspace.cache_dir / FOLDER
    place = folder / _digest(session, "")
    mark = _digest(session, prompt).encode("ascii")
    try:
        before = place.read_bytes()
    except OSError:
        before = b""
    if before == mark:
        return TurnMark.SAME_TURN
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not before:
            _make_room(folder)
        aside = place.with_name(f"{place.name}.{os.getpid()}")
        aside.write_bytes(mark)
        aside.replace(place)
    return TurnMark.NEW_TURN if before else TurnMark.NEW_SESSION


def _make_room(folder: Path) -> None:
    found = sorted(folder.iterdir(), key=lambda place: place.stat().st_mtime)
    for place in found[: max(0, len(found) - MOST + 1)]:
        place.unlink(missing_ok=True)


def _digest(session: str, prompt: str) -> str:
    data = f"{session}\0{prompt}".encode("utf-8", "replace")
    return hashlib.blake2b(data, digest_size=16, person=b"memfs-turn").hexdigest()
