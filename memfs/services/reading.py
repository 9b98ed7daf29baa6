"""Reading records by reference: show, list, history and diff, all through the read gate.

A reference is a full id, ``id@version``, the last characters of an id (four or more), or
the path of a file. Several matches are an error that lists them, never a guess.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from memfs.errors import AccessError, ConflictError
from memfs.formats.record_codec import read_record
from memfs.index.catalogue import Catalogue, CatalogueEntry, CatalogueFilter
from memfs.model.frozen import frozen
from memfs.model.ids import CommitId, is_id, split_version
from memfs.model.operation import Commit
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.policy.access import AccessRequest
from memfs.policy.masking import visible_stored
from memfs.services.catalogue import open_catalogue
from memfs.services.edge_ends import has_hidden_end
from memfs.services.gate import access_request
from memfs.services.inbox import unified_diff
from memfs.services.links import with_open_links
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.served_records import read_paths, record_from
from memfs.store.layout import is_record_path
from memfs.store.snapshot import Snapshot

SUFFIX_LENGTH: Final = 4
_SUCCESSORS: Final = 64


_NO_PIPE: Final = (
    "a person is known by a terminal on both ends: run it without a pipe, or read the file's "
    "own history with git log"
)


class UnknownRecordError(ConflictError):
    """No record matches, or none that this actor may see: the two are not told apart."""

    code = "conflict.unknown-record"


class AmbiguousRecordError(ConflictError):
    """Several records match; the message lists them."""

    code = "conflict.ambiguous-record"


class UnknownVersionError(ConflictError):
    """The record has no such version."""

    code = "conflict.unknown-version"


class MayNotReadError(AccessError):
    """The actor may not see how a record came about."""

    code = "access.history-needs-person"


@frozen
class Version:
    """One version of a record with the commit that made it."""

    version: int
    commit: Commit
    content: bytes


def find_record(
    workspace: Workspace,
    snapshot: Snapshot,
    reference: str,
    request: AccessRequest,
) -> StoredRecord:
    """Finds the one record that ``reference`` names and that the reader may see.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        AmbiguousRecordError: More than one does.
    """
    name, _ = split_version(reference.strip())
    catalogue = open_catalogue(workspace, snapshot)
    try:
        entries = named_entries(catalogue, name)
    finally:
        catalogue.close()
    rows = served_from(workspace, snapshot, entries, request)
    # A path is made of a title: who may not see the title confirms nothing by guessing it.
    found = [stored for stored in rows if stored.path or not _is_path(name)]
    if not found:
        raise UnknownRecordError(
            f"no record matches {reference!r}", hint="see: memfs list, memfs search"
        )
    if len(found) > 1:
        names = ", ".join(stored.record.id for stored in found)
        raise AmbiguousRecordError(
            f"{reference!r} matches several records: {names}", hint="give more of the id"
        )
    return found[0]


def named_entries(catalogue: Catalogue, name: str) -> tuple[CatalogueEntry, ...]:
    """Returns the rows that a reference without its version may mean, in any state."""
    if is_id(name):
        return catalogue.by_id(name)
    if _is_path(name):
        entry = catalogue.by_path(name.removeprefix(".memfs/"))
        return (entry,) if entry else ()
    if len(name) < SUFFIX_LENGTH:
        return ()
    return catalogue.by_suffix(name.lower())


def _is_path(name: str) -> bool:
    return is_record_path(name.removeprefix(".memfs/"))


def show(workspace: Workspace, reference: str, actor: Actor) -> StoredRecord:
    """Returns the record that ``reference`` names, as the ledger has it.

    A person who asks for a replaced record gets the newest one that stands in its place, and
    with ``id@version`` exactly that version.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        AmbiguousRecordError: More than one does.
        UnknownVersionError: ``id@version`` names a version that never was.
    """
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor, is_history=actor.is_person)
    stored = find_record(workspace, snapshot, reference, request)
    _, version = split_version(reference.strip())
    if version is not None:
        is_current = version == stored.record.version
        return stored if is_current else _older(workspace, stored, version, request)
    return _newest(workspace, snapshot, stored, request)


def _newest(
    workspace: Workspace, snapshot: Snapshot, stored: StoredRecord, request: AccessRequest
) -> StoredRecord:
    """Follows ``superseded_by`` to its end; a cycle or a gap ends it where it is."""
    seen = {stored.record.id}
    for _ in range(_SUCCESSORS):
        successor = stored.record.superseded_by
        if not successor or successor in seen:
            return stored
        try:
            stored = find_record(workspace, snapshot, successor, request)
        except UnknownRecordError:
            return stored
        seen.add(successor)
    return stored


def _older(
    workspace: Workspace, stored: StoredRecord, version: int, request: AccessRequest
) -> StoredRecord:
    if not request.actor.is_person:
        raise MayNotReadError(
            f"expected a person to read an older version, got {request.actor}", hint=_NO_PIPE
        )
    for item in versions(workspace, stored):
        if item.version == version:
            record = read_record(item.content, path=stored.path, registry=workspace.registry)
            return replace(stored, record=record)
    raise UnknownVersionError(
        f"{stored.record.id} has no version {version}",
        hint=f"see: memfs history {stored.record.id}",
    )


def list_records(
    workspace: Workspace,
    actor: Actor,
    *,
    kinds: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    limit: int = 0,
) -> tuple[StoredRecord, ...]:
    """Lists what the actor may see, newest first, ties by id.

    Args:
        workspace: The store.
        actor: Who reads.
        kinds: Kinds to list; empty for every kind of claim.
        tags: All of these must be present.
        limit: At most so many; 0 for all.
    """
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    wanted = kinds or tuple(kind.name for kind in workspace.registry if kind.is_claim)
    catalogue = open_catalogue(workspace, snapshot)
    try:
        rows = catalogue.listing(CatalogueFilter(kinds=wanted, tags=tags))
        served = served_from(workspace, snapshot, rows, request)
        # Of a record that is seen in part, a tag that is hidden finds nothing.
        tagged = (item for item in served if set(tags) <= set(item.record.tags))
        return tuple(itertools.islice(tagged, limit or None))
    finally:
        catalogue.close()


def served_from(
    workspace: Workspace,
    snapshot: Snapshot,
    rows: Iterable[CatalogueEntry],
    request: AccessRequest,
) -> Iterator[StoredRecord]:
    """Yields what ``request`` may see of the records behind catalogue rows, and no more of it."""
    return served_at(workspace, snapshot, (row.path for row in rows), request)


def served_at(
    workspace: Workspace, snapshot: Snapshot, paths: Iterable[str], request: AccessRequest
) -> Iterator[StoredRecord]:
    """Yields what ``request`` may see of the records at some paths, in their order."""
    for stored in read_paths(workspace, snapshot, paths):
        seen = visible_stored(stored, request)
        if not seen or has_hidden_end(workspace, snapshot, stored.record, request):
            continue
        if not rests_on_off_source(workspace, snapshot, stored.record, request):
            yield with_open_links(workspace, snapshot, seen, request)


def history(workspace: Workspace, reference: str, actor: Actor) -> tuple[Commit, ...]:
    """Returns the commits that made or changed a record, newest first.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        MayNotReadError: The actor is not a person.
    """
    stored = _for_history(workspace, reference, actor)
    return workspace.store.history(stored.path)


def _for_history(workspace: Workspace, reference: str, actor: Actor) -> StoredRecord:
    require_history(actor)
    request = access_request(workspace, actor, is_history=True)
    return find_record(workspace, workspace.store.snapshot(), reference, request)


def require_history(actor: Actor) -> None:
    """Lets a person alone see how records came about.

    Raises:
        MayNotReadError: The actor is none.
    """
    if not actor.is_person:
        raise MayNotReadError(f"expected a person to read a history, got {actor}", hint=_NO_PIPE)


def versions(workspace: Workspace, stored: StoredRecord) -> tuple[Version, ...]:
    """Returns the admitted versions of a record, newest first.

    A commit that memfs did not make is not a version: nobody admitted it.
    """
    found: list[Version] = []
    for item in workspace.store.file_versions(stored.path):
        commit = item.commit
        if not commit.is_operation:
            continue
        snapshot = workspace.store.snapshot(CommitId(commit.id))
        content = snapshot.read(item.path)
        if content is None:
            continue
        record = _decoded(workspace, item.path, content)
        if record is not None and not any(item.version == record.version for item in found):
            found.append(Version(version=record.version, commit=commit, content=content))
    return tuple(found)


def _decoded(workspace: Workspace, path: str, content: bytes) -> Record | None:
    stored = record_from(workspace, path, "", content)
    return stored.record if stored else None


def diff(
    workspace: Workspace, reference: str, actor: Actor, older: int | None, newer: int | None
) -> str:
    """Returns a unified diff between two versions; by default the last two.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        UnknownVersionError: One of the versions never was.
        MayNotReadError: The actor is not a person.
    """
    stored = _for_history(workspace, reference, actor)
    found = {item.version: item.content for item in versions(workspace, stored)}
    latest = newer if newer is not None else stored.record.version
    first = older if older is not None else latest - 1
    missing = [number for number in (first, latest) if number not in found and number != 0]
    if missing:
        raise UnknownVersionError(
            f"{stored.record.id} has no version {missing[0]}",
            hint=f"see: memfs history {stored.record.id}",
        )
    return unified_diff(found.get(first, b""), found.get(latest, b""), stored.path)
