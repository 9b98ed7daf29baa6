"""What lies around a record or an entity, as entries of a list (O15)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memfs.mcp.answers import excerpt
from memfs.mcp.arguments import ArgumentError
from memfs.mcp.cursors import FIELD
from memfs.mcp.tools import Call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memfs.app.container import Memory
    from memfs.domains.graph.pictures import GraphNode
    from memfs.domains.graph.surroundings import Surroundings
    from memfs.model.graph import Link

HOPS: Final = 3
WHERE: Final = "neighbors"
_TITLE_CHARS: Final = 80
_LINKS: Final = 5
"""So many links are told of one node, besides how many there are."""
_TAKEN: Final = frozenset({"query", "where", "hops", "as_of", "limit", FIELD})


def neighbors(memory: Memory, call: Call, first: int, size: int) -> list[str]:
    """Returns what lies around what the query names, nearest first, with how it is linked."""
    arguments = call.arguments
    other = next((name for name in arguments.values if name not in _TAKEN), "")
    if other:
        raise ArgumentError(f"{other}: neighbors are not narrowed by it", hint="leave it out")
    reference = arguments.text("query").strip()
    if not reference:
        raise ArgumentError("query: expected an id or the name of an entity, got none")
    around = memory.neighbors(
        reference, hops=arguments.number("hops", 0), as_of=arguments.text("as_of")
    )
    names = {
        node.id: excerpt(node.title or node.id, _TITLE_CHARS)
        for node in (around.center, *around.nodes)
    }
    nodes = around.nodes[first : first + size + 1]
    return [_entry(around, node, names) for node in nodes]


def _entry(around: Surroundings, node: GraphNode, names: Mapping[str, str]) -> str:
    """Returns a node: how it is named, how it hangs on what is nearer, and its first words."""
    head = [node.id, node.kind, excerpt(node.type, _TITLE_CHARS), f"{node.hops} hops"]
    lines = [" · ".join(part for part in head if part)]
    parent = around.parents[node.id]
    links = [link for link in around.links if {link.start, link.end} == {parent, node.id}]
    lines.extend(_told(link, names) for link in links[:_LINKS])
    if len(links) > _LINKS:
        lines.append(f"and {len(links) - _LINKS} links more")
    lines.append(f"> {excerpt(node.title or node.preview, _TITLE_CHARS)}")
    if node.preview and not node.preview.startswith(node.title):
        lines.append(f"> {excerpt(node.preview, _TITLE_CHARS)}")
    return "\n".join(lines)


def _told(link: Link, names: Mapping[str, str]) -> str:
    relation = excerpt(link.relation, _TITLE_CHARS)
    said = f"[{relation}]" if link.sort.is_structural else relation
    if link.is_pressure:
        said = f"{said} (likeness, no proof)"
    return f"{names[link.start]} — {said} → {names[link.end]}"
