"""Reads records out of a snapshot: the one place where ledger bytes become records.

What cannot be read is left out here and named by ``check``. Imports nothing that a question
does not need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from memfs.errors import DataError
from memfs.formats.record_codec import read_record
from memfs.model.record import StoredRecord
from memfs.services.ports import Workspace
from memfs.store.layout import is_record_path
from memfs.store.snapshot import Snapshot

_FIRST_READ: Final = 24
_MOST_READ: Final = 384


def served_places(snapshot: Snapshot, folder: str = "") -> Iterator[tuple[str, str]]:
    """Yields path and blob of every served record file below a folder, ordered by path."""
    entries = snapshot.entries(f"{folder}/" if folder else "")
    return ((entry.path, entry.blob) for entry in entries if is_record_path(entry.path))


def read_records(
    workspace: Workspace, snapshot: Snapshot, places: Iterable[tuple[str, str]]
) -> Iterator[StoredRecord]:
    """Reads and decodes many records in one pass, in no particular order."""
    paths: dict[str, list[str]] = {}
    for path, blob in places:
        paths.setdefault(blob, []).append(path)
    for blob, content in snapshot.read_blobs(list(paths)):
        for path in paths[blob]:
            stored = record_from(workspace, path, blob, content)
            if stored is not None:
                yield stored


def read_paths(
    workspace: Workspace, snapshot: Snapshot, paths: Iterable[str]
) -> Iterator[StoredRecord]:
    """Reads the served records at ``paths`` in their order, some at a time: one is often enough.

    The first few are read together, then more and more, so that whoever stops early has read
    little and whoever goes on asks Git seldom.
    """
    rest, size = iter(paths), _FIRST_READ
    while places := [(path, snapshot.entry(path)) for path in islice(rest, size)]:
        contents = dict(snapshot.read_blobs([entry.blob for _, entry in places if entry]))
        for path, entry in places:
            content = contents.get(entry.blob) if entry is not None else None
            if entry is None or content is None:
                continue
            stored = record_from(workspace, path, entry.blob, content)
            if stored is not None:
                yield stored
        size = min(size * 2, _MOST_READ)


def read_strictly(
    workspace: Workspace, snapshot: Snapshot, paths: Iterable[str]
) -> Iterator[StoredRecord]:
    """Reads the served records at ``paths`` in their order, many at a time, and every one of them.

    Raises:
        ObjectMissingError: One cannot be found.
        ObjectCorruptError: One cannot be read; whoever decides on it must not take it for absent.
    """
    rest = iter(paths)
    while places := [(path, snapshot.entry(path)) for path in islice(rest, _MOST_READ)]:
        blobs = [entry.blob for _, entry in places if entry is not None]
        contents = dict(snapshot.read_blobs(blobs)) if len(blobs) > 1 else {}
        for path, entry in places:
            if entry is None:
                continue
            content = contents.get(entry.blob)
            if content is None:
                content = snapshot.read_blob(entry.blob)
            stored = record_from(workspace, path, entry.blob, content)
            if stored is not None:
                yield stored


def record_from(workspace: Workspace, path: str, blob: str, content: bytes) -> StoredRecord | None:
    """Decodes one file of the ledger; ``None`` when it is no readable record."""
    try:
        record = read_record(content, path=path, registry=workspace.registry)
    except DataError:
        return None
    return StoredRecord(record=record, path=path, blob=blob, store=workspace.settings.store_id)


def read_path(workspace: Workspace, snapshot: Snapshot, path: str) -> StoredRecord | None:
    """Reads the served record at ``path``; ``None`` when there is none."""
    entry = snapshot.entry(path)
    if entry is None:
        return None
    return record_from(workspace, path, entry.blob, snapshot.read_blob(entry.blob))
