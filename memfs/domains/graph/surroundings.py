"""What lies around a node, and what lies between two, as their reader may see it (O15, M13, M30).

A list of neighbours tells of each what fits on a line. An expansion gives what lies inside its
last step whole and of what lies on it the summary, and says how many there are of both.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from memfs.domains.graph.paths import find_path
from memfs.domains.graph.pictures import GraphNode
from memfs.domains.graph.walk import Walk, walk
from memfs.model.authority import Sensitivity
from memfs.model.graph import EdgeSort, Link
from memfs.model.preview import preview_of
from memfs.model.record import StoredRecord


class ReadersGraph(Protocol):
    """A graph as one reader may see it, with the records that its nodes are."""

    def links_of(self, ids: Collection[str]) -> Mapping[str, Sequence[Link]]:
        """Returns the links at each of ``ids``, in both directions, open or not."""
        ...

    def open_links(self, links: Collection[Link]) -> frozenset[Link]:
        """Returns those of ``links`` whose own record the reader may see whole."""
        ...

    def open_nodes(self, ids: Collection[str]) -> frozenset[str]:
        """Returns those of ``ids`` that the reader may see."""
        ...

    def nodes(self, ids: Collection[str]) -> dict[str, StoredRecord]:
        """Returns what may be seen of each record, by id."""
        ...

    def linked(self, ids: Collection[str]) -> dict[str, StoredRecord]:
        """Returns what may be seen of each record, with the links that its reader may follow."""
        ...

    def find(self, reference: str) -> StoredRecord:
        """Returns what a reference names."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What lies around a node.

    Attributes:
        center: The node.
        nodes: What lies around it, nearest first, without it.
        links: All links among these and the node that may be seen, ordered.
        parents: For each node the one nearer to the centre that it was reached from.
        hops: How far was looked.
        is_cut: There is more than may be shown at once.
    """

    center: GraphNode
    nodes: tuple[GraphNode, ...]
    links: tuple[Link, ...]
    parents: Mapping[str, str]
    hops: int
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """A node with what lies around it: the inner part whole, the outer part in short.

    Attributes:
        around: The nodes and links.
        inner: The records that are given whole, the centre first.
        leaves: Those of which only the summary is given: on the last step.
    """

    around: Surroundings
    inner: tuple[StoredRecord, ...]
    leaves: tuple[GraphNode, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPath:
    """A shortest way between two nodes, or that there is none.

    Attributes:
        start: The one end.
        end: The other.
        nodes: From the one end to the other; empty where there is no way.
        steps: For each step the links between its two nodes, ordered.
        is_cut: The search gave up: a way may be there all the same.
    """

    start: GraphNode
    end: GraphNode
    nodes: tuple[GraphNode, ...] = ()
    steps: tuple[tuple[Link, ...], ...] = ()
    is_cut: bool = False


def node_of(stored: StoredRecord, hops: int = 0) -> GraphNode:
    """Returns a record that may be seen so as a node."""
    record = stored.record
    entity_type = record.fields.get("entity_type", "")
    return GraphNode(
        id=record.id,
        kind=record.kind,
        type=entity_type if isinstance(entity_type, str) else "",
        title=record.title,
        preview=preview_of(record),
        hops=hops,
    )


def neighbors(
    graph: ReadersGraph,
    reference: str,
    *,
    hops: int,
    most: int,
    sorts: frozenset[EdgeSort] | None = None,
) -> Surroundings:
    """Returns what lies around the node that ``reference`` names.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        AmbiguousRecordError: Several do.
    """
    return _around(graph, graph.find(reference), hops=hops, most=most, sorts=sorts)


def expand(
    graph: ReadersGraph,
    reference: str,
    *,
    hops: int,
    most: int,
    sorts: frozenset[EdgeSort] | None = None,
) -> Expansion:
    """Returns the node that ``reference`` names with what lies around it.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        AmbiguousRecordError: Several do.
    """
    around = _around(graph, graph.find(reference), hops=hops, most=most, sorts=sorts)
    inner = (around.center, *(node for node in around.nodes if node.hops < hops))
    return Expansion(
        around=around,
        inner=tuple(map(_without_sealed, graph.linked([node.id for node in inner]).values())),
        leaves=tuple(node for node in around.nodes if node.hops == hops),
    )


def path_between(
    graph: ReadersGraph,
    start: str,
    end: str,
    *,
    sorts: frozenset[EdgeSort] | None = None,
) -> FoundPath:
    """Returns a shortest way between what two references name.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        AmbiguousRecordError: Several do.
    """
    first, last = graph.find(start), graph.find(end)
    found = find_path(graph, first.record.id, last.record.id, sorts=sorts)
    records = graph.nodes(found.nodes)
    return FoundPath(
        start=node_of(first),
        end=node_of(last),
        nodes=tuple(node_of(records[name], hop) for hop, name in enumerate(found.nodes)),
        steps=found.steps,
        is_cut=found.is_cut,
    )


def _around(
    graph: ReadersGraph,
    start: StoredRecord,
    *,
    hops: int,
    most: int,
    sorts: frozenset[EdgeSort] | None,
) -> Surroundings:
    found: Walk = walk(graph, start.record.id, hops=hops, most=most, sorts=sorts)
    records = graph.nodes([item.id for item in found.reached])
    nodes = tuple(node_of(records[item.id], item.hops) for item in found.reached)
    parents = {
        item.id: item.via.other_end(item.id) for item in found.reached if item.via is not None
    }
    return Surroundings(
        center=nodes[0],
        nodes=nodes[1:],
        links=found.links,
        parents=parents,
        hops=hops,
        is_cut=found.is_cut,
    )


def _without_sealed(stored: StoredRecord) -> StoredRecord:
    """Leaves out a text that only its key opens: it is read alone, with ``memfs show``."""
    if stored.record.sensitivity is not Sensitivity.SEALED:
        return stored
    return replace(stored, record=replace(stored.record, body=""))
