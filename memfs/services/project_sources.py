"""Whether a claim about the project still fits the files that it was read off, as it is accepted.

What is stale is looked at again first: a person who accepts a claim accepts what is so now (E59).
"""

from __future__ import annotations

from dataclasses import replace

from memfs.model.decision import Decision, Verdict
from memfs.model.record import Record
from memfs.model.record_fields import texts_field
from memfs.policy.reasons import reason
from memfs.policy.role_admission import is_accepted_of_project
from memfs.policy.role_freshness import is_source_changed
from memfs.policy.role_survey import MOST_FILE_BYTES
from memfs.services.ports import Workspace
from memfs.services.project_bytes import blob_of

_FILE = "file:"


def decide_sources(workspace: Workspace, record: Record, decision: Decision) -> Decision:
    """Refuses to accept a claim about a project of which a source is otherwise, or gone."""
    if not is_accepted_of_project(record):
        return decision
    anchors = {item.rpartition("=")[0] for item in texts_field(record, "source_hashes")}
    current = {anchor: _digest(workspace, anchor) for anchor in anchors}
    if anchors and not is_source_changed(record, current):
        return decision
    return replace(
        decision,
        verdict=Verdict.REJECT,
        rule="role.stale",
        reasons=(reason("role.stale", record.id),),
        supersedes=(),
    )


def _digest(workspace: Workspace, anchor: str) -> str | None:
    """Returns the digest of a file of the project now; ``None`` for anything else."""
    if workspace.project_dir is None or not anchor.startswith(_FILE):
        return None
    name = anchor.removeprefix(_FILE)
    blob = blob_of(workspace.project_dir, name, limit_bytes=MOST_FILE_BYTES)
    return None if blob is None else blob.id
