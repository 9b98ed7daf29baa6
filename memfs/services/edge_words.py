"""What an edge says in words: the names of its ends, as far as one reader may see them.

The record of an edge names its ends by id alone. Whoever decides about one has to read what it
says; the names are looked up when they are shown and kept nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace

from memfs.formats.record_codec import decode_record
from memfs.model.candidate import Candidate
from memfs.model.graph import EDGE_KIND
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.policy.access import AccessRequest
from memfs.policy.relations import joined_by, phrase_of
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.reading import served_from
from memfs.store.snapshot import Snapshot


def with_edges_in_words(
    workspace: Workspace, candidates: Sequence[Candidate], actor: Actor
) -> tuple[Candidate, ...]:
    """Returns candidates with each proposed edge called by the names of its ends."""
    edges = {
        item.id: record
        for item in candidates
        if item.kind == EDGE_KIND and (record := _proposed(workspace, item)) is not None
    }
    if not edges:
        return tuple(candidates)
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    names = names_of_ends(workspace, snapshot, edges.values(), request)
    return tuple(
        replace(item, title=phrase_of(edges[item.id], names)) if item.id in edges else item
        for item in candidates
    )


def in_words(
    workspace: Workspace,
    snapshot: Snapshot,
    sides: Sequence[StoredRecord],
    request: AccessRequest,
) -> tuple[StoredRecord, ...]:
    """Returns records as they are, edges called by the names of their ends."""
    edges = [item.record for item in sides if item.record.kind == EDGE_KIND]
    if not edges:
        return tuple(sides)
    names = names_of_ends(workspace, snapshot, edges, request)
    return tuple(
        replace(item, record=replace(item.record, title=phrase_of(item.record, names)))
        if item.record.kind == EDGE_KIND
        else item
        for item in sides
    )


def names_of_ends(
    workspace: Workspace,
    snapshot: Snapshot,
    edges: Iterable[Record],
    request: AccessRequest,
) -> Mapping[str, str]:
    """Returns what the ends of edges are called, by id; without those that may not be seen."""
    ends = sorted({name for edge in edges for name in joined_by(edge)})
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        rows = catalogue.by_ids(ends)
        seen = served_from(workspace, snapshot, rows, request)
        return {item.record.id: item.record.title for item in seen if item.record.title}


def _proposed(workspace: Workspace, candidate: Candidate) -> Record | None:
    if not candidate.content:
        return None
    return decode_record(
        candidate.content, path=candidate.path, registry=workspace.registry, draft=True
    ).record
