"""What Git and memfs keep by commit id or by name beside the history, and how it goes.

All of it is either made again by itself or of no use once the history was rewritten. Nothing
here is a record, a ref or an object that anything leads to.
"""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import Final

from memfs.store.stamps import TABLE_PATH

_DRAFTS: Final = ("COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG", "TAG_EDITMSG", "NOTES_EDITMSG")
_LEAVINGS: Final = (
    *_DRAFTS,
    "FETCH_HEAD",
    "ORIG_HEAD",
    "AUTO_MERGE",
    "gc.log",
    "shallow",
    "filter-repo",
    "lost-found",
    "info/refs",
    "info/grafts",
    "rr-cache",
    "objects/info/packs",
    "objects/info/commit-graph",
    "objects/info/commit-graphs",
    "objects/info/alternates",
    "objects/pack/multi-pack-index",
    "memfs/keys",
    TABLE_PATH,
)
"""Names relative to the Git directory."""


def drop_logs(git_dir: Path) -> None:
    """Removes every ref's log."""
    shutil.rmtree(git_dir / "logs", ignore_errors=True)


def drop_leavings(git_dir: Path) -> None:
    """Removes what names old commits or repeats what was said in them."""
    for name in _LEAVINGS:
        place = git_dir / name
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink(missing_ok=True)
    for shared in git_dir.glob("sharedindex.*"):
        shared.unlink(missing_ok=True)


def drop_words(git_dir: Path) -> None:
    """Removes what repeats words or names of files and is made again when it is needed.

    The caller holds the write lock, and nothing is left to recover.
    """
    for name in (*_DRAFTS, "memfs/intent", TABLE_PATH):
        (git_dir / name).unlink(missing_ok=True)


def drop_packs_of_the_dead(git_dir: Path) -> None:
    """Removes marks that keep packs for ever, bitmaps, and half-written files of dead processes.

    The caller knows that no process is packing.
    """
    folder = git_dir / "objects" / "pack"
    for pattern in ("*.keep", "*.promisor", "*.bitmap", "multi-pack-index*", "tmp_*", ".tmp-*"):
        for path in folder.glob(pattern):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
    for path in (git_dir / "objects").glob("??/tmp_obj_*"):
        path.unlink(missing_ok=True)
