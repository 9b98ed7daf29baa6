"""Finds the issue that is meant: by its key, its id, the end of its id, its file or its title.

An issue that its seeker may not see is not found, and does not stand in the way of one of the
same name: what is opened then is another issue (A9).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from memfs.domains.runs.issue_key import issue_id, issue_key, tracker_key
from memfs.errors import ConflictError
from memfs.index.catalogue import Catalogue
from memfs.model.issue import ISSUE_KIND
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.policy.access import AccessRequest, may_read, read_right
from memfs.services.catalogue import read_entries
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.proposals import HeldRecordError, kind_of
from memfs.services.reading import AmbiguousRecordError, UnknownRecordError, named_entries
from memfs.store.layout import hold_path, record_path
from memfs.store.snapshot import Snapshot

_ATTEMPTS: Final = 16


class UnknownIssueError(UnknownRecordError):
    """No issue matches, or none that this actor may see: the two are not told apart."""

    code = "conflict.unknown-issue"


class IssueUnwritableError(ConflictError):
    """Nothing can be added to the file of an issue: it is sealed, or says it in an odd way."""

    code = "conflict.issue-unwritable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the issue of a key stands, or is to stand.

    Attributes:
        id: ``iss_…``.
        stored: The issue as admitted, whole; ``None`` where there is none yet.
    """

    id: str
    stored: StoredRecord | None = None


def issue_path(workspace: Workspace, identifier: str, key: str) -> str:
    """Returns where the issue with an id and a key stands: it follows from them alone."""
    record = Record(kind=ISSUE_KIND, id=identifier, title=key, subject=key)
    return record_path(kind_of(workspace, record), record, "", {})


def place_of_key(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, key: str, actor: Actor
) -> Place:
    """Returns where the issue of a key stands for ``actor``.

    Raises:
        HeldRecordError: A commit made by hand put a file there; a person decides on it first.
    """
    request = access_request(workspace, actor)
    identifier = ""
    for attempt in range(_ATTEMPTS):
        identifier = issue_id(workspace.store_id, key, attempt=attempt)
        stored = _by_id(workspace, snapshot, catalogue, identifier)
        if stored is not None:
            if read_right(stored.record, request).is_whole:
                return Place(id=identifier, stored=stored)
            continue
        path = issue_path(workspace, identifier, key)
        if snapshot.raw_entry(path) is None:
            return Place(id=identifier)
        if snapshot.raw_entry(hold_path(path)) is not None:
            raise HeldRecordError(
                "expected the issue to be free, got a commit made by hand that waits",
                hint="decide on it first: memfs review",
                path=path,
            )
    return Place(id=workspace.ids.new_id(kind_of(workspace, Record(kind=ISSUE_KIND)).id_prefix))


def find_issue(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    reference: str,
    actor: Actor,
) -> StoredRecord:
    """Finds the one issue that ``reference`` names and that ``actor`` may see whole.

    Args:
        workspace: The store.
        snapshot: Served records.
        catalogue: Open at ``snapshot``.
        reference: An id, the end of one, the path of a file, a title, or the id that a tracker
            gave it.
        actor: Who asks.

    Raises:
        UnknownIssueError: None matches.
        AmbiguousRecordError: Several ids end so.
    """
    name = reference.strip()
    request = access_request(workspace, actor)
    rows = [row for row in named_entries(catalogue, name) if row.kind == ISSUE_KIND]
    found = _seen(read_entries(workspace, snapshot, rows), request)
    for key in (issue_key(name), tracker_key(name)):
        for attempt in range(_ATTEMPTS if not found and name else 0):
            identifier = issue_id(workspace.store_id, key, attempt=attempt)
            stored = _by_id(workspace, snapshot, catalogue, identifier)
            if stored is None:
                break
            found = found or _seen((stored,), request)
    if not found:
        raise UnknownIssueError(f"no issue matches {reference!r}", hint="see: memfs issue list")
    if len(found) > 1:
        names = ", ".join(stored.record.id for stored in found)
        raise AmbiguousRecordError(
            f"{reference!r} matches several issues: {names}", hint="give more of the id"
        )
    return found[0]


def _by_id(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, identifier: str
) -> StoredRecord | None:
    rows = [row for row in catalogue.by_id(identifier) if row.kind == ISSUE_KIND]
    read = read_entries(workspace, snapshot, rows)
    return read[0] if read else None


def _seen(found: tuple[StoredRecord, ...], request: AccessRequest) -> tuple[StoredRecord, ...]:
    return tuple(stored for stored in found if may_read(stored.record, request).is_whole)
