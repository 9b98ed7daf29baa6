"""Node files: one message of a session each, readable with ``cat`` and found with ``grep``.

A head of known fields, an empty line, then the parts. Every line of what was said stands
behind a quotation mark and a blank, so that no message can look like a field, a part, another
node or a record (O42): a reader that meets anything else there takes the file for none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memfs.domains.sessions.turns import PartKind, Role
from memfs.model.instants import format_instant, parse_instant

_FILE: Final = re.compile(
    r"(?P<number>\d{6})-(?P<letter>[uat])-"
    r"(?P<id>[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.md\Z"
)
_FIELD: Final = re.compile(r"(?P<name>[a-z]+): (?P<value>[ -~]*)\Z")
_PART: Final = re.compile(
    r"(?P<kind>text|call|result)(?: (?P<call>\d{1,6}))?(?: (?P<name>[A-Za-z][\w.:/-]{0,63}))?\Z",
    re.ASCII,
)
_ERROR: Final = "error"
_ROLES: Final = {role.letter: role for role in (Role.USER, Role.ASSISTANT, Role.TOOL)}


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePart:
    """One part of a message as it is kept.

    Attributes:
        kind: Words, a call of a tool, or what a tool answered.
        text: The words, screened.
        name: The tool that is called.
        call: Number of the call in its turn, from 1; a result has that of its call, or 0.
        is_error: The tool failed.
    """

    kind: PartKind
    text: str
    name: str = ""
    call: int = 0
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One message as it is kept.

    Attributes:
        number: Its place on the way from the beginning, from 1.
        id: Id of the message.
        role: Who said it, as the host told.
        turn: Number of the turn that it belongs to.
        at: When; ``None`` where the host did not tell.
        parts: What was said.
        left_out: Number of lines that are not kept, by reason code.
    """

    number: int
    id: str
    role: Role
    turn: int
    at: datetime | None
    parts: tuple[NodePart, ...]
    left_out: Mapping[str, int]

    @property
    def file_name(self) -> str:
        """Name of its file: a plain listing is in order."""
        return f"{self.number:06d}-{self.role.letter}-{self.id}.md"

    @property
    def words(self) -> str:
        """What was said in words, without calls and results."""
        return "\n\n".join(part.text for part in self.parts if part.kind is PartKind.TEXT)


def is_node_file(name: str) -> bool:
    """Whether a file of this name is a node."""
    return _FILE.match(name) is not None


def number_of(name: str) -> int:
    """Returns the number in the name of a node file; 0 for another file."""
    match = _FILE.match(name)
    return int(match["number"]) if match else 0


def id_in(name: str) -> str:
    """Returns the id in the name of a node file; empty for another file."""
    match = _FILE.match(name)
    return match["id"] if match else ""


def encode_node(node: Node) -> bytes:
    """Returns the bytes of a node file."""
    lines = [f"turn: {node.turn}", f"role: {node.role}", f"id: {node.id}"]
    if node.at is not None:
        lines.append(f"at: {format_instant(node.at)}")
    if node.left_out:
        counts = (f"{code}={number}" for code, number in sorted(node.left_out.items()) if number)
        lines.append(f"left: {' '.join(counts)}")
    for part in node.parts:
        lines += ["", _head_of(part), *(f"> {line}" for line in part.text.split("\n"))]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def decode_node(name: str, content: bytes) -> Node | None:
    """Returns the message in a node file; ``None`` for a file that is none."""
    match = _FILE.match(name)
    if match is None:
        return None
    lines = content.decode("utf-8", "replace").removesuffix("\n").split("\n")
    end = lines.index("") if "" in lines else len(lines)
    fields = dict(_fields(lines[:end]))
    parts = _parts(lines[end:])
    turn = fields.get("turn", "")
    role = _ROLES[match["letter"]]
    is_own = fields.get("id") == match["id"] and fields.get("role") == role
    if parts is None or not (is_own and turn.isdigit()):
        return None
    return Node(
        number=int(match["number"]),
        id=match["id"],
        role=role,
        turn=int(turn),
        at=_instant(fields.get("at", "")),
        parts=parts,
        left_out=_counts(fields.get("left", "")),
    )


def _head_of(part: NodePart) -> str:
    words: list[str] = [part.kind]
    if part.kind is not PartKind.TEXT:
        words.append(str(part.call))
    if part.kind is PartKind.CALL:
        words.append(part.name)
    if part.is_error:
        words.append(_ERROR)
    return " ".join(words)


def _fields(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        match = _FIELD.match(line)
        if match is not None:
            yield match["name"], match["value"]


def _parts(lines: Sequence[str]) -> tuple[NodePart, ...] | None:
    parts: list[NodePart] = []
    head, quoted = "", list[str]()
    for line in (*lines, ""):
        if line.startswith("> ") and head:
            quoted.append(line[2:])
        elif line == "":
            if head:
                part = _part(head, "\n".join(quoted))
                if part is None:
                    return None
                parts.append(part)
            head, quoted = "", []
        elif not head and not quoted:
            head = line
        else:
            return None
    return tuple(parts)


def _part(head: str, text: str) -> NodePart | None:
    match = _PART.match(head)
    if match is None:
        return None
    kind = PartKind(match["kind"])
    name = match["name"] or ""
    return NodePart(
        kind=kind,
        text=text,
        name=name if kind is PartKind.CALL else "",
        call=int(match["call"] or 0),
        is_error=kind is PartKind.RESULT and name == _ERROR,
    )


def _instant(text: str) -> datetime | None:
    try:
        return parse_instant(text)
    except ValueError:
        return None


def _counts(text: str) -> dict[str, int]:
    pairs = (item.partition("=") for item in text.split())
    return {code: int(number) for code, _, number in pairs if number.isdigit()}
