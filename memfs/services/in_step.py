"""The quick look before every command: is there anything that the reconciler must see?

Costs a comparison of two refs, one look at the working tree and two small reads, and
imports nothing that only the full pass needs: most commands find everything in step.
"""

from __future__ import annotations

from typing import Final

from memfs.errors import DataError
from memfs.model.frozen import frozen
from memfs.services.core_note import is_core_edited
from memfs.services.pages_view import may_be_edited
from memfs.services.ports import Workspace

INDEX_PATH: Final = "MEMORY.md"
EDIT_CANDIDATES: Final = "inbox/edit-"
"""How the files begin of candidates that stand for edited working files."""
_STAMP_FILE: Final = "projections"


@frozen(kw_only=False)
class ProjectionStamp:
    """What the projections were made from, and the digest of the index as it was written.

    Both are empty when nobody knows.
    """

    commit: str = ""
    digest: str = ""


def projection_stamp(workspace: Workspace) -> ProjectionStamp:
    """Reads what was noted when the projections were written."""
    try:
        text = (workspace.cache_dir / _STAMP_FILE).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return ProjectionStamp()
    commit, _, digest = text.partition(" ")
    return ProjectionStamp(commit, digest.strip())


def write_projection_stamp(workspace: Workspace, stamp: ProjectionStamp) -> None:
    """Notes what the projections were made from."""
    workspace.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    (workspace.cache_dir / _STAMP_FILE).write_text(
        f"{stamp.commit} {stamp.digest}\n", encoding="ascii"
    )


def is_index_current(workspace: Workspace) -> bool:
    """Whether the index lies there as it was written, from the ledger as it is."""
    stamp = projection_stamp(workspace)
    return (
        bool(stamp.digest)
        and stamp.commit == workspace.store.ledger_head()
        and _index_digest(workspace) == stamp.digest
    )


def is_in_step(workspace: Workspace) -> bool:
    """Whether the full pass would find nothing to do."""
    store = workspace.store
    if store.ledger_head() != store.main_head():
        return False
    waiting = store.list_untracked("inbox")
    if any(path.startswith(EDIT_CANDIDATES) for path in waiting) or store.snapshot().holds():
        return False
    digest = _index_digest(workspace)
    if digest not in ("", projection_stamp(workspace).digest) or is_core_edited(workspace):
        return False
    if may_be_edited(workspace):
        return False
    return store.working_changes().is_clean


def _index_digest(workspace: Workspace) -> str:
    """Returns the digest of the index; empty when there is none that could be read."""
    try:
        return workspace.store.working_digest(INDEX_PATH) or ""
    except DataError:
        return ""
