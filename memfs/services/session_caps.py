"""How much of memory one session was given, so that it is never flooded (A94).

A file a session in the private cache folder, named by a digest, a number a line: appended in
one write, so that two processes of one session never both take the last bytes. It is disposable
and content-free; where it cannot be written nothing is counted and the answer is given.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from memfs.model.packet import Packet
from memfs.services.ports import Workspace

SESSIONS_FOLDER: Final = "sessions"
MOST_SESSIONS: Final = 256
"""So many sessions are counted; the one that was quiet for longest is forgotten first."""
_ATTEMPTS: Final = 3
_MOST_BYTES: Final = 65_536
_APPENDING: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


def within_session(workspace: Workspace, compiled: Callable[[int], Packet]) -> Packet:
    """Returns a packet that keeps the session of this process within its cap, and counts it.

    Args:
        workspace: The store; its lineage names the session, if there is one.
        compiled: Makes the packet, given how many bytes the session was given before.
    """
    session = workspace.lineage.session
    if not session:
        return compiled(0)
    place, cap = _place(workspace, session), workspace.settings.recall.session_bytes
    try:
        for _ in range(_ATTEMPTS):
            packet = compiled(_spent(place))
            size = len(packet.text.encode("utf-8", "surrogatepass"))
            if not size or _is_counted(place, size, cap):
                return packet
    except OSError:
        return compiled(0)
    return compiled(cap)


def spent_bytes(workspace: Workspace) -> int:
    """Returns how many bytes the session of this process was given; 0 where there is none."""
    session = workspace.lineage.session
    try:
        return _spent(_place(workspace, session)) if session else 0
    except OSError:
        return 0


def begin_window(workspace: Workspace) -> None:
    """Counts anew: the host of the session threw away what it was given, and begins again."""
    if workspace.lineage.session:
        with contextlib.suppress(OSError):
            _place(workspace, workspace.lineage.session).unlink()


def _place(workspace: Workspace, session: str) -> Path:
    name = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return workspace.cache_dir / SESSIONS_FOLDER / name


def _spent(place: Path) -> int:
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return 0
    try:
        return _sum(os.read(descriptor, _MOST_BYTES))
    finally:
        os.close(descriptor)


def _sum(content: bytes) -> int:
    lines = content.decode("ascii", "replace").split("\n")
    return sum(int(line) for line in lines if len(line) < 12 and line.removeprefix("-").isdigit())


def _is_counted(place: Path, size: int, cap: int) -> bool:
    """Adds ``size`` and tells whether that was still within the cap; else takes it back."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not place.exists():
        _forget_oldest(place.parent)
    descriptor = os.open(place, _APPENDING, 0o600)
    try:
        os.write(descriptor, b"%d\n" % size)
        end = os.lseek(descriptor, 0, os.SEEK_CUR)
        if _sum(os.pread(descriptor, min(end, _MOST_BYTES), 0)) <= cap:
            return True
        os.write(descriptor, b"-%d\n" % size)
        return False
    finally:
        os.close(descriptor)


def _forget_oldest(folder: Path) -> None:
    entries = [entry for entry in folder.iterdir() if entry.is_file()]
    if len(entries) < MOST_SESSIONS:
        return
    entries.sort(key=lambda entry: entry.stat().st_mtime)
    for entry in entries[: len(entries) - MOST_SESSIONS + 1]:
        entry.unlink(missing_ok=True)
