"""How procedures stand: stage, what was shown in the round, what changed, whether they fit here."""

from __future__ import annotations

from memfs.domains.procedures.episodes import attempts_of
from memfs.errors import UsageError
from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.origin import Actor
from memfs.model.procedure import EPISODE_KIND, PROCEDURE_KIND, Stage, round_of, stage_of
from memfs.model.record import StoredRecord
from memfs.model.record_fields import texts_field
from memfs.policy.applicability import Fit, fit_of
from memfs.policy.procedure_stages import Proof
from memfs.services.pins import drift_of
from memfs.services.ports import Workspace
from memfs.services.procedure_moves import proof_here
from memfs.services.procedure_offers import circumstances_here, not_offered
from memfs.services.reading import list_records, show
from memfs.store.snapshot import Snapshot


@frozen
class ProcedureView:
    """One procedure as its reader may see it, and how it stands.

    Attributes:
        stored: The record.
        stage: How far it has been proved.
        round: The round that it is in.
        proof: What it has shown in that round.
        drift: Which of its script and tools are not what was tried.
        fit: How what is known of this place meets its conditions.
        withheld: Why it is not handed out in an answer; ``None`` where it is.
        episodes: Attempts that followed it, newest first; empty in a list.
    """

    stored: StoredRecord
    stage: Stage
    round: int
    proof: Proof
    drift: tuple[str, ...]
    fit: Fit
    withheld: Reason | None
    episodes: tuple[StoredRecord, ...] = ()


def list_procedures(
    workspace: Workspace, actor: Actor, *, stage: Stage | None = None, limit: int = 0
) -> tuple[ProcedureView, ...]:
    """Lists the procedures that ``actor`` may see, newest first."""
    snapshot = workspace.store.snapshot()
    found = [
        _view(workspace, snapshot, stored)
        for stored in list_records(workspace, actor, kinds=(PROCEDURE_KIND,))
        if stage is None or stage_of(stored.record) is stage
    ]
    return tuple(found[: limit or None])


def show_procedure(workspace: Workspace, reference: str, actor: Actor) -> ProcedureView:
    """Returns one procedure with the episodes that followed it.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        AmbiguousRecordError: More than one does.
        UsageError: It is no procedure.
    """
    stored = show(workspace, reference, actor)
    if stored.record.kind != PROCEDURE_KIND:
        raise UsageError(f"expected a procedure, got the {stored.record.kind} {stored.record.id}")
    episodes = list_records(workspace, actor, kinds=(EPISODE_KIND,))
    return _view(
        workspace,
        workspace.store.snapshot(),
        stored,
        episodes=attempts_of(stored.record.id, episodes),
    )


def _view(
    workspace: Workspace,
    snapshot: Snapshot,
    stored: StoredRecord,
    *,
    episodes: tuple[StoredRecord, ...] = (),
) -> ProcedureView:
    record = stored.record
    return ProcedureView(
        stored=stored,
        stage=stage_of(record),
        round=round_of(record),
        proof=proof_here(workspace, snapshot, record),
        drift=drift_of(workspace, record),
        fit=fit_of(texts_field(record, "applies_when"), circumstances_here(workspace)),
        withheld=not_offered(workspace, snapshot, record),
        episodes=episodes,
    )
