"""Gathers what policy must see before it can decide on one submission."""

from __future__ import annotations

from collections.abc import Mapping

from memfs.index.catalogue import Catalogue
from memfs.model.candidate import Submission
from memfs.model.digests import content_digest
from memfs.model.origin import Principal
from memfs.model.record import Record, StoredRecord
from memfs.policy.admission import AdmissionView
from memfs.services.catalogue import fingerprint_of, read_entries
from memfs.services.ports import Workspace
from memfs.services.proposals import evidence_ids
from memfs.services.served_records import read_path
from memfs.store.layout import TOMBSTONE_FOLDER
from memfs.store.snapshot import Snapshot


def tombstone_fingerprint(workspace: Workspace, record: Record) -> str:
    """Returns the content-free mark that a forgotten claim leaves behind.

    It is keyed by the store, so that a tombstone tells nobody outside what was forgotten.
    """
    return _tombstone_digest(workspace, fingerprint_of(record))


def _tombstone_digest(workspace: Workspace, fingerprint: str) -> str:
    return content_digest("tombstone", f"{workspace.store_id}\0{fingerprint}".encode())


def tombstone_name(fingerprint: str) -> str:
    """Returns the store-relative path of the tombstone with that fingerprint."""
    return f"{TOMBSTONE_FOLDER}/{fingerprint.rsplit(':', 1)[1][:40]}.json"


def admission_view(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    submission: Submission,
    *,
    fingerprint: str,
    waiting: int = 0,
    reviewer: Principal | None = None,
) -> AdmissionView:
    """Reads everything of the ledger that bears on ``submission``; reads nothing else.

    ``fingerprint`` is that of its draft (see ``catalogue.fingerprint_of``).
    """
    draft = submission.draft
    scope = str(draft.scope or "")
    mark = _tombstone_digest(workspace, fingerprint)
    return AdmissionView(
        same_subject=read_entries(workspace, snapshot, catalogue.by_subject(draft.subject, scope)),
        same_content=read_entries(workspace, snapshot, catalogue.by_fingerprint(fingerprint)),
        target=_target(workspace, snapshot, catalogue, submission.target),
        evidence=_evidence(workspace, snapshot, catalogue, submission),
        tombstoned=frozenset({fingerprint})
        if snapshot.entry(tombstone_name(mark)) is not None
        else frozenset(),
        waiting=waiting,
        reviewer=reviewer,
        project=workspace.scope,
    )


def _target(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, identifier: str
) -> StoredRecord | None:
    entries = catalogue.by_id(identifier) if identifier else ()
    return read_path(workspace, snapshot, entries[0].path) if entries else None


def _evidence(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, submission: Submission
) -> Mapping[str, Record]:
    found: dict[str, Record] = {}
    for identifier in evidence_ids(submission):
        for stored in read_entries(workspace, snapshot, catalogue.by_id(identifier)):
            found[identifier] = stored.record
    return found
