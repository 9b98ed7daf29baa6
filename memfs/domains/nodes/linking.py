"""Links a node to what is like it: edges that memfs itself saw a reason for (M4).

A link is an edge record like any other, so that it can be taken away like any other. It says
what it was measured by and how alike the two are; nobody is said to have stated it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Final

from memfs.domains.nodes.node import NODE_KIND, summary_of
from memfs.model.candidate import Submission
from memfs.model.frozen import frozen
from memfs.model.graph import EdgeSort
from memfs.model.origin import Actor, Channel, Principal, PrincipalKind
from memfs.model.query import Query
from memfs.model.record import StoredRecord
from memfs.policy.authority import capture_origin
from memfs.services.batches import admit_batch
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.graph_drafts import edge_draft
from memfs.services.ports import Workspace
from memfs.services.reading import served_from
from memfs.services.similarity import Near, Nearest, SimilarityMode, nearest

LINKER: Final = Actor(Principal(PrincipalKind.TOOL, "likeness"), Channel.HOST)
"""Who sees that two nodes are alike."""
BATCH: Final = "links"


@frozen
class MadeLinks:
    """The links of one node.

    Attributes:
        near: What it was linked to, most alike first.
        operation: ``tx_…``; empty where nothing was written.
    """

    near: tuple[Near, ...] = ()
    operation: str = ""


def near_to(workspace: Workspace, stored: StoredRecord, actor: Actor, limit: int) -> Nearest:
    """Returns the nodes that are most like one that is there, without itself."""
    summary = summary_of(stored.record)
    query = Query(
        text=summary,
        actor=actor,
        kinds=(NODE_KIND,),
        scopes=(stored.record.scope or workspace.scope,),
        limit=limit + 1,
    )
    found = nearest(workspace, workspace.store.snapshot(), summary, query, words=summary_of)
    others = (near for near in found.found if near.stored.record.id != stored.record.id)
    return replace(found, found=tuple(others)[:limit])


def link_alike(
    workspace: Workspace, identifier: str, near: Sequence[Near], mode: SimilarityMode
) -> MadeLinks:
    """Links a node to the most alike of ``near``, as the settings say; never twice to one.

    Args:
        workspace: The store.
        identifier: The node; it is in the ledger.
        near: Nodes that are like it, most alike first.
        mode: What that was measured by.
    """
    settings = workspace.settings.nodes
    near = [item for item in near if not item.stored.record.sensitivity.is_opaque]
    known = _linked(workspace, identifier)
    fitting = [
        item
        for item in near
        if item.score >= settings.link
        and item.stored.path
        and item.stored.record.id not in {identifier, *known}
    ][: settings.links]
    if not fitting:
        return MadeLinks()
    submissions = [_edge(workspace, identifier, item, mode) for item in fitting]
    report = admit_batch(workspace, submissions, LINKER, batch=BATCH)
    return MadeLinks(near=tuple(fitting) if report.activated else (), operation=report.transaction)


def edges_at(workspace: Workspace, identifier: str, actor: Actor) -> tuple[str, ...]:
    """Returns the ids of the asserted edges that touch a record and that ``actor`` may see."""
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        links = catalogue.links_of((identifier,), sorts=(EdgeSort.ASSERTED,))
        files = [row for link in links if (row := catalogue.by_path(link.path)) is not None]
        seen = served_from(workspace, snapshot, files, request)
        return tuple(sorted({stored.record.id for stored in seen}))


def _linked(workspace: Workspace, identifier: str) -> frozenset[str]:
    """Returns what a node is linked to already, by whom and in whatever way."""
    with closing(open_catalogue(workspace, workspace.store.snapshot())) as catalogue:
        links = catalogue.links_of((identifier,), sorts=(EdgeSort.ASSERTED,))
    return frozenset(link.other_end(identifier) for link in links)


def _edge(workspace: Workspace, start: str, near: Near, mode: SimilarityMode) -> Submission:
    record = near.stored.record
    draft = replace(
        edge_draft(record.scope or workspace.scope, start, record.id),
        confidence=round(min(1.0, near.score), 4),
        transform=f"likeness:{mode}",
    )
    return Submission(draft=draft, origin=capture_origin(LINKER, draft.title))
