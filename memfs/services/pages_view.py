"""Whether the wiki pages beside the ledger are up to it, and whether anybody wrote in one.

What they were made from is noted in the private cache folder, with the newest change of their
files. A look costs a listing of the folders and reads no page; where nothing relates to anything
there are no pages, and it costs next to nothing. The note is disposable.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from memfs.model.frozen import frozen
from memfs.model.instants import format_instant, parse_instant
from memfs.model.values import JsonValue
from memfs.services.ports import Workspace
from memfs.services.view_notes import drop_note, read_note, rules_of, write_note
from memfs.store.layout import VIEWS_FOLDER
from memfs.store.snapshot import Snapshot

INDEX_NAME: Final = "index.md"
FOLDERS: Final = ("entities", "projects", "decisions", "months", "topics", "sources")
"""Below ``views/``: a folder for each type of page but the index."""
_ENTITIES: Final = "graph/entities"
_STAMP: Final = "pages.json"
_VERSION: Final = 1


@frozen
class PageStamp:
    """What the pages were made from.

    Attributes:
        rules: What decides beside the records who is served what.
        commit: Ledger head at that time.
        until: When the first of what they show expires; ``None`` for never.
        files: How many pages there are.
        changed: When the last of them was written, in nanoseconds, as the file system has it.
        folders: When a file came into each folder or left it, in the same way.
    """

    rules: str
    commit: str
    until: datetime | None
    files: int
    changed: int
    folders: tuple[int, ...]


def has_pages(snapshot: Snapshot) -> bool:
    """Tells whether there is anything to make pages of: they come with the first entity."""
    return bool(snapshot.folder_id(_ENTITIES))


def page_rules(workspace: Workspace, snapshot: Snapshot) -> str:
    """Returns what decides beside the records what is shown of them, as one string."""
    return f"{workspace.settings.project}.{rules_of(workspace, snapshot)}"


def are_pages_current(workspace: Workspace) -> bool:
    """Tells whether the pages are those of the ledger as it is, edited or not."""
    snapshot = workspace.store.snapshot()
    stamp = read_page_stamp(workspace)
    if stamp is None:
        return not has_pages(snapshot)
    if (stamp.commit, stamp.rules) != (snapshot.commit, page_rules(workspace, snapshot)):
        return False
    if stamp.until is not None and stamp.until <= workspace.clock.now():
        return False
    return folder_times(workspace) == stamp.folders or page_files(workspace)[0] == stamp.files


def may_be_edited(workspace: Workspace) -> bool:
    """Tells whether a page was touched since it was written; which one is not looked for."""
    stamp = read_page_stamp(workspace)
    if stamp is None:
        return has_pages(workspace.store.snapshot()) and page_files(workspace)[0] > 0
    return page_files(workspace)[1] > stamp.changed


def folder_times(workspace: Workspace) -> tuple[int, ...]:
    """Returns when a file came into each folder of pages or left it; 0 for no folder."""
    root = workspace.store.root / VIEWS_FOLDER
    times = []
    for name in ("", *FOLDERS):
        try:
            times.append((root / name).lstat().st_mtime_ns)
        except OSError:
            times.append(0)
    return tuple(times)


def page_files(workspace: Workspace) -> tuple[int, int]:
    """Returns how many pages lie there, and when the last of them changed."""
    changes = [changed for _, changed in _files(workspace)]
    return len(changes), max(changes, default=0)


def touched_pages(workspace: Workspace) -> tuple[str, ...]:
    """Returns the paths of pages that were touched since they were written, sorted."""
    stamp = read_page_stamp(workspace)
    since = stamp.changed if stamp is not None else -1
    return tuple(sorted(path for path, changed in _files(workspace) if changed > since))


def _files(workspace: Workspace) -> Iterator[tuple[str, int]]:
    """Yields the path of each page and when it changed; a file that goes meanwhile is none."""
    root = workspace.store.root / VIEWS_FOLDER
    for name in ("", *FOLDERS):
        folder = f"{VIEWS_FOLDER}/{name}/" if name else f"{VIEWS_FOLDER}/"
        with suppress(OSError), os.scandir(root / name) as entries:
            for entry in entries:
                if entry.name.endswith(".md") and (name or entry.name == INDEX_NAME):
                    # Apart from the listing: one that is gone must not hide those behind it.
                    with suppress(FileNotFoundError):
                        yield folder + entry.name, entry.stat(follow_symlinks=False).st_ctime_ns


def read_page_stamp(workspace: Workspace) -> PageStamp | None:
    """Returns what the pages were made from; ``None`` when nobody knows."""
    return read_note(workspace, _STAMP, _VERSION, _stamp_from)


def _stamp_from(value: Any) -> PageStamp:
    return PageStamp(
        rules=str(value["rules"]),
        commit=str(value["commit"]),
        until=parse_instant(value["until"]) if value["until"] else None,
        files=int(value["files"]),
        changed=int(value["changed"]),
        folders=tuple(map(int, value["folders"])),
    )


def write_page_stamp(
    workspace: Workspace,
    snapshot: Snapshot,
    *,
    until: datetime | None,
    changed: int | None = None,
) -> None:
    """Notes what the pages were made from, once they lie there.

    ``changed`` is from when on files are to be looked at again; by default only what changes
    from now on.
    """
    files, newest = page_files(workspace)
    stamp = PageStamp(
        rules=page_rules(workspace, snapshot),
        commit=snapshot.commit,
        until=until,
        files=files,
        changed=newest if changed is None else changed,
        folders=folder_times(workspace),
    )
    _write(workspace, stamp)


def _write(workspace: Workspace, stamp: PageStamp) -> None:
    values: dict[str, JsonValue] = {
        "rules": stamp.rules,
        "commit": stamp.commit,
        "until": format_instant(stamp.until) if stamp.until is not None else "",
        "files": stamp.files,
        "changed": stamp.changed,
        "folders": list(stamp.folders),
    }
    write_note(workspace, _STAMP, _VERSION, values)


def drop_page_stamp(workspace: Workspace) -> None:
    """Forgets what the pages were made from, so that they are made anew."""
    drop_note(workspace, _STAMP)


def note_looked(workspace: Workspace, changed: int) -> None:
    """Notes that every page that had changed by ``changed`` was looked at."""
    stamp = read_page_stamp(workspace)
    if stamp is not None and changed > stamp.changed:
        _write(workspace, replace(stamp, changed=changed))
