"""The envelope of what the host saw of a run: exit code, command, commit (A16, C1).

It is evidence of that value at that time and of nothing that the run says. The command itself is
kept as a digest alone.
"""

from __future__ import annotations

from dataclasses import replace

from memfs.index.catalogue import Catalogue
from memfs.model.candidate import Submission
from memfs.model.evidence import EVIDENCE_KIND, Observation
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.relation import RelationKind
from memfs.model.values import JsonValue
from memfs.policy.authority import capture_origin
from memfs.services.evidence import Envelope, envelope_record, laid_out_envelope
from memfs.services.judgement import judge_with
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft
from memfs.services.verifiers import command_digest
from memfs.store.snapshot import Snapshot


def seen_envelope(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    seen: Observation | None,
    principal: Principal,
    record: Record,
) -> Draft | None:
    """Lays out what the host saw, on the host's own channel; ``None`` where it saw nothing."""
    if seen is None:
        return None
    fields: dict[str, JsonValue] = {"outcome": str(seen.result)}
    if seen.exit_code is not None:
        fields["exit_code"] = seen.exit_code
    if seen.command:
        fields["command_digest"] = command_digest(seen.command)
    if seen.commit:
        fields["commit"] = seen.commit
    host = Actor(principal, Channel.HOST)
    said = " ".join(f"{name}={value}" for name, value in sorted(fields.items()))
    origin = capture_origin(host, said, source=f"run:{record.id}")
    draft = Record(kind=EVIDENCE_KIND, scope=record.scope, fields=fields)
    judgement = judge_with(workspace, snapshot, catalogue, Submission(draft=draft, origin=origin))
    if not judgement.decision.is_admitted:
        return None
    envelope = Envelope(
        origin=origin,
        relation=RelationKind.OUTCOME_VALIDATED,
        fields=tuple(fields.items()),
    )
    about = replace(judgement.submission.draft, observed=record.observed)
    laid = envelope_record(workspace, envelope, about)
    return laid_out_envelope(workspace, snapshot, laid, judgement.decision)
