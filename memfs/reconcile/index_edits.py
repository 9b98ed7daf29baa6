"""Edits of ``MEMORY.md``: each changed line becomes a candidate for the record behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import Final

from memfs.model.candidate import Candidate
from memfs.model.frozen import frozen
from memfs.model.record import StoredRecord
from memfs.policy.reasons import reason
from memfs.reconcile.projections import (
    EditKind,
    ProjectionEdit,
    is_pristine,
    read_edits,
    revised_record,
)
from memfs.services.in_step import INDEX_PATH, projection_stamp
from memfs.services.intake import ProposedText, file_texts
from memfs.services.ports import Workspace
from memfs.services.projection_source import projected_records, read_projection

NEW_LINE_KIND: Final = "note"


@frozen
class IndexEdits:
    """Changed lines of the index, and the records that it was made from by id."""

    edits: tuple[ProjectionEdit, ...] = ()
    records: Mapping[str, StoredRecord] = field(default_factory=lambda: MappingProxyType({}))


def edits_of_index(workspace: Workspace) -> IndexEdits:
    """Returns what a person changed in the index; costs one small read when nothing was.

    The lines are compared with the ledger as it was when they were written, so that what
    memfs itself changed since is not taken for the person's.
    """
    text = read_projection(workspace, INDEX_PATH)
    if text is None or is_pristine(text):
        return IndexEdits()
    stamped = workspace.store.snapshot_or_none(projection_stamp(workspace).commit)
    records = projected_records(workspace, stamped or workspace.store.snapshot())
    edits = read_edits(text, records, registry=workspace.registry)
    if stamped is None:
        # The cache is gone and nobody knows which records were listed: a missing line proves
        # nothing, a changed one still does.
        edits = tuple(edit for edit in edits if edit.kind is not EditKind.REMOVE)
    return IndexEdits(edits=edits, records={stored.record.id: stored for stored in records})


def file_index_edits(workspace: Workspace, found: IndexEdits) -> tuple[Candidate, ...]:
    """Files changed lines as candidates; the index itself is written anew afterwards."""
    texts = [_proposed(edit, found.records.get(edit.record_id)) for edit in found.edits]
    return file_texts(workspace, tuple(text for text in texts if text is not None))


def _proposed(edit: ProjectionEdit, stored: StoredRecord | None) -> ProposedText | None:
    why = reason("edit.index-line")
    match edit.kind:
        case EditKind.ADD:
            return ProposedText(text=edit.text, kind=NEW_LINE_KIND, reason=why)
        case EditKind.REVISE:
            if stored is None:
                return ProposedText(text=edit.text, kind=NEW_LINE_KIND, reason=why)
            record = replace(revised_record(stored.record, edit), version=stored.record.version + 1)
            return ProposedText(stored=stored, record=record, reason=why)
        case EditKind.REMOVE:
            return ProposedText(stored=stored, reason=why) if stored is not None else None
