"""Keeps the catalogue at the ledger head and turns its rows back into records.

Every answer is re-read from the ledger: a row only says where to look, and a row whose
blob is no longer what the ledger has is refreshed before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from memfs.errors import DataError
from memfs.formats.tombstone_codec import decode_tombstone
from memfs.index.catalogue import (
    Catalogue,
    CatalogueDamagedError,
    CatalogueEntry,
    TombstoneEntry,
)
from memfs.model.graph import ENTITY_KIND
from memfs.model.instants import format_instant
from memfs.model.record import Record, StoredRecord
from memfs.model.text import claim_fingerprint, normalise_text
from memfs.policy.closure import inputs_of
from memfs.policy.graph_links import called_keys, keys_of_entity, links_of_record, survivor_of
from memfs.services.ports import Workspace
from memfs.services.served_records import read_path, read_records, served_places
from memfs.store.layout import TOMBSTONE_FOLDER, is_record_path, is_tombstone_path
from memfs.store.snapshot import Snapshot

Along: TypeAlias = Callable[[Iterable[StoredRecord]], Iterator[StoredRecord]]
"""Passes records on as they come, and looks at them."""


def fingerprint_of(record: Record) -> str:
    """Returns what two records that say the same thing have in common."""
    return claim_fingerprint(
        record.kind,
        str(record.scope or ""),
        record.subject,
        record.title,
        record.said,
    )


def entry_from(stored: StoredRecord) -> CatalogueEntry:
    """Makes the catalogue row of one record."""
    record = stored.record
    return CatalogueEntry(
        path=stored.path,
        blob=stored.blob,
        id=record.id,
        kind=record.kind,
        status=str(record.status),
        scope=str(record.scope or ""),
        subject="" if _is_named_closely(record) else normalise_text(record.subject),
        fingerprint=fingerprint_of(record),
        source_digest=record.origin.digest if record.origin else "",
        title="" if record.sensitivity.is_opaque else record.title,
        version=record.version,
        observed=format_instant(record.observed) if record.observed else "",
        importance=record.importance,
        tags=f",{','.join(record.tags)}," if record.tags else "",
        inputs=tuple(source for source in inputs_of(record) if source != record.id),
        links=links_of_record(record, stored.path),
        keys=keys_of_entity(record),
        called=tuple(called_keys(record, stored.path).items()),
        survivor=survivor_of(record),
    )


def _is_named_closely(record: Record) -> bool:
    """Tells whether the subject of a record is a name that stands in no cache."""
    return record.kind == ENTITY_KIND and record.sensitivity.is_opaque


def _tombstones(snapshot: Snapshot, places: Iterable[tuple[str, str]]) -> Iterator[TombstoneEntry]:
    """Yields the marks of tombstones; one that cannot be read still bars the id of its name."""
    paths: dict[str, list[str]] = {}
    for path, blob in places:
        paths.setdefault(blob, []).append(path)
    for blob, content in snapshot.read_blobs(list(paths)):
        for path in paths[blob]:
            name = path.rpartition("/")[2].removesuffix(".json")
            try:
                marks = decode_tombstone(content, path).all_marks
            except DataError:
                marks = ()
            yield TombstoneEntry(path=path, marks=(*marks, *(() if name in marks else (name,))))


def bring_up_catalogue(
    workspace: Workspace, snapshot: Snapshot, known: Mapping[str, Record]
) -> None:
    """Brings the catalogue to ``snapshot`` after a batch, without reading back what it wrote.

    Nothing is lost where that fails: the next one who opens it brings it up.

    Args:
        workspace: The store.
        snapshot: The commit of the batch.
        known: What its new files say, by blob id, exactly as they read back.
    """
    with suppress(CatalogueDamagedError, OSError):
        _current(workspace, snapshot, workspace.cache_dir, known).close()


def open_catalogue(
    workspace: Workspace, snapshot: Snapshot, along: Along | None = None
) -> Catalogue:
    """Opens the catalogue and brings it to ``snapshot``; replaces a damaged one.

    The caller closes it. A record that cannot be read is left out, like everywhere else:
    ``check`` reports it. Where the cache folder cannot be written, the catalogue is made
    anew for this one answer: slow in a large store, and never wrong.

    Args:
        workspace: The store.
        snapshot: The commit.
        along: Looks at all records on their way where the catalogue has to be made anew.
    """
    try:
        return _current(workspace, snapshot, workspace.cache_dir, along=along)
    except CatalogueDamagedError:
        return _replaced(workspace, snapshot)
    except OSError:
        return passing_catalogue(workspace, snapshot)


def _replaced(workspace: Workspace, snapshot: Snapshot) -> Catalogue:
    """Makes a damaged catalogue anew; for this one answer where that fails too."""
    try:
        Catalogue.discard(workspace.cache_dir)
        return _current(workspace, snapshot, workspace.cache_dir)
    except (CatalogueDamagedError, OSError):
        return passing_catalogue(workspace, snapshot)


def passing_catalogue(workspace: Workspace, snapshot: Snapshot) -> Catalogue:
    """Makes a catalogue of any commit in a private folder that goes when the catalogue does.

    Every record file of that commit is read: there is no index of what is past.
    """
    import tempfile  # a machine that works never needs it
    import weakref

    folder = tempfile.TemporaryDirectory(prefix="memfs-")
    catalogue = _current(workspace, snapshot, Path(folder.name))
    weakref.finalize(catalogue, folder.cleanup)
    return catalogue


def _current(
    workspace: Workspace,
    snapshot: Snapshot,
    folder: Path,
    known: Mapping[str, Record] = MappingProxyType({}),
    along: Along | None = None,
) -> Catalogue:
    catalogue = Catalogue(folder)
    try:
        while not catalogue.pin(snapshot.commit):
            stamp = catalogue.stamp()
            if stamp != snapshot.commit:
                _advance(workspace, catalogue, snapshot, stamp, known, along)
    except BaseException:
        catalogue.close()
        raise
    return catalogue


def _advance(
    workspace: Workspace,
    catalogue: Catalogue,
    snapshot: Snapshot,
    stamp: str,
    known: Mapping[str, Record],
    along: Along | None,
) -> None:
    """Applies the difference from ``stamp``; changes nothing when another process was faster."""
    older = workspace.store.snapshot_or_none(stamp) if stamp else None
    if older is None:
        records = read_records(workspace, snapshot, served_places(snapshot))
        rows = map(entry_from, records if along is None else along(records))
        standing = snapshot.raw_entries(f"{TOMBSTONE_FOLDER}/")
        catalogue.apply(
            expected_stamp=stamp,
            stamp=snapshot.commit,
            removed=(),
            added=rows,
            tombstones=_tombstones(snapshot, ((entry.path, entry.blob) for entry in standing)),
            is_rebuild=True,
        )
        return
    changes = [
        change
        for change in snapshot.changes_since(older)
        if is_record_path(change.path) or is_tombstone_path(change.path)
    ]
    places = [(change.path, change.new) for change in changes if change.new]
    added = _read_or_known(
        workspace, snapshot, [place for place in places if is_record_path(place[0])], known
    )
    tombstones = [place for place in places if is_tombstone_path(place[0])]
    catalogue.apply(
        expected_stamp=stamp,
        stamp=snapshot.commit,
        removed=tuple(change.path for change in changes),
        added=(entry_from(stored) for stored in added),
        tombstones=_tombstones(snapshot, tombstones),
    )


def _read_or_known(
    workspace: Workspace,
    snapshot: Snapshot,
    places: Iterable[tuple[str, str]],
    known: Mapping[str, Record],
) -> Iterator[StoredRecord]:
    rest = []
    for path, blob in places:
        record = known.get(blob)
        if record is None:
            rest.append((path, blob))
        else:
            store = workspace.settings.store_id
            yield StoredRecord(record=record, path=path, blob=blob, store=store)
    yield from read_records(workspace, snapshot, rest)


def same_subject_entries(
    workspace: Workspace, catalogue: Catalogue, subject: str, scope: str
) -> tuple[CatalogueEntry, ...]:
    """Returns the rows of a subject in a scope; a file that names none is of the store's own."""
    rows = catalogue.by_subject(subject, scope)
    if scope and scope != str(workspace.scope):
        return rows
    other = "" if scope else str(workspace.scope)
    return (*rows, *catalogue.by_subject(subject, other))


def read_entries(
    workspace: Workspace, snapshot: Snapshot, entries: Iterable[CatalogueEntry]
) -> tuple[StoredRecord, ...]:
    """Re-reads the records of catalogue rows from the ledger, keeping their order."""
    found = (read_path(workspace, snapshot, entry.path) for entry in entries)
    return tuple(stored for stored in found if stored is not None)
