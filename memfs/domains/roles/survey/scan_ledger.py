"""What a role remembers of the project, as a scan finds it in the ledger, and edges that end.

An edge that is seen no more is marked as over and keeps its words (C4); the memories that it joined
are untouched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from memfs.domains.roles.loading import Loaded
from memfs.domains.roles.survey.repo_claims import Ends, edge_id
from memfs.domains.roles.view import RoleView
from memfs.index.catalogue import Catalogue
from memfs.model.graph import EdgeSort
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.role import (
    PROFILE_FOLDERS,
    ROLE_KIND,
    ROLES_FOLDER,
    Profile,
    RepoRelation,
    is_role_edge,
    role_scope,
)
from memfs.model.status import Status
from memfs.policy.access import may_read
from memfs.policy.administration import decide_expire
from memfs.policy.relations import ends_of_edge
from memfs.services.catalogue import read_entries
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, edited_file, is_held
from memfs.services.served_records import read_records, served_places
from memfs.store.layout import role_folder
from memfs.store.snapshot import Snapshot

_FOLDER: Final = PROFILE_FOLDERS[Profile.REPO_ARCHITECTURE]
_EXPIRED: Final = str(Status.EXPIRED)
TURNS: Final = 8
"""So many turns of an edge are looked up at once."""
_RELATIONS: Final = frozenset(str(item) for item in RepoRelation)


def load_claims(workspace: Workspace, snapshot: Snapshot, role: str, actor: Actor) -> Loaded:
    """Reads what a role remembers of the project, in any state, through the gate of ``actor``."""
    request = access_request(workspace, actor)
    places = served_places(snapshot, f"{ROLES_FOLDER}/{role_folder(role)}/{_FOLDER}")
    scope = role_scope(role)
    stored = {
        item.record.id: item
        for item in read_records(workspace, snapshot, places)
        if item.record.kind == ROLE_KIND
        and item.record.scope == scope
        and may_read(item.record, request).is_whole
    }
    memories = {name: item.record for name, item in stored.items()}
    view = RoleView(role=role, now=workspace.clock.now(), memories=memories)
    return Loaded(view=view, stored=stored)


def standing_edges(catalogue: Catalogue, ids: frozenset[str]) -> dict[Ends, str]:
    """Returns the ids of the edges of a project that join memories of a role, by their ends."""
    links = catalogue.links_of(ids, sorts={EdgeSort.ASSERTED}) if ids else ()
    return {
        (link.start, link.relation, link.end): link.record
        for link in links
        if link.relation in _RELATIONS and {link.start, link.end} <= ids and link.until is None
    }


def edge_turns(catalogue: Catalogue, edges: Iterable[Record]) -> dict[str, bool]:
    """Returns the ids that stand of edges that went and came back, and whether each is over so.

    However often one did: what is asked of each goes on where all that was asked for stands.
    """
    taken: dict[str, bool] = {}
    left, first = [ends_of_edge(edge) for edge in edges], 0
    while left:
        turns = range(first, first + TURNS)
        ids = [edge_id(ends, turn) for ends in left for turn in turns]
        taken |= {row.id: row.status == _EXPIRED for row in catalogue.by_ids(ids)}
        left = [ends for ends in left if taken.get(edge_id(ends, turns[-1]), False)]
        first += TURNS
    return taken


def ended_edges(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    role: str,
    names: Iterable[str],
) -> Iterator[Draft]:
    """Lays out that edges of a role are over; one on which a commit made by hand waits is not."""
    scope = role_scope(role)
    for stored in read_entries(workspace, snapshot, catalogue.by_ids(names)):
        record = stored.record
        if not is_role_edge(record) or record.scope != scope or is_held(snapshot, stored):
            continue
        decision = decide_expire(record, workspace.settings)
        if not decision.is_admitted:
            continue
        over = replace(record, status=Status.EXPIRED)
        yield edited_file(workspace, stored, snapshot.read_blob(stored.blob), over, decision)
