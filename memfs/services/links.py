"""Links of a record as one reader may see them.

A link names another record. A program that may not see that record does not learn that it is
there: neither from a link to it nor from a link to something that never was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from memfs.model.graph import EDGE_KIND
from memfs.model.ids import ENTITY_PREFIX, is_id, split_version
from memfs.model.origin import Origin
from memfs.model.record import Record, StoredRecord
from memfs.model.values import JsonValue
from memfs.policy.access import AccessRequest, read_right
from memfs.policy.masking import masked, visible_stored
from memfs.policy.publication import published_reference, without_reference
from memfs.policy.withdrawal import is_withdrawn
from memfs.services.ports import Workspace
from memfs.services.served_records import read_path, record_from
from memfs.store.snapshot import Snapshot

_IN_SPITE_OF: Final = "forced"
"""The field of a node that lists nodes which are like it, or say the opposite."""


def still_open(
    workspace: Workspace,
    head: Snapshot,
    stored: StoredRecord,
    seen: StoredRecord,
    request: AccessRequest,
) -> StoredRecord | None:
    """Returns what may be told today of a record as it was: nothing withdrawn or closed since.

    Args:
        workspace: The store.
        head: The ledger as it is now.
        stored: The record as it was.
        seen: What the request may see of that.
        request: Who asks.
    """
    now = read_path(workspace, head, stored.path)
    if now is None or is_withdrawn(now.record):
        return None
    right = read_right(now.record, request)
    if not right.allowed:
        return None
    if right.shown is None:
        return seen
    return replace(seen, record=masked(seen.record, right.shown).record, path="", blob="")


def with_open_links(
    workspace: Workspace,
    snapshot: Snapshot,
    stored: StoredRecord,
    request: AccessRequest,
    *,
    head: Snapshot | None = None,
) -> StoredRecord:
    """Returns ``stored`` with the links that ``request`` has a right to follow.

    Of what says otherwise only that is named which answers for the moment that is asked about,
    for a person too: elsewhere it contradicts nothing.

    Args:
        workspace: The store.
        snapshot: The ledger that ``stored`` was read from.
        stored: The record as it may be seen.
        request: Who asks, and about which moment.
        head: The ledger as it is now, where ``snapshot`` is of the past.
    """
    record = stored.record
    if record.conflicts and not (request.is_history and request.is_trusted_reader):
        conflicts = tuple(
            item
            for item in record.conflicts
            if _is_answering(workspace, snapshot, split_version(item)[0], request, head)
        )
        record = replace(record, conflicts=conflicts)
        stored = replace(stored, record=record)
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
            superseded_by=successor if successor and is_open(successor) else "",
            # The id of an entity follows from its name: it would confirm a name that is guessed.
            entities=tuple(
                name for name in record.entities if not is_id(name, ENTITY_PREFIX) or is_open(name)
            ),
            origin=_opened_origin(record.origin, is_open),
            fields=_opened_fields(record, is_open),
        ),
    )


def _opened_fields(record: Record, is_open: Callable[[str], bool]) -> Mapping[str, JsonValue]:
    """What a node was saved in spite of says that something nearly the same is there."""
    forced = record.fields.get(_IN_SPITE_OF)
    if not isinstance(forced, list | tuple):
        return record.fields
    kept = [name for name in forced if not is_id(str(name)) or is_open(str(name))]
    left = {name: value for name, value in record.fields.items() if name != _IN_SPITE_OF}
    return {**left, _IN_SPITE_OF: kept} if kept else left


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
        or any(is_id(name, ENTITY_PREFIX) for name in record.entities)
        or published_reference(record.origin)
        or _IN_SPITE_OF in record.fields
    )


def _is_open(
    workspace: Workspace, snapshot: Snapshot, identifier: str, request: AccessRequest
) -> bool:
    found = _named(workspace, snapshot, identifier)
    # Where the reader asked for one namespace, a link may lead into another of theirs.
    if found is None or not read_right(found.record, replace(request, scopes=())).allowed:
        return False
    if found.record.kind != EDGE_KIND:
        return True
    from memfs.services.edge_ends import has_hidden_end  # hardly any link leads to an edge

    return not has_hidden_end(workspace, snapshot, found.record, request)


def _is_answering(
    workspace: Workspace,
    snapshot: Snapshot,
    identifier: str,
    request: AccessRequest,
    head: Snapshot | None,
) -> bool:
    found = _named(workspace, snapshot, identifier)
    asked = replace(request, scopes=())
    seen = visible_stored(found, asked) if found is not None else None
    if found is None or seen is None or head is None:
        return seen is not None
    return still_open(workspace, head, found, seen, asked) is not None


def _named(workspace: Workspace, snapshot: Snapshot, identifier: str) -> StoredRecord | None:
    for entry in snapshot.find_suffix(identifier):
        found = record_from(workspace, entry.path, entry.blob, snapshot.read_blob(entry.blob))
        if found is not None and found.record.id == identifier:
            return found
    return None
