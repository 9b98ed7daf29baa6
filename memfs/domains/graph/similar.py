"""What is like a node and is not linked to it: what somebody may want to relate (M15).

Alike is not the same and decides nothing: it is shown, with how alike it is and by what that
was measured. What is a neighbour already is left out, and so is what the reader may not see.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from memfs.domains.graph.pictures import GraphNode
from memfs.domains.graph.seen_graph import SeenGraph
from memfs.domains.graph.surroundings import node_of
from memfs.model.query import Query
from memfs.services.ports import Workspace
from memfs.services.similarity import SimilarityMode, nearest, words_of

_NEIGHBOURS: Final = 50
"""So many more are compared than are shown: any of the first may be a neighbour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarNodes:
    """What is like a node.

    Attributes:
        center: The node.
        found: What is like it, with how much, 0 to 1, most alike first.
        mode: What likeness was measured by.
        least: What is less alike than this is not shown.
    """

    center: GraphNode
    found: tuple[tuple[GraphNode, float], ...]
    mode: SimilarityMode
    least: float


def similar_to(workspace: Workspace, reference: str, query: Query) -> SimilarNodes:
    """Returns what is like the node that ``reference`` names and is not next to it.

    Args:
        workspace: The store.
        reference: An id, the end of one, a file, or the name of an entity.
        query: Who asks, for which kinds, and for how many.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        AmbiguousRecordError: Several do.
        IndexUnavailableError: There is no index and none can be made.
    """
    least = workspace.settings.nodes.similar
    with SeenGraph(workspace, query.actor) as graph:
        center = graph.find(reference)
        text = words_of(center.record)
        wanted = replace(query, limit=query.limit + _NEIGHBOURS)
        near = nearest(workspace, graph.head, text, wanted, least=least)
        own = center.record.id
        links = graph.links_of([own])[own]
        ids = {item.stored.record.id for item in near.found}
        beside = {
            link.other_end(own)
            for link in graph.open_links([it for it in links if it.other_end(own) in ids])
        } | {own}
        found = [item for item in near.found if item.stored.record.id not in beside]
    return SimilarNodes(
        center=node_of(center),
        found=tuple((node_of(item.stored), item.score) for item in found[: query.limit]),
        mode=near.mode,
        least=least,
    )
