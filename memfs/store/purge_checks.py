"""What Git has under way, and what is asked before a history is rewritten: no loss, and room."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from memfs.errors import StoreError

_UNDER_WAY: Final = (
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_LOG",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
)
_SPACE_FACTOR: Final = 3


class PurgeBlockedError(StoreError):
    """The repository is in a state in which its history cannot be rewritten now."""

    code = "store.purge-blocked"


def is_merging(git_dir: Path) -> bool:
    """Whether a merge was begun in the repository and is neither finished nor given up."""
    return os.path.lexists(git_dir / "MERGE_HEAD")


def check_possible(git_dir: Path) -> None:
    """Checks that nothing is under way that a rewrite would destroy, and that there is room.

    Raises:
        PurgeBlockedError: Something is in the way; says what to do.
    """
    for name in _UNDER_WAY:
        if os.path.lexists(git_dir / name):
            raise PurgeBlockedError(
                f"expected no merge or rebase under way in the store, found {name}",
                hint="finish or abort it with git, then repeat the command",
            )
    linked = git_dir / "worktrees"
    if linked.is_dir() and any(linked.iterdir()):
        raise PurgeBlockedError(
            "expected no linked working tree of the store, found one that holds the old history",
            hint="remove it with: git worktree remove PATH (or: git worktree prune)",
        )
    size = sum(path.stat().st_size for path in (git_dir / "objects").rglob("*") if path.is_file())
    free = shutil.disk_usage(git_dir).free
    if free < size * _SPACE_FACTOR + (1 << 20):
        raise PurgeBlockedError(
            f"expected {size * _SPACE_FACTOR >> 20} MiB of free disk space for the rewrite, "
            f"got {free >> 20}",
            hint="free some space, then repeat the command",
        )
