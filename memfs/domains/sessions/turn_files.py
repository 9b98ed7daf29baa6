"""A turn as files and a commit, with nothing in them that may not be written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memfs.domains.sessions.assembly import Opening, Turn
from memfs.domains.sessions.commit_text import TurnFacts, turn_message
from memfs.domains.sessions.nodes import Node, NodePart, encode_node, number_of
from memfs.domains.sessions.raw_words import RESULT_CHARS, TEXT_CHARS, raw_name, raw_words
from memfs.domains.sessions.turns import Message, Part, PartKind, Role
from memfs.store.session_repository import SessionCommit, SessionWriter
from memfs.store.tree import TreeItem


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a turn is written on.

    Attributes:
        parent: Commit that it follows; empty for none.
        tree: Tree of that commit; empty for none.
        files: The files in that tree.
        prompt: Node file of the prompt that a retry answers anew, as its turn has it.
    """

    parent: str = ""
    tree: str = ""
    files: Mapping[str, TreeItem]
    prompt: TreeItem | None = None


def write_turn(
    writer: SessionWriter,
    turn: Turn,
    ground: Ground,
    *,
    session: str,
    client: str,
    asked: str,
    about: str,
    now: datetime,
) -> tuple[SessionCommit, TurnFacts, tuple[Node, ...]]:
    """Puts a turn aside and returns its commit, what its trailers say, and its messages.

    Args:
        writer: Of the session.
        turn: The turn.
        ground: What it is written on.
        session: Id of the session.
        client: Name of the coding agent.
        asked: What a turn that brings no prompt of its own is about, screened.
        about: Name of the prompt's file where a turn that is kept already is continued.
        now: When it was said, where the host does not tell.
    """
    kept = {ground.prompt.name: ground.prompt} if ground.prompt is not None else {}
    first = max(map(number_of, (*ground.files, *kept)), default=0) + 1
    nodes = kept_nodes(turn, first)
    is_asked = turn.opening is Opening.PROMPT and nodes[0].role is Role.USER
    prompt = nodes[0].file_name if is_asked else next(iter(kept), about)
    facts = TurnFacts(
        session=session,
        number=turn.number,
        opening=turn.opening,
        prompt=prompt,
        nodes=tuple(node.file_name for node in nodes),
    )
    words = nodes[0].words if is_asked else asked
    tokens = sum(message.tokens for message in turn.messages)
    commit = writer.commit(
        writer.put(ground.tree, {node.file_name: encode_node(node) for node in nodes}, kept),
        ground.parent,
        message=turn_message(facts, words, nodes, tokens=tokens),
        author=f"agent:{client} <agent.{client}@memfs.invalid>",
        at=turn.at or now,
    )
    return commit, facts, nodes


def kept_nodes(turn: Turn, first: int) -> tuple[Node, ...]:
    """Returns the messages of a turn as they may be kept, numbered from ``first``."""
    calls: dict[str, int] = {}
    return tuple(
        _node(message, turn.number, number, calls)
        for number, message in enumerate(turn.messages, first)
    )


def _node(message: Message, turn: int, number: int, calls: dict[str, int]) -> Node:
    left_out: Counter[str] = Counter()
    parts = tuple(_part(part, calls, left_out) for part in message.parts)
    return Node(
        number=number,
        id=message.id,
        role=message.role,
        turn=turn,
        at=message.at,
        parts=parts,
        left_out=left_out,
    )


def _part(part: Part, calls: dict[str, int], left_out: Counter[str]) -> NodePart:
    words = raw_words(part.text, limit=RESULT_CHARS if part.kind is PartKind.RESULT else TEXT_CHARS)
    left_out.update(words.left_out)
    match part.kind:
        case PartKind.CALL:
            number = calls.setdefault(part.call or f"call {len(calls)}", len(calls) + 1)
            name = raw_name(part.name)
            return NodePart(kind=part.kind, text=words.text, name=name, call=number)
        case PartKind.RESULT:
            number = calls.get(part.call, 0)
            return NodePart(kind=part.kind, text=words.text, call=number, is_error=part.is_error)
        case PartKind.TEXT:
            return NodePart(kind=part.kind, text=words.text)
