"""Keeps ``MEMORY.md`` in step with the ledger, after the operations that touch it.

What the file was generated from is noted beside the caches; the file is written only when
the ledger moved or the file is gone, and never over an edit that nobody has filed yet.
"""

from __future__ import annotations

from memfs.errors import DataError, StoreError
from memfs.model.digests import blob_id
from memfs.reconcile.projections import is_pristine, render_index
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
