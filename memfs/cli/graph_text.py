"""Walks over the graph as text, as JSON and as a tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from memfs.cli.terminal import columns, counted, faint, printable, strong
from memfs.cli.values import record_value
from memfs.model.graph import Link
from memfs.model.ids import short_id
from memfs.model.record import StoredRecord
from memfs.model.role import told_fields
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from rich.tree import Tree

    from memfs.domains.graph.pictures import GraphNode
    from memfs.domains.graph.similar import SimilarNodes
    from memfs.domains.graph.surroundings import Expansion, FoundPath, Surroundings


def neighbor_lines(around: Surroundings) -> str:
    """Returns one line a node, nearest first: hops, end of the id, kind, title, and how."""
    told = _relations(around)
    rows = [
        (str(node.hops), short_id(node.id), _sort(node), f"{_title(node)}  {faint(told[node.id])}")
        for node in around.nodes
    ]
    return columns(rows)


def expansion_text(found: Expansion) -> str:
    """Returns what lies inside as pages, and what lies on the last step as lines."""
    parts = []
    for stored in found.inner:
        parts.append(_page(stored))
    if found.leaves:
        told = _relations(found.around)
        rows = [
            (short_id(node.id), _sort(node), _title(node), faint(f"{told[node.id]}"))
            for node in found.leaves
        ]
        parts.append(columns(rows))
    return "\n\n".join(parts)


def expansion_counts(found: Expansion) -> str:
    """Returns how much was found: nodes given whole, nodes in short, and links."""
    inner, leaves = counted(len(found.inner), "node"), counted(len(found.leaves), "node")
    links = counted(len(found.around.links), "link")
    return f"{inner} whole, {leaves} in short, {links}"


def path_lines(found: FoundPath) -> str:
    """Returns a way as one line a node, and the links of each step between them."""
    lines = [_title_line(found.nodes[0])]
    for before, node, step in zip(found.nodes, found.nodes[1:], found.steps, strict=False):
        lines.extend(f"  {_arrow(link, before.id)}" for link in step)
        lines.append(_title_line(node))
    return "\n".join(lines)


def similar_lines(found: SimilarNodes) -> str:
    """Returns one line a node, most alike first: how much, end of the id, kind, title."""
    return columns(
        (f"{score:.2f}", short_id(node.id), _sort(node), _title(node))
        for node, score in found.found
    )


def tree_text(around: Surroundings) -> str:
    """Returns what lies around a node as a tree of lines."""
    children = _children(around)
    lines = []
    waiting = [(around.center.id, _center(around), "", "")]
    while waiting:
        identifier, label, lead, below = waiting.pop()
        lines.append(lead + label)
        below_it = children.get(identifier, ())
        last = len(below_it) - 1
        drawn = [
            (
                child,
                words,
                below + ("└── " if at == last else "├── "),
                below + ("    " if at == last else "│   "),
            )
            for at, (child, words) in enumerate(below_it)
        ]
        waiting.extend(reversed(drawn))
    return "\n".join(lines)


def graph_tree(around: Surroundings) -> Tree:
    """Returns the same tree for a terminal to draw."""
    from rich.text import Text  # nobody else needs it
    from rich.tree import Tree

    children = _children(around)
    drawn = Tree(Text.from_ansi(strong(_center(around))))
    waiting = [(drawn, around.center.id)]
    while waiting:
        branch, identifier = waiting.pop()
        for child, words in children.get(identifier, ()):
            waiting.append((branch.add(Text.from_ansi(words)), child))
    return drawn


def surroundings_value(around: Surroundings) -> dict[str, JsonValue]:
    """Returns what lies around a node as plain data."""
    from memfs.domains.graph.pictures import link_value, node_value

    return {
        "center": node_value(around.center),
        "hops": around.hops,
        "nodes": [node_value(node) for node in around.nodes],
        "links": [link_value(link) for link in around.links],
        "is_cut": around.is_cut,
    }


def expansion_value(found: Expansion) -> dict[str, JsonValue]:
    """Returns an expansion as plain data: whole records inside, nodes in short at the rim."""
    from memfs.domains.graph.pictures import link_value, node_value

    return {
        "center": found.around.center.id,
        "hops": found.around.hops,
        "counts": {
            "inner": len(found.inner),
            "leaves": len(found.leaves),
            "links": len(found.around.links),
        },
        "inner": [record_value(stored) for stored in found.inner],
        "leaves": [node_value(node) for node in found.leaves],
        "links": [link_value(link) for link in found.around.links],
        "is_cut": found.around.is_cut,
    }


def path_value(found: FoundPath) -> dict[str, JsonValue]:
    """Returns a way as plain data; without nodes where there is none."""
    from memfs.domains.graph.pictures import link_value, node_value

    return {
        "from": found.start.id,
        "to": found.end.id,
        "nodes": [node_value(node) for node in found.nodes],
        "steps": [[link_value(link) for link in step] for step in found.steps],
        "is_cut": found.is_cut,
    }


def similar_value(found: SimilarNodes) -> dict[str, JsonValue]:
    """Returns what is like a node as plain data, with what that was measured by."""
    from memfs.domains.graph.pictures import node_value

    return {
        "center": found.center.id,
        "mode": str(found.mode),
        "least": found.least,
        "found": [{"score": round(score, 6), **node_value(node)} for node, score in found.found],
    }


def _sort(node: GraphNode) -> str:
    return printable(node.type or node.kind)


def _title(node: GraphNode) -> str:
    return printable(node.title or node.preview or "(no title)")


def _title_line(node: GraphNode) -> str:
    return f"{strong(_title(node))}  {faint(f'{_sort(node)} {short_id(node.id)}')}"


def _center(around: Surroundings) -> str:
    node = around.center
    return f"{_title(node)}  {_sort(node)} {short_id(node.id)}"


def _arrow(link: Link, start: str) -> str:
    """Returns a link as it is read from one of its ends."""
    words = _relation(link)
    return f"{words} →" if link.start == start else f"← {words}"


def _relation(link: Link) -> str:
    """Returns the label of a link; one that is only built in stands in brackets."""
    relation = printable(link.relation)
    if link.is_pressure:
        return f"{relation} (likeness, no proof)"
    return f"({relation})" if link.sort.is_structural else relation


def _between(around: Surroundings) -> Mapping[frozenset[str], Sequence[Link]]:
    found: dict[frozenset[str], list[Link]] = {}
    for link in around.links:
        found.setdefault(frozenset((link.start, link.end)), []).append(link)
    return found


def _relations(around: Surroundings) -> Mapping[str, str]:
    """Returns for each node how it hangs on the one that it was reached from."""
    titles = {node.id: _title(node) for node in (around.center, *around.nodes)}
    between = _between(around)
    told = {}
    for node in around.nodes:
        parent = around.parents[node.id]
        links = between.get(frozenset((parent, node.id)), ())
        told[node.id] = ", ".join(
            f"{titles[link.start]} — {_relation(link)} → {titles[link.end]}" for link in links
        )
    return told


def _children(around: Surroundings) -> Mapping[str, list[tuple[str, str]]]:
    between = _between(around)
    found: dict[str, list[tuple[str, str]]] = {}
    for node in around.nodes:
        parent = around.parents[node.id]
        links = between.get(frozenset((parent, node.id)), ())
        arrows = ", ".join(_arrow(link, parent) for link in links)
        label = f"{arrows} {_title(node)}  {faint(f'{_sort(node)} {short_id(node.id)}')}"
        found.setdefault(parent, []).append((node.id, label))
    return found


def _page(stored: StoredRecord) -> str:
    return "\n".join(_page_lines(stored))


def _page_lines(stored: StoredRecord) -> Iterator[str]:
    record = stored.record
    yield faint(f"{record.reference}  {record.kind} · {record.scope or ''}".rstrip(" ·"))
    yield strong(printable(record.title or "(no title)"))
    for text in (record.summary, record.abstract, record.body):
        if text.strip():
            yield ""
            yield printable(text.strip("\n"), keep_lines=True)
    if record.fields:
        from memfs.cli.text import field_text

        yield ""
        yield columns(
            [(name, printable(field_text(value))) for name, value in told_fields(record).items()],
            indent="  ",
        )
