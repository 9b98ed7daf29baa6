"""What one session was given of memory, so that it is never flooded or told twice (A94).

A file a session in the private cache folder, named by a digest. A line a packet: its size and the
blobs of its records, appended in one write, so that two processes of one session never both take
the last bytes. It is disposable and content-free; where it cannot be written nothing is counted
and the answer is given.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol, TypeVar

from memfs.model.frozen import frozen
from memfs.model.packet import Packet
from memfs.model.record import StoredRecord
from memfs.services.ports import Workspace

SESSIONS_FOLDER: Final = "sessions"
MOST_SESSIONS: Final = 256
"""So many sessions are counted; the one that was quiet for longest is forgotten first."""
_ATTEMPTS: Final = 3
_MOST_BYTES: Final = 262_144
_KEY_DIGITS: Final = 16
_NUMBER_CHARS: Final = 12
_APPENDING: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


@frozen
class Given:
    """What a session was given before.

    Attributes:
        size_bytes: All packets together.
        records: Their records, as :func:`key_of` names them.
    """

    size_bytes: int = 0
    records: frozenset[str] = frozenset()


NOTHING_GIVEN: Final = Given()


class Handed(Protocol):
    """What a session is given: an answer to a question, or a part of what a role remembers."""

    @property
    def text(self) -> str:
        """All of it, as it is handed on; empty for nothing."""


AnyPacket = TypeVar("AnyPacket", bound=Handed)


def within_session(workspace: Workspace, compiled: Callable[[Given], AnyPacket]) -> AnyPacket:
    """Returns a packet that keeps the session of this process within its cap, and counts it.

    Args:
        workspace: The store; its lineage names the session, if there is one.
        compiled: Makes the packet, given what the session was given before.
    """
    session = workspace.lineage.session
    if not session:
        return compiled(NOTHING_GIVEN)
    place, cap = _place(workspace, session), workspace.settings.recall.session_bytes
    try:
        for _ in range(_ATTEMPTS):
            given = _given(place)
            packet = compiled(given)
            if not packet.text or _is_counted(place, packet, cap):
                return packet
    except OSError:
        return compiled(NOTHING_GIVEN)
    return compiled(replace(given, size_bytes=cap))


def give_back(workspace: Workspace, packet: Packet) -> None:
    """Counts a packet no longer: whoever asked for it could not hand it on."""
    session = workspace.lineage.session
    if not session or not packet.text:
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(_place(workspace, session), _APPENDING, 0o600)
        try:
            os.write(descriptor, b"-" + _line(packet))
        finally:
            os.close(descriptor)


def key_of(stored: StoredRecord) -> str:
    """Returns what names these words of a record: a log grows without a new version."""
    return stored.blob[:_KEY_DIGITS] or stored.record.reference


def spent_bytes(workspace: Workspace) -> int:
    """Returns how many bytes the session of this process was given; 0 where there is none."""
    session = workspace.lineage.session
    try:
        return _given(_place(workspace, session)).size_bytes if session else 0
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


def _given(place: Path) -> Given:
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return NOTHING_GIVEN
    try:
        return _added_up(os.read(descriptor, _MOST_BYTES))
    finally:
        os.close(descriptor)


def _line(packet: Handed) -> bytes:
    size = len(packet.text.encode("utf-8", "surrogatepass"))
    cards = packet.cards if isinstance(packet, Packet) else ()
    keys = (key_of(card.hit.stored) for card in cards)
    return " ".join((str(size), *keys)).encode("ascii", "replace") + b"\n"


def _added_up(content: bytes) -> Given:
    size, records = 0, Counter[str]()
    for line in content.decode("ascii", "replace").split("\n"):
        number, *keys = line.split(" ")
        if len(number) >= _NUMBER_CHARS or not number.removeprefix("-").isdigit():
            continue
        size += int(number)
        if number.startswith("-"):
            records.subtract(keys)
        else:
            records.update(keys)
    return Given(size_bytes=size, records=frozenset(+records))


def _is_counted(place: Path, packet: Handed, cap: int) -> bool:
    """Adds a packet and tells whether that was still within the cap; else takes it back."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not place.exists():
        _forget_oldest(place.parent)
    descriptor = os.open(place, _APPENDING, 0o600)
    try:
        os.write(descriptor, _line(packet))
        end = os.lseek(descriptor, 0, os.SEEK_CUR)
        if _added_up(os.pread(descriptor, min(end, _MOST_BYTES), 0)).size_bytes <= cap:
            return True
        os.write(descriptor, b"-" + _line(packet))
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
