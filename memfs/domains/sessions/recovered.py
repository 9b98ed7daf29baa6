"""What the metadata of a session was, where its file is gone: from its turns and its record."""

from __future__ import annotations

from dataclasses import replace

from memfs.domains.sessions.kept_log import KeptLog
from memfs.domains.sessions.metadata import Metadata, ResumedFrom, session_id
from memfs.domains.sessions.nodes import Node, decode_node
from memfs.domains.sessions.raw_words import kept_title
from memfs.domains.sessions.record import stored_record
from memfs.domains.sessions.turns import Role
from memfs.services.ports import Workspace
from memfs.store.session_repository import SessionRepository

FIRST_LINE_CHARS = 50


def first_line(node: Node) -> str:
    """Returns the title that follows from what was asked first; empty for none."""
    if node.role is not Role.USER:
        return ""
    return kept_title(node.words.strip().partition("\n")[0], FIRST_LINE_CHARS)


def recovered(
    workspace: Workspace, repository: SessionRepository, log: KeptLog, metadata: Metadata
) -> Metadata:
    """Returns the metadata with what can be known of turns that are kept without it."""
    first, last = log.turns[0], log.turns[log.newest]
    opening = _node(repository, first.commit.tree, first.facts.nodes[0])
    ending = _node(repository, last.commit.tree, last.facts.nodes[-1])
    record = stored_record(workspace, metadata.id)
    named = record.record.fields.get("resumed_from") if record is not None else None
    source = None
    if isinstance(named, str) and named:
        other = session_id(metadata.client, named)
        source = ResumedFrom(other, named, first.facts.number - 1)
    return replace(
        metadata,
        origin=first.facts.prompt_id,
        title=first_line(opening) if opening is not None else "",
        started=metadata.started or (opening.at if opening is not None else None),
        updated=ending.at if ending is not None else None,
        resumed_from=source,
    )


def _node(repository: SessionRepository, tree: str, name: str) -> Node | None:
    item = repository.files(tree).get(name)
    return decode_node(name, repository.blob(item.oid)) if item is not None else None
