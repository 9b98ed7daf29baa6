"""Put-off work on sessions: keeping transcripts, and looking at idle ones for key facts.

A job names a transcript and never holds a word of it. Each works as the agent whose host wrote
the transcript, through the same services as in the foreground (A23), and can be done again:
what is kept already is passed over. A transcript that its host has deleted is no fault.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from memfs.model.origin import Actor, Channel, Principal, PrincipalKind
from memfs.model.result import Result, ResultStatus
from memfs.services.leases import Lease

if TYPE_CHECKING:
    from memfs.app.memory import Memory
    from memfs.domains.sessions.keep import KeptImport

_MOST_TURNS: Final = 50
"""Turns that one job keeps: some seconds of work."""
_FEW_TURNS: Final = 4
"""Turns that one job keeps where somebody waits: a fraction of a second."""


def import_transcript(memory: Memory, lease: Lease) -> Result:
    """Keeps the turns of a transcript that are over."""
    return _kept(memory, lease, is_ended=False)


def end_session(memory: Memory, lease: Lease) -> Result:
    """Keeps all of a transcript: its host says that the session is over."""
    return _kept(memory, lease, is_ended=True)


def flush(memory: Memory, lease: Lease) -> Result:
    """Keeps all of a transcript and proposes its key facts: its host drops messages (O24)."""
    kept = _import(memory, lease, is_ended=True)
    if kept is None or kept.refusal is not None or kept.is_cut or not kept.session:
        return _told(memory, lease, kept)
    lease.keep()
    return memory.sift_session(kept.session, action=lease.job.kind, checkpoint=lease.keep)


def distil(memory: Memory, lease: Lease) -> Result:
    """Proposes the key facts of an idle session; one that is busy again waits (O22)."""
    from memfs.domains.sessions.distil import idle_sessions

    session = _text(lease, "session")
    now = memory.workspace.clock.now()
    if all(item.id != session for item in idle_sessions(memory.workspace, now)):
        return _nothing(memory, lease, "the session is busy, or was looked at already")
    lease.keep()
    return memory.sift_session(session, action=lease.job.kind, checkpoint=lease.keep)


def _kept(memory: Memory, lease: Lease, *, is_ended: bool) -> Result:
    return _told(memory, lease, _import(memory, lease, is_ended=is_ended))


def _import(memory: Memory, lease: Lease, *, is_ended: bool) -> KeptImport | None:
    """Imports the transcript of a job; ``None`` where it is there no more."""
    from memfs.domains.sessions.keep import keep_session
    from memfs.interop.transcripts.port import AUTO, CLIENTS, open_transcript

    path, client = Path(_text(lease, "transcript")), _text(lease, "client")
    if not path.is_absolute() or not path.is_file():
        return None
    transcript = open_transcript(path, client if client in CLIENTS else AUTO)
    lease.keep()
    name = transcript.head().client
    agent = Actor(Principal(PrincipalKind.AGENT, name), Channel.AGENT)
    most = _FEW_TURNS if lease.is_brief else _MOST_TURNS
    kept = keep_session(memory.workspace, transcript, agent, is_ended=is_ended, most=most)
    if kept.is_cut:
        _put_off_rest(memory, lease, kept.session)
    return kept


def _put_off_rest(memory: Memory, lease: Lease, session: str) -> None:
    """Puts the rest of a long transcript off, so that no command waits for all of it."""
    from memfs.domains.sessions.library import read_session
    from memfs.services.queue import enqueue

    found = read_session(memory.workspace, session)
    place = found.mark.offset if found is not None else 0
    about = f"{session}\0{place}"
    enqueue(memory.workspace, lease.job.kind, about, dict(lease.job.arguments))


def _told(memory: Memory, lease: Lease, kept: KeptImport | None) -> Result:
    from memfs.domains.sessions.keep import import_result

    if kept is None:
        return _nothing(memory, lease, "the transcript is there no more")
    return import_result(memory.workspace, kept, action=lease.job.kind)


def _nothing(memory: Memory, lease: Lease, message: str) -> Result:
    return Result(
        action=lease.job.kind,
        target=lease.job.id,
        status=ResultStatus.NOTHING,
        message=message,
        store=str(memory.workspace.store.root),
    )


def _text(lease: Lease, name: str) -> str:
    value = lease.job.arguments.get(name, "")
    return value if isinstance(value, str) else ""
