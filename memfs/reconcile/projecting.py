"""Keeps ``MEMORY.md`` and ``core.md`` in step with the ledger, after operations that touch them.

What a file was generated from is noted beside the caches; it is written only when the ledger
moved or the file is gone, and never over an edit that nobody has filed yet.
"""

from __future__ import annotations

from dataclasses import replace

from memfs.domains.distill.choosing import chosen_core, kept_core
from memfs.domains.distill.core import Core
from memfs.domains.distill.core import is_pristine as is_pristine_core
from memfs.errors import DataError, StoreError
from memfs.model.digests import blob_id
from memfs.model.ids import CommitId
from memfs.model.record import StoredRecord
from memfs.reconcile.projections import is_pristine, render_index
from memfs.services.core_note import (
    CORE_PATH,
    CoreNote,
    Place,
    has_slept,
    is_core_current,
    read_core_note,
    write_core_note,
)
from memfs.services.in_step import (
    INDEX_PATH,
    ProjectionStamp,
    is_index_current,
    write_projection_stamp,
)
from memfs.services.ports import Workspace
from memfs.services.projection_source import (
    projected_records,
    read_projection,
    write_projection,
)


def refresh_projections(workspace: Workspace, *, is_filed: bool = False) -> bool:
    """Brings the index up to the ledger head.

    Args:
        workspace: The store.
        is_filed: What a person changed in the index has become candidates; it may be
            written over.

    Returns:
        Whether it was written.
    """
    snapshot = workspace.store.snapshot()
    text = read_projection(workspace, INDEX_PATH)
    if text is not None and not is_pristine(text) and not is_filed:
        return False
    if text is not None and not is_filed and is_index_current(workspace):
        return False
    title = f"Memory of {workspace.settings.project}"
    records = projected_records(workspace, snapshot)
    text = render_index(records, registry=workspace.registry, title=title)
    try:
        write_projection(workspace, INDEX_PATH, text)
        digest = blob_id(text.encode())
        write_projection_stamp(workspace, ProjectionStamp(snapshot.commit, digest))
    except (OSError, StoreError, DataError):
        # A store or a cache that may only be read, or a folder where the file should be: what
        # is there stays, the question that was asked is answered, and the next writer brings
        # it up.
        return False
    return True


def refresh_core(workspace: Workspace, *, is_anew: bool = False, is_filed: bool = False) -> bool:
    """Brings ``core.md`` up to the ledger head.

    Args:
        workspace: The store.
        is_anew: Choose anew what stands in it, as a sleep does; otherwise what was chosen
            stays, as the ledger has it now. Nothing is made where no sleep made one.
        is_filed: What a person changed in it has become candidates; it may be written over.

    Returns:
        Whether it was written.
    """
    note = read_core_note(workspace)
    text = read_projection(workspace, CORE_PATH)
    is_ours = text is None or not text.strip() or is_pristine_core(text)
    if not (is_ours or is_filed):
        return False
    if not is_anew and not is_filed and is_core_current(workspace):
        return False
    if note is None and not is_anew and not has_slept(workspace):
        return False
    snapshot = workspace.store.snapshot()
    if is_anew or note is None:
        core = chosen_core(workspace, snapshot)
        note = CoreNote(
            facts=tuple(_place(stored) for stored in core.facts),
            events=tuple(_place(stored) for stored in core.events),
            left=core.left,
        )
    else:
        core = kept_core(workspace, snapshot, note)
    return _write_core(workspace, snapshot.commit, core, note, is_same=text == core.text)


def _write_core(
    workspace: Workspace, commit: CommitId, core: Core, chosen: CoreNote, *, is_same: bool
) -> bool:
    try:
        if not is_same:
            write_projection(workspace, CORE_PATH, core.text)
    except (OSError, StoreError, DataError):
        # As with the index: what is there stays, and the next writer brings it up.
        return False
    # What was chosen stays chosen: what is not served for a time comes back by itself.
    note = replace(
        chosen,
        told=tuple(stored.record.id for stored in (*core.facts, *core.events)),
        commit=commit,
        digest=blob_id(core.text.encode()),
    )
    write_core_note(workspace, note)
    return not is_same


def _place(stored: StoredRecord) -> Place:
    return Place(id=stored.record.id, path=stored.path)
