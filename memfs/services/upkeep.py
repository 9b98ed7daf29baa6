"""Upkeep of the repository: packing and the commit graph, when due and never in a write."""

from __future__ import annotations

from memfs.errors import GitError
from memfs.services.ports import Workspace


def keep_up(workspace: Workspace) -> bool:
    """Packs loose objects and refreshes the commit graph when that is due.

    Costs two folder listings when it is not. A step that fails or takes too long, or a disk
    that cannot be written, leaves the store as good as before and is due again the next
    time; ``memfs doctor`` tells when Git itself is what fails.

    Returns:
        Whether something was packed.
    """
    try:
        return not workspace.store.maintain().is_skipped
    except (GitError, OSError):
        return False
