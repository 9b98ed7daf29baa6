"""Turns that two sessions share: a host copies a conversation that is resumed or forked.

What was copied is kept where it was said; the newer session keeps only what is its own and
names where it goes on from, so that shared turns are written once (O52).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memfs.domains.sessions.kept_log import read_log
from memfs.domains.sessions.library import all_sessions, read_session
from memfs.domains.sessions.metadata import Metadata
from memfs.services.ports import Workspace
from memfs.store.session_folders import SessionFolders
from memfs.store.session_repository import SessionRepository


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedTurns:
    """What another session has.

    Attributes:
        session: Its id.
        host_id: Its id as its host names it.
        origin: Id of the first message of the whole conversation.
        nodes: Id of each message that it has, or rests on, to the number of its turn.
    """

    session: str
    host_id: str
    origin: str
    nodes: Mapping[str, int]


def shared_turns(
    workspace: Workspace, folders: SessionFolders, metadata: Metadata, first: str
) -> SharedTurns | None:
    """Returns what an earlier session has of this one; ``None`` for nothing.

    Args:
        workspace: The store.
        folders: Where sessions lie.
        metadata: The session.
        first: Id of the first message; empty where the session names the one it resumes.
    """
    others: Iterator[Metadata | None]
    if metadata.resumed_from is not None and not first:
        others = iter((read_session(workspace, metadata.resumed_from.session),))
    else:
        others = (item for item in all_sessions(workspace) if first and item.origin == first)
    best: SharedTurns | None = None
    for other in others:
        if other is None or other.id == metadata.id:
            continue
        nodes = dict(_nodes(workspace, folders, other, depth=8))
        if best is None or len(nodes) > len(best.nodes):
            best = SharedTurns(
                session=other.id, host_id=other.host_id, origin=other.origin, nodes=nodes
            )
    return best


def _nodes(
    workspace: Workspace, folders: SessionFolders, other: Metadata, *, depth: int
) -> Iterator[tuple[str, int]]:
    """Yields the messages of a session and of those that it goes on from."""
    source = other.resumed_from
    before = read_session(workspace, source.session) if source is not None and depth else None
    if before is not None:
        yield from _nodes(workspace, folders, before, depth=depth - 1)
    with SessionRepository(folders.path(other.id)) as repository:
        log = read_log(repository)
    for name, index in log.nodes().items():
        yield name, log.turns[index].facts.number
