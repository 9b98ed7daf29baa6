"""Edits of ``MEMORY.md``: each changed line becomes a candidate for the record behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memfs.model.candidate import Candidate
from memfs.model.record import StoredRecord
from memfs.policy.reasons import reason
from memfs.reconcile.projections import (
    INDEX_PATH,
    EditKind,
    ProjectionEdit,
    is_pristine,
    read_edits,
    revised_record,
)
from memfs.services.intake import ProposedText, file_texts
from memfs.services.ports import Workspace
from memfs.services.projection_source import projected_records, read_projection

NEW_LINE_KIND: Final = "note"


def edits_of_index(workspace: Workspace) -> tuple[ProjectionEdit, ...]:
    """Returns what a person changed in the index; costs one small read when nothing was."""
    text = read_projection(workspace, INDEX_PATH)
    if text is None or is_pristine(text):
        return ()
    return read_edits(text, projected_records(workspace), registry=workspace.registry)


def file_index_edits(
    workspace: Workspace, edits: tuple[ProjectionEdit, ...]
) -> tuple[Candidate, ...]:
    """Files changed lines as candidates; the index itself is written anew afterwards."""
    if not edits:
        return ()
    by_id = {stored.record.id: stored for stored in projected_records(workspace)}
    texts = [_proposed(edit, by_id.get(edit.record_id)) for edit in edits]
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
