"""Imported records that bring an id of their own: kept where it is free, known where it is theirs.

An id that another record has is not taken from it: the imported one gets a new id. The same
record a second time is known, however its file was written.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field, replace

from memfs.index.catalogue import Catalogue
from memfs.model.candidate import CandidateAction, Submission
from memfs.model.graph import ENTITY_KIND
from memfs.model.ids import is_id
from memfs.model.record import Record
from memfs.policy.content import statement_parts
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.ports import Workspace
from memfs.store.snapshot import Snapshot


@dataclass(slots=True)
class PlacedIds:
    """What is to be submitted, and how many were known.

    Attributes:
        submissions: In the order in which they came.
        known: Records that are here already, as they are.
    """

    submissions: list[Submission] = field(default_factory=list)
    known: int = 0


def placed_ids(workspace: Workspace, submissions: Iterable[Submission]) -> PlacedIds:
    """Returns the submissions with the ids that they may have; those without one pass through."""
    placed = PlacedIds()
    chosen = list(submissions)
    if not any(_brings_id(item) for item in chosen):
        placed.submissions = chosen
        return placed
    snapshot = workspace.store.snapshot()
    taken: set[str] = set()
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        for item in chosen:
            draft = item.draft
            if not _brings_id(item):
                placed.submissions.append(item)
                continue
            there = _there(workspace, snapshot, catalogue, draft.id)
            if any(_is_same(record, draft) for record in there):
                placed.known += 1
                continue
            is_free = not there and draft.id not in taken and _is_of_kind(workspace, draft)
            # A thing under an id that is taken is that thing, told otherwise: it is judged as such.
            is_kept = is_free or _is_thing(workspace, draft)
            taken.add(draft.id)
            placed.submissions.append(
                item if is_kept else replace(item, draft=replace(draft, id=""))
            )
    return placed


def _brings_id(item: Submission) -> bool:
    return bool(item.draft.id) and item.action is CandidateAction.ADD


def _is_of_kind(workspace: Workspace, draft: Record) -> bool:
    kind = workspace.registry.get(draft.kind)
    return kind is not None and is_id(draft.id, kind.id_prefix)


def _is_thing(workspace: Workspace, draft: Record) -> bool:
    return draft.kind == ENTITY_KIND and _is_of_kind(workspace, draft)


def _is_same(record: Record, draft: Record) -> bool:
    return record.kind == draft.kind and statement_parts(record) == statement_parts(draft)


def _there(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, identifier: str
) -> list[Record]:
    rows = catalogue.by_id(identifier)
    return [stored.record for stored in read_entries(workspace, snapshot, rows)]
