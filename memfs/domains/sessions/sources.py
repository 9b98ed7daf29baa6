"""Where a record was said: the conversation behind it, by id and name, for who opens the record.

A list and an answer do not tell it; whoever looks at one record does, and can go there. A
pointer to a conversation that is gone says so and fails nothing (O32).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memfs.domains.sessions.library import split_pointer
from memfs.domains.sessions.reading import SessionState, view_session
from memfs.model.frozen import frozen
from memfs.model.ids import split_version
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.reading import UnknownRecordError, find_record

_POINTER: Final = "session:"
_LOOKED_AT: Final = 8
"""So many sources of a record are looked at."""


@frozen
class SaidIn:
    """A place in a conversation.

    Attributes:
        session: ``ses_…``; empty where nothing is known by the name in the pointer.
        title: What the conversation is called; empty where it has no name or is gone.
        turn: Number of the turn; ``None`` where the pointer names none.
        is_gone: There is nothing to open any more.
    """

    session: str
    title: str = ""
    turn: int | None = None
    is_gone: bool = False

    @property
    def hint(self) -> str:
        """The command that opens it; empty where there is nothing to open."""
        if self.is_gone or not self.session:
            return ""
        turn = f" --turn {self.turn}" if self.turn is not None else ""
        return f"memfs session open {self.session}{turn}"


def said_in(workspace: Workspace, record: Record, actor: Actor) -> SaidIn | None:
    """Returns the conversation that a record comes from; ``None`` where it comes from none.

    Args:
        workspace: The store.
        record: As the reader may see it.
        actor: Who reads.
    """
    for source in _sources(workspace, record, actor):
        if source.startswith(_POINTER):
            view = view_session(workspace, source, actor)
            title = view.metadata.title if view.metadata is not None else ""
            is_gone = view.state is SessionState.GONE
            return SaidIn(
                session=view.id, title=title, turn=split_pointer(source)[1], is_gone=is_gone
            )
    return None


def _sources(workspace: Workspace, record: Record, actor: Actor) -> Iterator[str]:
    if record.origin is not None:
        yield record.origin.source
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    for reference in record.evidence[:_LOOKED_AT]:
        try:
            found = find_record(workspace, snapshot, split_version(reference)[0], request)
        except UnknownRecordError:
            continue
        if found.record.origin is not None:
            yield found.record.origin.source
