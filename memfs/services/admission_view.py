"""Gathers what policy must see before it can decide on one submission."""

from __future__ import annotations

from collections.abc import Mapping

from memfs.index.catalogue import Catalogue
from memfs.model.candidate import Submission
from memfs.model.origin import Principal
from memfs.model.record import Record, StoredRecord
from memfs.policy.admission import AdmissionView
from memfs.services.catalogue import read_entries
from memfs.services.ports import Workspace
from memfs.services.proposals import evidence_ids
from memfs.services.served_records import read_path
from memfs.services.tombstones import is_barred
from memfs.store.snapshot import Snapshot


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
    evidence = _evidence(workspace, snapshot, catalogue, submission)
    is_gone = is_barred(
        workspace, catalogue, submission, fingerprint=fingerprint, evidence=evidence
    )
    return AdmissionView(
        same_subject=read_entries(workspace, snapshot, catalogue.by_subject(draft.subject, scope)),
        same_content=read_entries(workspace, snapshot, catalogue.by_fingerprint(fingerprint)),
        target=_target(workspace, snapshot, catalogue, submission.target),
        evidence=evidence,
        tombstoned=frozenset({fingerprint}) if is_gone else frozenset(),
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
