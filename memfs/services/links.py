"""Links of a record as one reader may see them.

A link names another record. A program that may not see that record does not learn that it is
there: neither from a link to it nor from a link to something that never was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from memfs.model.ids import split_version
from memfs.model.origin import Origin
from memfs.model.record import Record, StoredRecord
from memfs.policy.access import AccessRequest, read_right
from memfs.policy.publication import published_reference, without_reference
from memfs.services.ports import Workspace
from memfs.services.served_records import record_from
from memfs.store.snapshot import Snapshot


def with_open_links(
    workspace: Workspace, snapshot: Snapshot, stored: StoredRecord, request: AccessRequest
) -> StoredRecord:
    """Returns ``stored`` with the links that ``request`` has a right to follow."""
    record = stored.record
    if request.is_trusted_reader or not _has_links(record):
        return stored

    def is_open(reference: str) -> bool:
        return _is_open(workspace, snapshot, split_version(reference)[0], request)

    def opened(references: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(item for item in references if is_open(item))

    successor = record.superseded_by
    return replace(
        stored,
        record=replace(
            record,
            evidence=opened(record.evidence),
            derived_from=opened(record.derived_from),
            supersedes=opened(record.supersedes),
            conflicts=opened(record.conflicts),
            superseded_by=successor if successor and is_open(successor) else "",
            origin=_opened_origin(record.origin, is_open),
        ),
    )


def _opened_origin(origin: Origin | None, is_open: Callable[[str], bool]) -> Origin | None:
    """A published claim keeps the store that it came from, and the record only for who sees it."""
    source = published_reference(origin)
    if origin is None or not source or is_open(source):
        return origin
    return without_reference(origin)


def _has_links(record: Record) -> bool:
    return bool(
        record.evidence
        or record.derived_from
        or record.supersedes
        or record.superseded_by
        or record.conflicts
        or published_reference(record.origin)
    )


def _is_open(
    workspace: Workspace, snapshot: Snapshot, identifier: str, request: AccessRequest
) -> bool:
    for entry in snapshot.find_suffix(identifier):
        found = record_from(workspace, entry.path, entry.blob, snapshot.read_blob(entry.blob))
        if found is not None and found.record.id == identifier:
            # Where the reader asked for one namespace, a link may lead into another of theirs.
            return read_right(found.record, replace(request, scopes=())).allowed
    return False
