"""Graphs for tests: given whole, with some of it hidden from its reader."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from memfs.model.graph import EdgeSort, Link


def link(start: object, end: object, relation: str = "uses", **given: object) -> Link:
    """Returns a link between two nodes, asserted unless said otherwise."""
    sort = given.get("sort", EdgeSort.ASSERTED)
    assert isinstance(sort, EdgeSort)
    return Link(
        start=str(start),
        end=str(end),
        relation=relation,
        sort=sort,
        record=f"{start}-{relation}-{end}",
    )


class GivenGraph:
    """A graph that stands in a list of links, and what of it is hidden."""

    def __init__(self, links: Iterable[Link], hidden: Collection[object] = ()) -> None:
        self.links = tuple(dict.fromkeys(links))
        self.hidden = frozenset(map(str, hidden))
        self.looked_at: set[str] = set()

    def links_of(self, ids: Collection[str]) -> Mapping[str, Sequence[Link]]:
        """Returns every link at each of ``ids``."""
        return {
            name: [item for item in self.links if name in (item.start, item.end)] for name in ids
        }

    def open_links(self, links: Collection[Link]) -> frozenset[Link]:
        """Returns the links that are not hidden."""
        return frozenset(item for item in links if item.record not in self.hidden)

    def open_nodes(self, ids: Collection[str]) -> frozenset[str]:
        """Returns the nodes that are not hidden."""
        self.looked_at.update(ids)
        return frozenset(ids) - self.hidden
