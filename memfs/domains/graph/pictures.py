"""Pictures of a part of the graph: for Mermaid, for Graphviz, and as plain data.

Pure, and the same bytes for the same graph. Every word in a picture is somebody's: it is cut,
put on one line, and escaped so that no title can end a label, add a node or a link, or run
anything where the picture is shown (A28). What is asserted is drawn solid, what is only built
in is dashed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from memfs.model.graph import Link
from memfs.model.preview import one_line
from memfs.model.values import JsonValue

LABEL_CHARS: Final = 60
_MERMAID_PLAIN: Final = frozenset(" .,-_/()+:=*'?!%@")
"""Besides letters and digits: what stands for itself inside a quoted Mermaid label."""


class PictureFormat(StrEnum):
    """What a picture is written in."""

    MERMAID = "mermaid"
    DOT = "dot"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """A node as it is listed and drawn.

    Attributes:
        id: Id of the record.
        kind: Its kind.
        type: What sort of entity it is; empty for anything else, and where nobody said.
        title: What it is called; empty where that is hidden.
        preview: What it says in 80 characters.
        hops: How far it is from where the walk began.
    """

    id: str
    kind: str
    type: str = ""
    title: str = ""
    preview: str = ""
    hops: int = 0

    @property
    def label(self) -> str:
        """What it is called, or its id."""
        return self.title or self.preview or self.id


def drawn(
    nodes: Sequence[GraphNode],
    links: Sequence[Link],
    picture: PictureFormat,
    *,
    is_cut: bool = False,
) -> str:
    """Returns a picture of nodes and the links among them, the first node in the middle.

    Args:
        nodes: What is drawn, in order.
        links: Links among these; any other is left out.
        picture: What it is written in.
        is_cut: There is more than is drawn.
    """
    known = {node.id: number for number, node in enumerate(nodes)}
    inside = [link for link in links if link.start in known and link.end in known]
    match picture:
        case PictureFormat.MERMAID:
            return _text(_mermaid(nodes, inside, known, is_cut=is_cut))
        case PictureFormat.DOT:
            return _text(_dot(nodes, inside, is_cut=is_cut))
        case PictureFormat.JSON:
            return _json(nodes, inside, is_cut=is_cut)
        case _:
            assert_never(picture)


def node_value(node: GraphNode) -> dict[str, JsonValue]:
    """Returns a node as plain data; what is empty is left out."""
    value: dict[str, JsonValue] = {
        "id": node.id,
        "kind": node.kind,
        "type": node.type,
        "title": node.title,
        "preview": node.preview,
        "hops": node.hops,
    }
    return {name: part for name, part in value.items() if part != ""}


def link_value(link: Link) -> dict[str, JsonValue]:
    """Returns a link as plain data, with the record that says so; a likeness is marked as one."""
    pressure: dict[str, JsonValue] = {"pressure": True} if link.is_pressure else {}
    return {
        "from": link.start,
        "to": link.end,
        "relation": link.relation,
        "sort": str(link.sort),
        "record": link.record,
        **pressure,
    }


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _mermaid(
    nodes: Sequence[GraphNode], links: Sequence[Link], known: Mapping[str, int], *, is_cut: bool
) -> Iterator[str]:
    yield "graph LR"
    if is_cut:
        yield "  %% there is more than is drawn"
    for number, node in enumerate(nodes):
        yield f'  n{number}["{_mermaid_label(node.label)}"]'
    for link in links:
        arrow = "-.->" if link.sort.is_structural else "-->"
        label = _mermaid_label(link.relation)
        yield f'  n{known[link.start]} {arrow}|"{label}"| n{known[link.end]}'
    if nodes:
        yield "  style n0 stroke-width:3px"


def _mermaid_label(text: str) -> str:
    """Returns a label in which only letters, digits and harmless signs stand for themselves."""
    line = one_line(text, LABEL_CHARS)
    return "".join(
        char if char.isalnum() or char in _MERMAID_PLAIN else f"#{ord(char)};" for char in line
    )


def _dot(nodes: Sequence[GraphNode], links: Sequence[Link], *, is_cut: bool) -> Iterator[str]:
    yield "digraph memory {"
    if is_cut:
        yield "  // there is more than is drawn"
    yield '  graph [rankdir="LR"];'
    yield '  node [shape="box"];'
    for number, node in enumerate(nodes):
        style = ', penwidth="3"' if number == 0 else ""
        yield f"  {_dot_text(node.id)} [label={_dot_text(node.label)}{style}];"
    for link in links:
        style = ', style="dashed"' if link.sort.is_structural else ""
        ends = f"{_dot_text(link.start)} -> {_dot_text(link.end)}"
        yield f"  {ends} [label={_dot_text(link.relation)}{style}];"
    yield "}"


def _dot_text(text: str) -> str:
    """Returns a quoted string of Graphviz, in which a backslash is only a backslash."""
    line = one_line(text, LABEL_CHARS).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{line}"'


def _json(nodes: Sequence[GraphNode], links: Sequence[Link], *, is_cut: bool) -> str:
    import json

    value = {
        "nodes": [node_value(node) for node in nodes],
        "links": [link_value(link) for link in links],
        "is_cut": is_cut,
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
