"""The shortest way from one node to another, along what its reader may see.

Pure. Both ends are searched from in turn, the smaller front first, so that a well connected
graph is not read whole for two nodes that lie close. A search that gives up says so: it is not
the same as there being no way.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from memfs.domains.graph.walk import Graph, links_among, opened, ways_from
from memfs.model.graph import EdgeSort, Link

MOST_HOPS: Final = 8
"""So long a way may be."""
MOST_LOOKED_AT: Final = 5_000
"""So many nodes are looked at before a search gives up."""
_LINKS_A_STEP: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """A way through the graph, or that there is none.

    Attributes:
        nodes: From the one end to the other; empty where there is no way.
        steps: For each step the links between its two nodes, ordered.
        is_cut: The search gave up: a way may be there all the same.
    """

    nodes: tuple[str, ...] = ()
    steps: tuple[tuple[Link, ...], ...] = ()
    is_cut: bool = False


class _Front:
    """What was reached from one end, level by level, with the nodes that each was reached from."""

    def __init__(self, start: str) -> None:
        self.hops = {start: 0}
        self.frontier = [start]
        self.depth = 0
        self._before: dict[str, str] = {}

    def advance(self, graph: Graph, sorts: frozenset[EdgeSort] | None, most: int) -> bool:
        """Goes one step further; returns whether it had to stop within it."""
        ways = ways_from(graph, self.frontier, self.hops, sorts)
        self.depth += 1
        self.frontier = []
        for link, identifier in opened(graph, ways):
            if len(self.hops) >= most:
                return True
            self.hops[identifier] = self.depth
            self._before[identifier] = link.other_end(identifier)
            self.frontier.append(identifier)
        return False

    def back_from(self, identifier: str) -> list[str]:
        """Returns the way back to the start, without ``identifier``."""
        way = []
        while identifier in self._before:
            identifier = self._before[identifier]
            way.append(identifier)
        return way


def find_path(
    graph: Graph,
    start: str,
    end: str,
    *,
    most_hops: int = MOST_HOPS,
    most: int = MOST_LOOKED_AT,
    sorts: frozenset[EdgeSort] | None = None,
) -> Path:
    """Returns a shortest way between two nodes that the reader may see; the same one each time.

    Args:
        graph: The graph as the reader may see it.
        start: The one end.
        end: The other.
        most_hops: Steps at most.
        most: Nodes that are looked at from each end at most.
        sorts: Only along links of these sorts; ``None`` for all.
    """
    if start == end:
        return Path(nodes=(start,))
    ahead, behind = _Front(start), _Front(end)
    while ahead.frontier and behind.frontier and ahead.depth + behind.depth < most_hops:
        near, far = sorted((ahead, behind), key=lambda front: (len(front.frontier), front.depth))
        is_cut = near.advance(graph, sorts, most)
        # Where the two meet at all, they meet on a shortest way: no shorter one was left over.
        met = [name for name in near.frontier if name in far.hops]
        if met:
            middle = min(met, key=lambda name: (near.hops[name] + far.hops[name], name))
            nodes = (*reversed(ahead.back_from(middle)), middle, *behind.back_from(middle))
            return Path(nodes=nodes, steps=_steps(graph, nodes, sorts))
        if is_cut:
            return Path(is_cut=True)
    is_left = bool(ahead.frontier and behind.frontier)
    return Path(is_cut=is_left)


def _steps(
    graph: Graph, nodes: tuple[str, ...], sorts: frozenset[EdgeSort] | None
) -> tuple[tuple[Link, ...], ...]:
    return tuple(
        links_among(graph, pair, most=_LINKS_A_STEP, sorts=sorts)[0] for pair in pairwise(nodes)
    )
