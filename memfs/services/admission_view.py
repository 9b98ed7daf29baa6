"""Gathers what policy must see before it can decide on one submission."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from itertools import takewhile
from types import MappingProxyType
from typing import Final

from memfs.index.catalogue import Catalogue, CatalogueEntry, CatalogueFilter
from memfs.model.authority import Sensitivity
from memfs.model.candidate import Submission
from memfs.model.evidence import EVIDENCE_KIND, EXCERPT_KIND
from memfs.model.graph import ENTITY_KIND
from memfs.model.ids import split_version
from memfs.model.instants import format_instant
from memfs.model.kinds import Filing
from memfs.model.limits import CAPTURES_A_DAY, WORK_A_DAY
from memfs.model.origin import Principal
from memfs.model.record import Record, StoredRecord
from memfs.model.role import PROFILE_FOLDERS, ROLE_KIND, profile_of
from memfs.policy.admission import AdmissionView
from memfs.policy.graph_links import keys_of_entity
from memfs.policy.promotion import WORK_KINDS
from memfs.policy.relations import joined_by
from memfs.policy.verification import Verification
from memfs.services.catalogue import read_entries, same_subject_entries
from memfs.services.gate import polluted_namespaces
from memfs.services.ports import Workspace
from memfs.services.proposals import evidence_ids
from memfs.services.served_records import read_path
from memfs.services.tombstones import is_barred
from memfs.store.snapshot import Snapshot

NOTHING_PLANNED: Final[Mapping[str, Record]] = MappingProxyType({})
_DAY: Final = timedelta(days=1)


def admission_view(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    submission: Submission,
    *,
    fingerprint: str,
    waiting: int = 0,
    reviewer: Principal | None = None,
    planned: Mapping[str, Record] = NOTHING_PLANNED,
) -> AdmissionView:
    """Reads everything of the ledger that bears on ``submission``; reads nothing else.

    ``fingerprint`` is that of its draft (see ``catalogue.fingerprint_of``), ``planned`` what goes
    into the ledger with it.
    """
    draft = submission.draft
    scope = str(draft.scope or "")
    evidence = _cited(workspace, snapshot, catalogue, submission, planned)
    is_compared = not _is_filed_under_another(workspace, draft)
    alike = catalogue.by_fingerprint(fingerprint) if is_compared else ()
    rivals = _rivals(workspace, catalogue, draft, scope, is_compared=is_compared)
    same_content = read_entries(workspace, snapshot, alike)
    is_gone = is_barred(
        workspace, catalogue, submission, fingerprint=fingerprint, evidence=evidence
    )
    return AdmissionView(
        same_subject=read_entries(workspace, snapshot, rivals),
        same_content=same_content,
        target=_target(workspace, snapshot, catalogue, submission.target),
        evidence=evidence,
        bearers=_bearers(workspace, snapshot, catalogue, draft, planned),
        ends=_ends(workspace, snapshot, catalogue, draft, planned),
        excerpts=_excerpts(workspace, snapshot, catalogue, evidence),
        support={
            stored.record.id: tuple(
                _evidence(workspace, snapshot, catalogue, _ids(stored.record.evidence)).values()
            )
            for stored in same_content
        },
        polluted=polluted_namespaces(workspace, snapshot),
        captured=_captured(workspace, snapshot, catalogue, submission),
        verifications=_verifications(workspace, submission, evidence),
        tombstoned=frozenset({fingerprint}) if is_gone else frozenset(),
        waiting=waiting,
        reviewer=reviewer,
        project=workspace.scope,
        can_seal=draft.sensitivity is Sensitivity.SEALED and _can_seal(workspace),
    )


def _rivals(
    workspace: Workspace, catalogue: Catalogue, draft: Record, scope: str, *, is_compared: bool
) -> tuple[CatalogueEntry, ...]:
    """Finds what a draft may speak against, or stand in the place of."""
    alike = same_subject_entries(workspace, catalogue, draft.subject, scope) if is_compared else ()
    profile = profile_of(draft) if draft.kind == ROLE_KIND else None
    if profile is not None:
        # Of role memory only what plays the same part says the same, and nothing speaks against
        # it; a target may have thousands of memories.
        part = f"/{PROFILE_FOLDERS[profile]}/"
        alike = tuple(row for row in alike if part in row.path)
    replaced = (row for name in _ids(draft.supersedes) for row in catalogue.by_id(name))
    own = catalogue.by_id(draft.id) if draft.kind == ENTITY_KIND and draft.id else ()
    return (*alike, *replaced, *own)


def _cited(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    submission: Submission,
    planned: Mapping[str, Record],
) -> Mapping[str, Record]:
    """Finds what a draft rests on; what goes into the ledger with it is there already."""
    cited = evidence_ids(submission)
    beside = {name: planned[name] for name in cited if name in planned}
    others = (name for name in cited if name not in beside)
    return {**beside, **_evidence(workspace, snapshot, catalogue, others)}


def _is_filed_under_another(workspace: Workspace, draft: Record) -> bool:
    """Tells whether a draft is an account that stands under the record that it is about.

    It is compared with no other: a task has thousands of steps, all of them with the task for a
    subject and many with the same few words.
    """
    kind = workspace.registry.get(draft.kind)
    return kind is not None and not kind.is_statement and kind.filing is Filing.BY_SUBJECT


def _can_seal(workspace: Workspace) -> bool:
    from memfs.services.sealing import can_seal  # hardly any record is sealed

    return can_seal(workspace)


def _target(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, identifier: str
) -> StoredRecord | None:
    entries = catalogue.by_id(identifier) if identifier else ()
    return read_path(workspace, snapshot, entries[0].path) if entries else None


def _evidence(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, identifiers: Iterable[str]
) -> Mapping[str, Record]:
    found: dict[str, Record] = {}
    for identifier in identifiers:
        for stored in read_entries(workspace, snapshot, catalogue.by_id(identifier)):
            found[identifier] = stored.record
    return found


def _ends(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    draft: Record,
    planned: Mapping[str, Record],
) -> Mapping[str, Record]:
    """Finds what an edge would join; most drafts are none."""
    ends = joined_by(draft)
    beside = {name: planned[name] for name in ends if name in planned}
    others = (name for name in ends if name not in beside)
    return {**beside, **_evidence(workspace, snapshot, catalogue, others)}


def _bearers(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    draft: Record,
    planned: Mapping[str, Record],
) -> tuple[Record, ...]:
    """Finds the other entities of a namespace that bear a name of the draft, each once."""
    keys = keys_of_entity(draft)
    if not keys:
        return ()
    scope = draft.scope or workspace.scope
    rows = {row.path: row for key in keys for row in catalogue.entities_named(key)}
    found = (item.record for item in read_entries(workspace, snapshot, rows.values()))
    left = (planned.get(record.id, record) for record in found)
    return tuple(
        record
        for record in left
        if record.id != draft.id
        and (record.scope or workspace.scope) == scope
        and set(keys) & set(keys_of_entity(record))
    )


def _ids(references: Iterable[str]) -> tuple[str, ...]:
    return tuple(split_version(item)[0] for item in references)


def _excerpts(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    evidence: Mapping[str, Record],
) -> Mapping[str, Record]:
    """Finds the words of cited sources, where they still stand."""
    envelopes = [name for name, record in evidence.items() if record.kind == EVIDENCE_KIND]
    if not envelopes:
        return {}
    rows = [row for row in catalogue.dependents(envelopes) if row.kind == EXCERPT_KIND]
    return {
        source: stored.record
        for stored in read_entries(workspace, snapshot, rows)
        for source in _ids(stored.record.derived_from)
    }


def _verifications(
    workspace: Workspace, submission: Submission, evidence: Mapping[str, Record]
) -> tuple[Verification, ...]:
    if not submission.checks:
        return ()
    from memfs.services.verifiers import verified  # most claims name nothing to look up

    return verified(workspace, submission, evidence)


def _captured(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, submission: Submission
) -> int:
    """Counts what a program had kept within a day; exactly, once everybody's comes near it."""
    principal, kind = submission.origin.principal, submission.draft.kind
    is_counted = kind == EXCERPT_KIND or (kind in WORK_KINDS and not submission.target)
    if not is_counted or principal.is_person:
        return 0
    since = format_instant(workspace.clock.now() - _DAY)
    total = catalogue.count_since(kind, since)
    if total < (CAPTURES_A_DAY if kind == EXCERPT_KIND else WORK_A_DAY):
        return total
    listed = catalogue.listing(CatalogueFilter(kinds=(kind,)))
    rows = takewhile(lambda row: row.observed >= since, listed)
    records = (stored.record for stored in read_entries(workspace, snapshot, rows))
    return sum(1 for item in records if item.origin and item.origin.principal == principal)
