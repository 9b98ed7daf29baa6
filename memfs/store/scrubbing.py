"""Takes words out of the working tree, where no commit has to follow (A61, A82).

Files are opened without following links and written whole. What the branch has just as it is
stays: the history decides about it, not this. A file that cannot be opened safely is reported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from memfs.errors import DataError
from memfs.model.digests import blob_id
from memfs.model.frozen import frozen
from memfs.store.files import atomic_write, open_root, read_file, remove_file
from memfs.store.histories import HistoryRewrite
from memfs.store.layout import UNTRACKED_FOLDERS
from memfs.store.snapshot import Snapshot


@frozen
class Scrubbed:
    """Paths that went, paths whose text was replaced, and paths that could not be looked at."""

    removed: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()


def scrub_working(root: Path, tip: Snapshot, wish: HistoryRewrite) -> Scrubbed:
    """Removes working files of what is erased and replaces its words in files of a person.

    Args:
        root: The store.
        tip: What the branch has; a file that is just that is left alone.
        wish: What goes. Files at its paths, or with an erased blob as content, go whole.
    """
    scrub = wish.scrub
    removed: list[str] = []
    replaced: list[str] = []
    closed: list[str] = []
    descriptor = open_root(root)
    try:
        for path in list(working_files(root)):
            if path.partition("/")[0] in UNTRACKED_FOLDERS:
                continue
            try:
                data = read_file(descriptor, path)
            except (DataError, OSError):
                closed.append(path)
                continue
            entry = tip.raw_entry(path)
            oid = blob_id(data or b"")
            if data is None or (entry is not None and entry.blob == oid):
                continue
            name = os.fsdecode(scrub.name(os.fsencode(path)))
            if os.fsencode(path) in wish.paths or oid in wish.blobs:
                remove_file(descriptor, path, durable=True)
                removed.append(path)
            elif (text := scrub.text(data)) != data or name != path:
                atomic_write(descriptor, name, text)
                if name != path:
                    remove_file(descriptor, path, durable=True)
                replaced.append(name)
    finally:
        os.close(descriptor)
    return Scrubbed(removed=tuple(removed), replaced=tuple(replaced), closed=tuple(closed))


def working_files(root: Path) -> Iterator[str]:
    """Yields every name below the root that is no folder, hidden ones too, but Git's own."""
    for folder, folders, names in os.walk(root, followlinks=False):
        if Path(folder) == root and ".git" in folders:
            folders.remove(".git")
        base = Path(folder).relative_to(root)
        for name in names:
            yield (base / name).as_posix()


def drop_empty_folders(root: Path, folder: str) -> None:
    """Removes folders below ``folder`` that hold nothing."""
    for place, _, _ in os.walk(root / folder, topdown=False, followlinks=False):
        try:
            Path(place).rmdir()
        except OSError:
            continue
