"""Reads what a role remembers into a view, through the read gate of whoever applies an operation.

What may not be seen is not there: an operation that names it is answered as if it named nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from memfs.domains.roles.shaping import ids_in
from memfs.domains.roles.view import RoleView
from memfs.index.catalogue import Catalogue
from memfs.model.graph import EdgeSort
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.record_fields import texts_field
from memfs.model.role import (
    ROLE_KIND,
    ROLES_FOLDER,
    Profile,
    is_role_edge,
    profile_of,
    role_scope,
    subject_of,
)
from memfs.model.role_operation import (
    Anatomy,
    ApplyDistillation,
    ClusterShortTerm,
    Crystallize,
    MarkSpoken,
    MergeIncubation,
    PruneShortTerm,
    QueueCandidate,
    RecordShortTerm,
    RefreshManifest,
    RetireCandidate,
    RetireDurable,
    RetirePressure,
    ReviseDurable,
    RoleOperation,
    UpsertPressure,
)
from memfs.model.scope import Scope
from memfs.policy.access import AccessRequest, may_read
from memfs.policy.relations import ends_of_edge
from memfs.policy.role_lifecycle import is_open
from memfs.services.catalogue import read_entries
from memfs.services.edge_ends import has_hidden_end
from memfs.services.gate import access_request
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.served_records import read_paths, read_records, served_places
from memfs.store.layout import role_folder
from memfs.store.snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A view, and where each of its memories stands."""

    view: RoleView
    stored: dict[str, StoredRecord] = field(default_factory=dict)

    def beside(self, more: Loaded) -> Loaded:
        """Returns what was read here and there, and what may be pointed at from either."""
        stored = more.stored | self.stored
        return Loaded(view=self.view.beside(more.view), stored=stored)


def load_role(workspace: Workspace, snapshot: Snapshot, role: str, actor: Actor) -> Loaded:
    """Reads everything that a role remembers and that ``actor`` may see whole."""
    request = access_request(workspace, actor)
    places = served_places(snapshot, f"{ROLES_FOLDER}/{role_folder(role)}")
    read = read_records(workspace, snapshot, places)
    loaded = _loaded(workspace, role, _seen(read, role_scope(role), request), frozenset())
    holds = snapshot.holds()
    held = frozenset(name for name, item in loaded.stored.items() if item.path in holds)
    return replace(loaded, view=replace(loaded.view, held=held))


def load_pointed(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    loaded: Loaded,
    names: Iterable[str],
    actor: Actor,
) -> Loaded:
    """Returns what was read with all of ``names`` that may be pointed at besides."""
    request = access_request(workspace, actor)
    asked = [name for name in dict.fromkeys(names) if not loaded.view.has(name)]
    found = read_entries(workspace, snapshot, catalogue.by_ids(asked))
    known = _pointed(workspace, snapshot, found, request)
    return replace(loaded, view=replace(loaded.view, known=loaded.view.known | known))


def _pointed(
    workspace: Workspace,
    snapshot: Snapshot,
    found: Iterable[StoredRecord],
    request: AccessRequest,
) -> frozenset[str]:
    return frozenset(
        item.record.id
        for item in found
        if may_read(item.record, request).is_whole
        and not has_hidden_end(workspace, snapshot, item.record, request)
    )


def load_edges(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    role: str,
    served: Collection[str],
    request: AccessRequest,
) -> dict[str, Record]:
    """Reads the edges of a role's memory that touch some of its memories, by id, sorted.

    An edge is there with both its ends, and all that it rests on, or not at all.

    Args:
        workspace: The store.
        snapshot: The ledger.
        catalogue: Its catalogue.
        role: Whose memory.
        served: Ids of memories that the reader was served already.
        request: Who reads.
    """
    if not served:
        return {}
    links = catalogue.links_of(sorted(served), sorts=(EdgeSort.ASSERTED,))
    found: dict[str, Record] = {}
    for item in read_paths(workspace, snapshot, sorted({link.path for link in links})):
        edge = item.record
        is_own = is_role_edge(edge) and edge.scope == role_scope(role)
        if not is_own or not may_read(edge, request).is_whole:
            continue
        start, _, end = ends_of_edge(edge)
        if (start in served and end in served) or not (
            has_hidden_end(workspace, snapshot, edge, request)
            or rests_on_off_source(workspace, snapshot, edge, request)
        ):
            found[edge.id] = edge
    return dict(sorted(found.items()))


