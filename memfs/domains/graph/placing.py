"""Imported entities and edges in this store's graph: which foreign id stands for what here.

A thing that bears a name that is known here is that thing, whatever its id was elsewhere; an id
of ours that is free is kept; any other follows from the name. Edges are hung on what their ends
became. An end that nothing here stands for is left as it is, and the edge is refused for it.
An entity that gave way to another stays so where that one comes along or is here; else it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from memfs.domains.graph.seen_graph import SeenGraph
from memfs.formats.foreign_line import FOREIGN
from memfs.model.candidate import Submission
from memfs.model.graph import EDGE_KIND, ENTITY_KIND
from memfs.model.naming import entity_id, entity_key
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.policy.graph_links import keys_of_entity
from memfs.services.ports import Workspace

_ENDS = ("from", "to")


def placed_graph(
    workspace: Workspace, submissions: Iterable[Submission], actor: Actor
) -> list[Submission]:
    """Returns the submissions with entities and edges under the ids that they have here.

    Edges come last, since they are refused where an end is not in the ledger before them.
    """
    chosen = list(submissions)
    if not any(item.draft.kind in (ENTITY_KIND, EDGE_KIND) for item in chosen):
        return chosen
    with SeenGraph(workspace, actor) as graph:
        places = _Places(workspace, graph)
        entities = [item.draft for item in chosen if item.draft.kind == ENTITY_KIND]
        chosen = [replace(item, draft=_marked(item.draft, entities, graph)) for item in chosen]
        chosen = [replace(item, draft=places.taken(item.draft)) for item in chosen]
        chosen.sort(key=lambda item: item.draft.kind == EDGE_KIND)
        return [replace(item, draft=places.placed(item.draft)) for item in chosen]


def _marked(draft: Record, entities: Iterable[Record], graph: SeenGraph) -> Record:
    """Returns an entity without a mark that leads to nothing that stands."""
    if draft.kind != ENTITY_KIND or not draft.superseded_by:
        return draft
    heirs = {item.id: item.superseded_by for item in entities if item.id}
    heir, passed = draft.superseded_by, {draft.id}
    while heir not in passed and heirs.get(heir):
        passed.add(heir)
        heir = heirs[heir]
    if heir not in passed and (heir in heirs or graph.nodes([heir])):
        return draft
    return replace(draft, status=Status.ACTIVE, superseded_by="")


@dataclass(slots=True)
class _Places:
    """What the ids and names of one import stand for here."""

    workspace: Workspace
    graph: SeenGraph
    by_id: dict[str, str] = field(default_factory=dict)
    by_name: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def taken(self, draft: Record) -> Record:
        """Finds the id of an imported entity; an id that another has already is none of its."""
        if draft.kind != ENTITY_KIND:
            return draft
        key = entity_key(draft.title)
        if draft.id and self.names.setdefault(draft.id, key) != key:
            draft = replace(draft, id="")
        self._take(draft)
        return draft

    def _take(self, draft: Record) -> None:
        key = entity_key(draft.title)
        # The name of one that gave way is its heir's, and leads there; it is itself all the same.
        place = "" if draft.superseded_by else self.by_name.get(key) or self._known(draft.title)
        if not place:
            is_foreign = not draft.id or "id" in _said(draft)
            scope = draft.scope or self.workspace.scope
            place = entity_id(scope, draft.title) if is_foreign else draft.id
        for name in () if draft.superseded_by else keys_of_entity(draft):
            self.by_name.setdefault(name, place)
        for name in filter(None, (draft.id, place)):
            self.by_id.setdefault(name, place)

    def placed(self, draft: Record) -> Record:
        """Returns a draft under the id, and between the ends, that it has here."""
        if draft.kind == ENTITY_KIND:
            place = self.by_id.get(draft.id) or self.by_name[entity_key(draft.title)]
            heir = self.by_id.get(draft.superseded_by, draft.superseded_by)
            return replace(draft, id=place, superseded_by=heir)
        if draft.kind == EDGE_KIND:
            ends = {name: self._end(draft, name) for name in _ENDS}
            return replace(draft, fields={**draft.fields, **ends})
        return draft

    def _end(self, draft: Record, name: str) -> str:
        end = str(draft.fields.get(name, ""))
        if end in self.by_id:
            return self.by_id[end]
        said = _said(draft).get(name)
        if not isinstance(said, str):
            return end
        return self.by_name.get(entity_key(said)) or self._known(said) or end

    def _known(self, name: str) -> str:
        """Returns the id of the one entity that bears a name here; empty where none does."""
        found = self.graph.bearers(name)
        return found[0].record.id if len(found) == 1 else ""


def _said(draft: Record) -> Mapping[str, object]:
    kept = draft.unknown.get(FOREIGN)
    said = kept.get("otherwise") if isinstance(kept, Mapping) else None
    return said if isinstance(said, Mapping) else {}
