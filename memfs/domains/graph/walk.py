"""Walks over the graph: what can be reached from one node in so many steps (O15, M13).

Pure. A walk goes along links in both directions and stops at what its reader may not see: a
hidden node is neither reached nor passed through, a hidden link is not followed, and neither
shows in a count. What lies nearer comes first, among equals what somebody asserted before what
is built in, and then ids; so the same graph gives the same walk, however it is cut.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Protocol

from memfs.model.graph import EdgeSort, Link

LINKS_A_NODE: Final = 5
"""So many links a walk shows at most for each node that it may reach."""
_AT_ONCE: Final = 64
"""How many ways are opened together: enough to read in one go, few enough to stop early."""
_ORDER: Final = {sort: rank for rank, sort in enumerate(EdgeSort)}

LinkKey = tuple[int, str, str, str, str]


class Graph(Protocol):
    """A graph and what one reader may see of it."""

    def links_of(self, ids: Collection[str]) -> Mapping[str, Sequence[Link]]:
        """Returns the links at each of ``ids``, in both directions, open or not."""
        ...

    def open_links(self, links: Collection[Link]) -> frozenset[Link]:
        """Returns those of ``links`` whose own record the reader may see whole."""
        ...

    def open_nodes(self, ids: Collection[str]) -> frozenset[str]:
        """Returns those of ``ids`` that the reader may see."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A node that a walk came to.

    Attributes:
        id: The node.
        hops: Steps from the start; 0 for the start.
        via: The link by which it was reached first; ``None`` for the start.
    """

    id: str
    hops: int
    via: Link | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """Where a walk came to.

    Attributes:
        reached: The start, then what was reached, nearest first.
        links: All links among these that may be seen, ordered.
        is_cut: There is more than may be shown at once.
    """

    reached: tuple[Reached, ...]
    links: tuple[Link, ...] = ()
    is_cut: bool = False

    @property
    def hops(self) -> Mapping[str, int]:
        """How far each node is."""
        return {item.id: item.hops for item in self.reached}


def link_key(link: Link) -> LinkKey:
    """Orders links: asserted ones first, then by start, relation and end."""
    return (_ORDER[link.sort], link.start, link.relation, link.end, link.record)


def walk(
    graph: Graph,
    start: str,
    *,
    hops: int,
    most: int,
    sorts: frozenset[EdgeSort] | None = None,
) -> Walk:
    """Returns what can be reached from ``start``, which the reader may see.

    Args:
        graph: The graph as the reader may see it.
        start: Where it begins.
        hops: Steps at most.
        most: Nodes at most, besides the start.
        sorts: Only along links of these sorts; ``None`` for all.
    """
    reached = {start: Reached(id=start, hops=0)}
    frontier = [start]
    is_cut = False
    for hop in range(1, hops + 1):
        before, frontier = frontier, []
        ways = ways_from(graph, before, reached, sorts)
        for link, identifier in opened(graph, ways):
            if len(reached) > most:
                is_cut = True
                break
            reached[identifier] = Reached(id=identifier, hops=hop, via=link)
            frontier.append(identifier)
        if is_cut or not frontier:
            break
    links, is_short = links_among(graph, tuple(reached), most=most * LINKS_A_NODE, sorts=sorts)
    return Walk(reached=tuple(reached.values()), links=links, is_cut=is_cut or is_short)


def ways_from(
    graph: Graph,
    frontier: Collection[str],
    known: Collection[str],
    sorts: frozenset[EdgeSort] | None = None,
) -> dict[str, list[Link]]:
    """Returns the ways to what lies behind a frontier and is not known yet, in order."""
    ways: dict[str, list[Link]] = {}
    for identifier, links in graph.links_of(frontier).items():
        for link in links:
            other = link.other_end(identifier)
            if other not in known and (sorts is None or link.sort in sorts):
                ways.setdefault(other, []).append(link)
    for links in ways.values():
        links.sort(key=link_key)
    first = {identifier: _ORDER[links[0].sort] for identifier, links in ways.items()}
    return {name: ways[name] for name in sorted(ways, key=lambda name: (first[name], name))}


def opened(graph: Graph, ways: Mapping[str, Sequence[Link]]) -> Iterator[tuple[Link, str]]:
    """Yields the nodes that may be seen behind ways that may be followed, with the best way.

    Only as many are looked at as are asked for, some at a time.
    """
    rest = iter(ways)
    while names := list(islice(rest, _AT_ONCE)):
        open_links = graph.open_links([link for name in names for link in ways[name]])
        best = {
            name: link
            for name in names
            if (link := next((item for item in ways[name] if item in open_links), None))
        }
        seen = graph.open_nodes(best)
        yield from ((link, name) for name, link in best.items() if name in seen)


def links_among(
    graph: Graph,
    nodes: Collection[str],
    *,
    most: int,
    sorts: frozenset[EdgeSort] | None = None,
) -> tuple[tuple[Link, ...], bool]:
    """Returns the links among nodes that may be seen, ordered, and whether there are more."""
    inside = frozenset(nodes)
    found = {
        link
        for links in graph.links_of(nodes).values()
        for link in links
        if link.start in inside and link.end in inside and (sorts is None or link.sort in sorts)
    }
    shown: list[Link] = []
    rest = iter(sorted(found, key=link_key))
    while some := list(islice(rest, max(_AT_ONCE, most))):
        open_links = graph.open_links(some)
        shown.extend(link for link in some if link in open_links)
        if len(shown) > most:
            return tuple(shown[:most]), True
    return tuple(shown), False
