"""Lists nodes, and counts them and the edges between them, as one asker may see them (M16, M17).

An edge counts once, and only where it may be seen itself and both of its ends may.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from itertools import islice

from memfs.domains.nodes.node import NODE_KIND, SCORING_RULE, flags_of
from memfs.index.catalogue import CatalogueFilter
from memfs.model.frozen import frozen
from memfs.model.graph import EdgeSort
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.model.settings import NodeSettings
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.reading import served_from
from memfs.services.similarity import SimilarityMode


@frozen
class NodeStats:
    """What there is, as one asker may see it.

    Attributes:
        nodes: Active nodes.
        edges: Asserted edges that touch one, each once.
        isolated: Nodes that no such edge touches.
        flagged: How many nodes a person may want to mend, by what is to be mended.
        rules: Scoring rules.
        mode: What likeness is measured by here.
        thresholds: The settings in force.
    """

    nodes: int
    edges: int
    isolated: int
    flagged: Mapping[str, int]
    rules: int
    mode: SimilarityMode
    thresholds: NodeSettings


def list_nodes(
    workspace: Workspace, actor: Actor, *, tags: Sequence[str] = (), limit: int = 0
) -> tuple[StoredRecord, ...]:
    """Lists nodes, the most important first, of those the newest, ties by id.

    Args:
        workspace: The store.
        actor: Who reads.
        tags: All of these must be there.
        limit: At most so many; 0 for all.
    """
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    wanted = CatalogueFilter(kinds=(NODE_KIND,), tags=tuple(tags), by_importance=True)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        served = served_from(workspace, snapshot, catalogue.listing(wanted), request)
        # Of a node that is seen in part, a tag that is hidden finds nothing.
        tagged = (item for item in served if set(tags) <= set(item.record.tags))
        # No list is longer than a machine can count, whatever number was typed.
        return tuple(islice(tagged, min(limit, sys.maxsize) or None))


def node_stats(workspace: Workspace, actor: Actor) -> NodeStats:
    """Counts what the actor may see."""
    nodes = list_nodes(workspace, actor)
    ids = {stored.record.id for stored in nodes}
    edges = _edges_at(workspace, actor, ids)
    touched = {end for ends in edges.values() for end in ends}
    return NodeStats(
        nodes=len(ids),
        edges=len(edges),
        isolated=len(ids - touched),
        flagged=Counter(flag for stored in nodes for flag in flags_of(stored.record)),
        rules=sum(SCORING_RULE in stored.record.tags for stored in nodes),
        mode=SimilarityMode.LEXICAL if workspace.embedder is None else SimilarityMode.VECTORS,
        thresholds=workspace.settings.nodes,
    )


def _edges_at(
    workspace: Workspace, actor: Actor, ids: Collection[str]
) -> Mapping[str, tuple[str, str]]:
    """Returns the ends of the edges that touch some nodes, by the file of the edge."""
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        links = [
            link
            for link in catalogue.links_of(ids, sorts=(EdgeSort.ASSERTED,))
            if link.holds_at(request.now)
        ]
        others = {end for link in links for end in (link.start, link.end)} - set(ids)
        rows = catalogue.by_ids(sorted(others))
        files = [row for link in links if (row := catalogue.by_path(link.path)) is not None]
        seen = {item.record.id for item in served_from(workspace, snapshot, rows, request)}
        served = {item.path for item in served_from(workspace, snapshot, files, request)}
    seen.update(ids)
    return {
        link.path: (link.start, link.end)
        for link in links
        if link.path in served and link.start in seen and link.end in seen
    }