def names_of(operations: Iterable[RoleOperation]) -> tuple[str, ...]:
    """Returns every id that operations name, once."""
    return tuple(dict.fromkeys(name for item in operations for name in _ids_of(item)))


def load_for(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    role: str,
    operations: Iterable[RoleOperation],
    actor: Actor,
) -> Loaded:
    """Reads what some operations name, and what they may meet: memories of the same subjects."""
    asked = tuple(operations)
    if any(isinstance(item, RefreshManifest) for item in asked):
        whole = load_role(workspace, snapshot, role, actor)
        stored, named = whole.stored, names_of(asked)
    else:
        stored, named = {}, names_of(asked)
    scope, request = role_scope(role), access_request(workspace, actor)
    subjects = _subjects(asked)
    rows = catalogue.by_ids(named)
    for subject in subjects:
        rows = (*rows, *catalogue.by_subject(subject, str(scope)))
    found = read_entries(workspace, snapshot, dict.fromkeys(rows))
    known = _pointed(workspace, snapshot, found, request)
    stored = stored | {item.record.id: item for item in _seen(found, scope, request)}
    behind = {name for item in stored.values() for name in _behind(item.record, named)}
    more = read_entries(workspace, snapshot, catalogue.by_ids(sorted(behind - stored.keys())))
    stored = stored | {item.record.id: item for item in _seen(more, scope, request)}
    return _loaded(workspace, role, stored.values(), known - stored.keys())


def _behind(record: Record, named: tuple[str, ...]) -> tuple[str, ...]:
    """Returns what a memory is decided with: what a candidate answers, what supports a thread."""
    if profile_of(record) is Profile.INCUBATION and is_open(record):
        return record.derived_from
    return texts_field(record, "answers") if record.id in named else ()


def _loaded(
    workspace: Workspace, role: str, found: Iterable[StoredRecord], known: frozenset[str]
) -> Loaded:
    stored = {item.record.id: item for item in found}
    memories = {name: item.record for name, item in stored.items()}
    view = RoleView(role=role, now=workspace.clock.now(), memories=memories, known=known)
    return Loaded(view=view, stored=stored)


def _seen(
    found: Iterable[StoredRecord], scope: Scope, request: AccessRequest
) -> Iterator[StoredRecord]:
    """Yields the memories of one namespace that may be seen whole."""
    for item in found:
        record = item.record
        if record.kind != ROLE_KIND or record.scope != scope:
            continue
        if may_read(record, request).is_whole:
            yield item


def _ids_of(operation: RoleOperation) -> Iterator[str]:
    anatomy = _anatomy_of(operation)
    if anatomy is not None:
        yield from ids_in(anatomy.anchors)
        for link in anatomy.links:
            yield from (link.to, *ids_in(link.anchors))
    match operation:
        case ClusterShortTerm() | PruneShortTerm():
            yield from operation.memories
        case ApplyDistillation() | Crystallize():
            yield from operation.sources
        case MergeIncubation():
            yield from (*operation.sources, operation.thread)
        case ReviseDurable():
            yield operation.memory
        case RetireDurable():
            yield from (operation.memory, operation.by)
        case QueueCandidate():
            yield from operation.answers
            for member in ("retire", "revise"):
                listed = operation.patch.get(member)
                yield from map(str, listed if isinstance(listed, list | tuple) else ())
        case RetireCandidate():
            yield operation.candidate
        case MarkSpoken():
            yield from (operation.candidate, operation.receipt)
        case RetirePressure():
            yield operation.pressure
        case _:
            return


def _anatomy_of(operation: RoleOperation) -> Anatomy | None:
    match operation:
        case (
            RecordShortTerm()
            | ApplyDistillation()
            | MergeIncubation()
            | ReviseDurable()
            | Crystallize()
            | QueueCandidate()
            | UpsertPressure()
        ):
            return operation.anatomy
        case _:
            return None


def _subjects(operations: Iterable[RoleOperation]) -> tuple[str, ...]:
    found = [item for item in map(_anatomy_of, operations) if item is not None and item.target]
    return tuple(dict.fromkeys(subject_of(item.target, item.topic) for item in found))
