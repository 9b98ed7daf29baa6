"""The commit of a turn in words: what was asked, what was answered, and the trailers.

Everything that was said is reduced to one line and stands behind a word of ours, so that no
message can add a line; only the lines of the last paragraph count as trailers (O42).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memfs.domains.sessions.assembly import Opening
from memfs.domains.sessions.nodes import Node, id_in, is_node_file
from memfs.domains.sessions.raw_words import raw_line
from memfs.domains.sessions.turns import PartKind, Role

ASKED_CHARS: Final = 60
ANSWERED_CHARS: Final = 80
_TOOLS: Final = 20
_TRAILER: Final = re.compile(r"Memfs-(?P<name>[A-Z][a-z]+): (?P<value>[!-~]+)\Z")
_SESSION, _TURN, _OPENING, _PROMPT, _NODE = "Session", "Turn", "Opening", "Prompt", "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """What the trailers of a turn's commit say.

    Attributes:
        session: Id of the session.
        number: Number of the turn.
        opening: How it came about.
        prompt: Name of the node file that began it, new in it or not; empty for none.
        nodes: Names of the node files that are new in it, in order.
    """

    session: str
    number: int
    opening: Opening
    prompt: str
    nodes: tuple[str, ...]

    @property
    def prompt_id(self) -> str:
        """Id of the message that began it; that of the first one where nobody asked."""
        return id_in(self.prompt) or id_in(self.nodes[0])

    @property
    def has_answer(self) -> bool:
        """Whether the agent says something in it."""
        return any(name[7:8] == Role.ASSISTANT.letter for name in self.nodes)


def turn_message(facts: TurnFacts, asked: str, nodes: Sequence[Node], *, tokens: int) -> str:
    """Returns the message of a turn's commit.

    Args:
        facts: What the trailers will say.
        asked: What the person said, screened.
        nodes: What is new in the turn.
        tokens: Output tokens that the host counted; 0 where it counted none.
    """
    more = "" if facts.opening is Opening.PROMPT else f" ({facts.opening})"
    lines = [f"Turn {facts.number}{more}: {raw_line(asked, ASKED_CHARS)}".rstrip(": "), ""]
    answered = next(
        (item.words for item in nodes if item.role is Role.ASSISTANT and item.words), ""
    )
    excerpt = raw_line(answered, ANSWERED_CHARS)
    if excerpt:
        lines.append(f"Answer: {excerpt}")
    calls = Counter(
        part.name for node in nodes for part in node.parts if part.kind is PartKind.CALL
    )
    if calls:
        named = [f"{name} x{number}" if number > 1 else name for name, number in calls.items()]
        lines.append(f"Tools: {', '.join(named[:_TOOLS])}")
    lines.append(f"Metrics: {_metrics(nodes, calls.total(), tokens)}")
    trailers = [(_SESSION, facts.session), (_TURN, str(facts.number)), (_OPENING, facts.opening)]
    trailers += [(_PROMPT, facts.prompt)] if facts.prompt else []
    trailers += [(_NODE, name) for name in facts.nodes]
    return "\n".join([*lines, "", *(f"Memfs-{name}: {value}" for name, value in trailers), ""])


def facts_of(message: str) -> TurnFacts | None:
    """Returns what the trailers of a commit say; ``None`` for a commit that is no turn's."""
    matches = [
        _TRAILER.match(line) for line in message.rstrip("\n").rpartition("\n\n")[2].split("\n")
    ]
    pairs = [(match["name"], match["value"]) for match in matches if match is not None]
    first = dict(reversed(pairs))
    nodes = tuple(value for name, value in pairs if name == _NODE and is_node_file(value))
    number = first.get(_TURN, "")
    if not (number.isdigit() and nodes and first.get(_OPENING, "") in set(Opening)):
        return None
    prompt = first.get(_PROMPT, "")
    return TurnFacts(
        session=first.get(_SESSION, ""),
        number=int(number),
        opening=Opening(first[_OPENING]),
        prompt=prompt if is_node_file(prompt) else "",
        nodes=nodes,
    )


def subject_of(message: str) -> str:
    """Returns the first line of a message."""
    return message.partition("\n")[0]


def _metrics(nodes: Sequence[Node], calls: int, tokens: int) -> str:
    moments = [node.at for node in nodes if node.at is not None]
    seconds = int((moments[-1] - moments[0]).total_seconds()) if moments else 0
    counted = {"messages": len(nodes), "calls": calls, "seconds": max(0, seconds), "tokens": tokens}
    return " ".join(f"{name}={number}" for name, number in counted.items() if number)
