"""Keeps ``MEMORY.md`` in step with the ledger, after the operations that touch it.

What the file was generated from is noted beside the caches; the file is written only when
the ledger moved or the file is gone, and never over an edit that nobody has filed yet.
"""

from __future__ import annotations

from typing import Final

from memfs.reconcile.projections import INDEX_PATH, is_pristine, render_index
from memfs.services.ports import Workspace
from memfs.services.projection_source import (
    projected_records,
    read_projection,
    write_projection,
)

_STAMP_FILE: Final = "projections"


def refresh_projections(workspace: Workspace, *, is_filed: bool = False) -> bool:
    """Brings the index up to the ledger head.

    Args:
        workspace: The store.
        is_filed: What a person changed in the index has become candidates; it may be
            written over.

    Returns:
        Whether it was written.
    """
    head = workspace.store.ledger_head() or ""
    text = read_projection(workspace, INDEX_PATH)
    if text is not None and not is_pristine(text) and not is_filed:
        return False
    if text is not None and not is_filed and _stamp(workspace) == head:
        return False
    title = f"Memory of {workspace.settings.project}"
    records = projected_records(workspace)
    write_projection(
        workspace, INDEX_PATH, render_index(records, registry=workspace.registry, title=title)
    )
    workspace.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    (workspace.cache_dir / _STAMP_FILE).write_text(head, encoding="ascii")
    return True


def _stamp(workspace: Workspace) -> str:
    try:
        return (workspace.cache_dir / _STAMP_FILE).read_text(encoding="ascii")
    except (FileNotFoundError, UnicodeDecodeError):
        return ""
