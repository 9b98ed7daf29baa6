"""Keeps the repository small and its history quick; never part of a write.

One process at a time does it, others go on writing meanwhile: only reachable objects are packed,
and nothing that could still be under way is pruned. Git's own automatic maintenance is off.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from memfs.model.frozen import frozen
from memfs.store.bulk import sweep_bulk_refs
from memfs.store.files import TEMPORARY_PREFIX
from memfs.store.git import run_git
from memfs.store.layout import UNTRACKED_FOLDERS

LOOSE_OBJECTS: Final = 5000
PACKS: Final = 20
TIMEOUT_S: Final = 600.0

_ABANDONED_S: Final = 3600.0
_SAMPLE: Final = "17"
"""Object names are evenly spread, so one of the 256 folders tells how many there are."""


@frozen
class Maintenance:
    """What was done.

    Attributes:
        is_skipped: Another process is at it, or nothing was due.
        loose_objects: About how many there were before.
        packs: How many there were before.
        swept_refs: Temporary refs of dead processes that were removed.
        swept_files: Half-written files of dead processes that were removed.
    """

    is_skipped: bool = False
    loose_objects: int = 0
    packs: int = 0
    swept_refs: int = 0
    swept_files: int = 0


def count_loose_objects(git_dir: Path) -> int:
    """Returns about how many loose objects there are, from one folder of them."""
    try:
        with os.scandir(git_dir / "objects" / _SAMPLE) as scan:
            return sum(len(entry.name) == 38 for entry in scan) * 256
    except FileNotFoundError:
        return 0


def count_packs(git_dir: Path) -> int:
    """Returns how many packs there are."""
    return sum(1 for _ in (git_dir / "objects" / "pack").glob("pack-*.pack"))


def is_due(git_dir: Path) -> bool:
    """Whether :func:`maintain` would do something; costs two folder listings."""
    return count_loose_objects(git_dir) >= LOOSE_OBJECTS or count_packs(git_dir) > PACKS


def maintain(
    git_dir: Path, *, is_forced: bool = False, timeout_s: float = TIMEOUT_S
) -> Maintenance:
    """Packs loose objects, joins small packs and brings the commit graph up to date.

    Args:
        git_dir: The store's Git directory.
        is_forced: Also when nothing is due; then objects that nothing refers to for two weeks
            are pruned as well.
        timeout_s: Bound of each step.

    Raises:
        GitFailedError: A step failed or took too long; the store is as good as before.
        OSError: The store cannot be written.
    """
    loose, packs = count_loose_objects(git_dir), count_packs(git_dir)
    skipped = Maintenance(is_skipped=True, loose_objects=loose, packs=packs)
    if not is_forced and not is_due(git_dir):
        # Asked before the lock, whose file a store on a read-only disk cannot have.
        return skipped
    with _alone(git_dir) as is_alone:
        if not is_alone or not (is_forced or is_due(git_dir)):
            return skipped
        swept = sweep_bulk_refs(git_dir)
        files = sweep_temporaries(git_dir)
        join = ("--geometric=2", "--write-midx") if packs > PACKS else ()
        steps: list[tuple[str, ...]] = [
            ("repack", "-d", "-l", "-q", *join),
            ("commit-graph", "write", "--reachable", "--changed-paths", "--split", "--no-progress"),
        ]
        if is_forced:
            steps.append(("prune", "--expire=2.weeks.ago"))
        for step in steps:
            run_git(git_dir, None, *step, timeout_s=timeout_s, is_read=False)
    return Maintenance(loose_objects=loose, packs=packs, swept_refs=swept, swept_files=files)


def sweep_temporaries(git_dir: Path, *, now_s: float | None = None) -> int:
    """Removes temporary files that a killed process left an hour ago or longer; follows no link.

    Returns:
        How many there were.
    """
    oldest = (time.time() if now_s is None else now_s) - _ABANDONED_S
    swept = 0
    root = git_dir.parent
    for folder in (git_dir / "memfs", *(root / name for name in UNTRACKED_FOLDERS), root):
        if not folder.is_dir():
            continue
        for _, folders, names, descriptor in os.fwalk(folder, follow_symlinks=False):
            if folder == root:
                # Projections lie here; what lies among the records is not ours to judge.
                folders.clear()
            for name in names:
                if name.startswith(TEMPORARY_PREFIX) and name.endswith(".tmp"):
                    swept += _remove_older(descriptor, name, oldest)
    return swept


def _remove_older(folder: int, name: str, oldest: float) -> bool:
    try:
        if os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime >= oldest:
            return False
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return False
    return True


@contextlib.contextmanager
def _alone(git_dir: Path) -> Iterator[bool]:
    folder = git_dir / "memfs"
    folder.mkdir(mode=0o700, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(folder / "maintenance.lock", flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(descriptor)
