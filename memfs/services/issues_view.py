"""Whether the list of issues beside the ledger is up to it: two small looks, no record read.

What the view was made from is noted in the private cache folder. The note is disposable; without
it the view is made anew.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from memfs.errors import DataError
from memfs.model.frozen import frozen
from memfs.services.ports import Workspace
from memfs.store.layout import HOLD_FOLDER
from memfs.store.snapshot import Snapshot

ISSUES_VIEW: Final = "views/issues.jsonl"
ISSUES_FOLDER: Final = "issues"
_RULES: Final = ("pollution", HOLD_FOLDER)
_STAMP: Final = "issues-view"


@frozen
class ViewStamp:
    """What a view was made from.

    Attributes:
        folder: Id of the folder of issues; ``-`` for none.
        rules: What decides beside it who is served what.
        commit: Ledger head at that time.
        digest: Of the file as it was written.
    """

    folder: str
    rules: str
    commit: str
    digest: str = ""


def stamp_of(workspace: Workspace, snapshot: Snapshot) -> ViewStamp:
    """Returns what a view made now is made from, without the digest of its file."""
    rules = (snapshot.folder_id(folder)[:16] or "-" for folder in _RULES)
    return ViewStamp(
        folder=snapshot.folder_id(ISSUES_FOLDER) or "-",
        rules=f"1.{workspace.settings.mode}.{'.'.join(rules)}",
        commit=snapshot.commit,
    )


def is_view_current(workspace: Workspace) -> bool:
    """Tells whether the view lies there as it was written, from the issues as they are."""
    now = stamp_of(workspace, workspace.store.snapshot())
    kept = read_stamp(workspace)
    if kept is None:
        return now.folder == "-"
    is_same = (kept.folder, kept.rules) == (now.folder, now.rules)
    return is_same and kept.digest == view_digest(workspace)


def read_stamp(workspace: Workspace) -> ViewStamp | None:
    """Returns what the view was made from; ``None`` when nobody knows."""
    try:
        text = (workspace.cache_dir / _STAMP).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None
    parts = text.strip("\n").split(" ")
    if len(parts) != len(ViewStamp.__dataclass_fields__):
        return None
    folder, rules, commit, digest = parts
    return ViewStamp(folder=folder, rules=rules, commit=commit, digest=digest)


def write_stamp(workspace: Workspace, stamp: ViewStamp) -> None:
    """Notes what the view was made from, once it lies there."""
    words = (stamp.folder, stamp.rules, stamp.commit, view_digest(workspace))
    with suppress(OSError):
        workspace.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        (workspace.cache_dir / _STAMP).write_text(" ".join(words) + "\n", encoding="ascii")


def drop_stamp(workspace: Workspace) -> None:
    """Forgets what the view was made from, so that it is made anew."""
    with suppress(OSError):
        (workspace.cache_dir / _STAMP).unlink()


def view_digest(workspace: Workspace) -> str:
    """Returns the digest of the view as it lies there; ``-`` for none."""
    try:
        return workspace.store.working_digest(ISSUES_VIEW) or "-"
    except DataError:
        return "-"
