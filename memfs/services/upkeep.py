"""Upkeep of the repository: packing and the commit graph, when due and never in a write."""

from __future__ import annotations

from contextlib import suppress

from memfs.errors import GitError, MemfsError
from memfs.services.jobs import left_behind
from memfs.services.ports import Workspace
from memfs.services.usage import background
from memfs.store.maintenance import is_due


def end_withdrawals(workspace: Workspace) -> None:
    """Finishes the repair and the receipt of a withdrawal whose process was killed.

    Costs one folder listing when there is none. What cannot be finished now is left for the next
    time; what was withdrawn stays withdrawn.
    """
    if next(left_behind(workspace), None) is None:
        return
    from memfs.services.aftermath import resume

    with suppress(MemfsError, OSError):
        resume(workspace)


def keep_up(workspace: Workspace) -> bool:
    """Packs loose objects and refreshes the commit graph when that is due.

    Costs two folder listings when it is not. A step that fails or takes too long, or a disk
    that cannot be written, leaves the store as good as before and is due again the next
    time; ``memfs doctor`` tells when Git itself is what fails.

    Returns:
        Whether something was packed.
    """
    end_withdrawals(workspace)
    try:
        if not is_due(workspace.store.git_dir):
            return False
        with background(workspace, "upkeep"):
            return not workspace.store.maintain().is_skipped
    except (GitError, OSError):
        return False
