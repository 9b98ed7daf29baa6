"""Entities as one reader may see them: names, edges, what names them, now or then (O12, O13).

What leaves here has passed the read gate: the entity, each edge by its own record, and what stands
at the other end of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Final

from memfs.domains.graph.seen_graph import SeenGraph
from memfs.index.catalogue import CatalogueFilter
from memfs.model.graph import ENTITY_KIND, EdgeSort, Link
from memfs.model.moment import Moment
from memfs.model.naming import entity_key
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.model.scope import Scope
from memfs.policy.graph_links import names_of_entity
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.past import list_at
from memfs.services.ports import Workspace
from memfs.services.reading import UnknownRecordError, served_from

_FOLDER: Final = "graph/entities"
_AT_ONCE: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeView:
    """An edge of an entity, as one reader may see it.

    Attributes:
        link: Where it leads from and to, and how.
        other: What stands at its other end.
        stored: The record that it stands in.
    """

    link: Link
    other: StoredRecord
    stored: StoredRecord

    @property
    def is_pressure(self) -> bool:
        """Whether it only says that two look alike, which proves nothing (E49)."""
        return self.link.is_pressure


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityView:
    """An entity as one reader may see it.

    Attributes:
        stored: Its record.
        names: Its names as they are written, the one that it is called by first.
        edges: What somebody asserts of it, ordered.
        mentions: What names it, newest first.
        is_cut: There is more than is shown at once (``graph.most``).
    """

    stored: StoredRecord
    names: tuple[str, ...]
    edges: tuple[EdgeView, ...] = ()
    mentions: tuple[StoredRecord, ...] = ()
    is_cut: bool = False


def entity_named(graph: SeenGraph, reference: str) -> StoredRecord:
    """Returns the entity that a reference names, by any of its names.

    Raises:
        UnknownRecordError: Nothing matches, nothing that may be seen, or no entity.
        AmbiguousRecordError: Several match.
    """
    stored = graph.find(reference)
    if stored.record.kind != ENTITY_KIND:
        raise UnknownRecordError(
            f"expected an entity, got the {stored.record.kind} {stored.record.id}",
            hint=f"see: memfs show {stored.record.id}",
        )
    return stored


def show_entity(
    workspace: Workspace,
    reference: str,
    actor: Actor,
    *,
    moment: Moment,
    scopes: tuple[Scope, ...] = (),
) -> EntityView:
    """Returns an entity with its edges and with what names it, now or at another moment (O12).

    Raises:
        UnknownRecordError: Nothing matches, or nothing that may be seen.
        AmbiguousRecordError: Several match.
    """
    most = workspace.settings.graph.most
    with SeenGraph(workspace, actor, moment=moment, scopes=scopes) as graph:
        found = entity_named(graph, reference)
        stored = graph.linked([found.record.id]).get(found.record.id, found)
        edges = list(islice(_edges(graph, stored.record.id), most + 1))
        mentions = list(islice(_mentions(graph, stored.record.id), most + 1))
    return EntityView(
        stored=stored,
        names=names_of_entity(stored.record),
        edges=tuple(sorted(edges[:most], key=_edge_order)),
        mentions=tuple(mentions[:most]),
        is_cut=max(len(edges), len(mentions)) > most,
    )


def _edges(graph: SeenGraph, own: str) -> Iterator[EdgeView]:
    """Yields what somebody asserts of an entity, with the other ends that may be seen."""
    links = [link for link in graph.links_of([own])[own] if link.sort is EdgeSort.ASSERTED]
    for some in _batches(sorted(links, key=lambda link: link.record, reverse=True)):
        whole = graph.open_links(some)
        others = graph.linked([link.other_end(own) for link in some])
        records = graph.linked([link.record for link in some])
        for link in some:
            other, stored = others.get(link.other_end(own)), records.get(link.record)
            if link in whole and other is not None and stored is not None:
                yield EdgeView(link=link, other=other, stored=stored)


def _mentions(graph: SeenGraph, own: str) -> Iterator[StoredRecord]:
    """Yields what names an entity and may be seen, newest first, each once."""
    links = {
        link.start: link
        for link in graph.links_of([own])[own]
        if link.sort is EdgeSort.MENTIONS and link.end == own
    }
    for some in _batches(sorted(links.values(), key=lambda link: link.start, reverse=True)):
        whole = graph.open_links(some)
        yield from graph.linked([link.start for link in some if link in whole]).values()


def _batches(links: Sequence[Link]) -> Iterator[Sequence[Link]]:
    return (links[at : at + _AT_ONCE] for at in range(0, len(links), _AT_ONCE))


def _edge_order(edge: EdgeView) -> tuple[str, str, str]:
    return (edge.link.relation, edge.other.record.title, edge.link.record)


def list_entities(
    workspace: Workspace,
    actor: Actor,
    *,
    entity_type: str = "",
    scopes: tuple[Scope, ...] = (),
    moment: Moment,
    limit: int = 0,
) -> tuple[StoredRecord, ...]:
    """Lists the entities that the actor may see, newest first, ties by id.

    Args:
        workspace: The store.
        actor: Who asks.
        entity_type: Only things of this sort, however it is spelled.
        scopes: Only these namespaces; empty for all that the actor may see.
        moment: When; now by default.
        limit: At most so many; 0 for all.
    """
    wanted = entity_key(entity_type)

    def is_wanted(stored: StoredRecord) -> bool:
        record = stored.record
        is_type = not wanted or entity_key(str(record.fields.get("entity_type", ""))) == wanted
        return is_type and (not scopes or (record.scope or workspace.scope) in scopes)

    if not moment.is_now:
        found = list_at(workspace, actor, moment=moment, kinds=(ENTITY_KIND,), folder=_FOLDER)
        return tuple(islice(filter(is_wanted, found), limit or None))
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor, scopes=scopes)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        rows = catalogue.listing(CatalogueFilter(kinds=(ENTITY_KIND,)))
        served = served_from(workspace, snapshot, rows, request)
        return tuple(islice(filter(is_wanted, served), limit or None))
