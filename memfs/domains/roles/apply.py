"""Applies typed operations on role memory: decided purely, committed together, one receipt each.

:func:`decide_batch` plans several operations one behind the other and lays all of it out; nothing
is written by it. :func:`apply_operations` commits that as one operation of the ledger: everything,
or, where one of them is refused, nothing (E20, E55, E56).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from enum import StrEnum
from typing import Final

from memfs.domains.roles.laying import Laying, Piece, Setting
from memfs.domains.roles.loading import Loaded, load_for
from memfs.domains.roles.planning import name_of, plan_operation
from memfs.domains.roles.view import Planned
from memfs.index.catalogue import Catalogue
from memfs.model.authority import Authority
from memfs.model.candidate import Submission
from memfs.model.decision import Reason, Verdict
from memfs.model.frozen import frozen
from memfs.model.ids import TRANSACTION_PREFIX
from memfs.model.operation import Commit, OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.role import ROLE_KIND, role_scope
from memfs.model.role_operation import OperationName, Phase, RoleOperation
from memfs.model.settings import Mode
from memfs.policy.administration import decide_role_operation
from memfs.policy.authority import capture_origin
from memfs.policy.bounds import check_bounds
from memfs.policy.reasons import reason
from memfs.policy.role_admission import check_anatomy, check_words, is_identity
from memfs.policy.role_operations import ROWS
from memfs.policy.sources import is_switched_off
from memfs.services.barrier import NOTHING_FOLLOWED, Aftermath
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided, commit_decided
from memfs.services.gate import polluted_namespaces
from memfs.services.judgement import Judgement, judge_with
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, plan_from
from memfs.services.propose import own_key
from memfs.store.snapshot import Snapshot


class Outcome(StrEnum):
    """What became of one operation."""

    APPLIED = "applied"
    NOTHING = "nothing"
    WAITING = "waiting"
    REFUSED = "refused"


@frozen
class Applied:
    """What became of one operation.

    Attributes:
        name: Which of the fourteen it is.
        outcome: What became of it.
        reasons: Why not, or why there was nothing to do.
        made: References of new memories.
        changed: References of memories that changed.
        edges: Ids of new edges.
        receipt: Id of its receipt; empty where it was not applied.
        records: The memories as they stand behind it, new ones first.
        waiting: What waits for a person, where something does.
    """

    name: OperationName
    outcome: Outcome
    reasons: tuple[Reason, ...] = ()
    made: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    receipt: str = ""
    records: tuple[Record, ...] = ()
    waiting: tuple[Judgement, ...] = ()


@frozen
class Batch:
    """Several operations, decided on and laid out, and not yet written.

    Attributes:
        steps: What becomes of each, in order.
        drafts: The files of all that is applied; each file once.
        transaction: ``tx_…`` that the receipts name: the plan has to carry it.
    """

    steps: tuple[Applied, ...]
    drafts: tuple[Draft, ...] = ()
    transaction: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether no operation of it was refused, and none waits."""
        return all(step.outcome in _GOOD for step in self.steps)


_GOOD: Final = frozenset({Outcome.APPLIED, Outcome.NOTHING})


@frozen
class Report:
    """What became of a batch.

    Attributes:
        steps: What became of each operation, in order.
        commit: The one commit; ``None`` where nothing was to be written.
        aftermath: What followed, where a label that became stricter reached something else.
    """

    steps: tuple[Applied, ...]
    commit: Commit | None = None
    aftermath: Aftermath = NOTHING_FOLLOWED


def apply_operations(
    workspace: Workspace,
    role: str,
    operations: Sequence[RoleOperation],
    actor: Actor,
    *,
    phase: Phase = Phase.LIVE,
    key: str = "",
) -> Report:
    """Applies operations in order, as one commit; where one is refused, or waits, nothing is done.

    Args:
        workspace: The store.
        role: Whose memory.
        operations: Decoded; at least one.
        actor: Who applies them: the role itself, or a person.
        phase: In which phase; some operations belong to some phases alone.
        key: Makes a repetition harmless.
    """

    def decide_on(snapshot: Snapshot) -> Decided[Batch]:
        batch = decide_batch(workspace, snapshot, role, operations, actor, phase=phase)
        if not batch.is_whole:
            return Decided(_undone(batch))
        if not batch.drafts:
            return Decided(batch)
        names = ", ".join(dict.fromkeys(step.name for step in batch.steps))
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RECORD,
            actor=actor,
            drafts=batch.drafts,
            subject=f"role memory: {names}",
            key=own_key(actor, key),
        )
        return Decided(batch, replace(plan, transaction=batch.transaction))

    committed = commit_decided(workspace, decide_on)
    return Report(
        steps=committed.outcome.steps, commit=committed.commit, aftermath=committed.aftermath
    )


def _undone(batch: Batch) -> Batch:
    """Returns a batch of which nothing is applied, since one of it is not."""
    why = reason("role.not-applied")
    steps = tuple(
        Applied(name=step.name, outcome=Outcome.REFUSED, reasons=(why,))
        if step.outcome is Outcome.APPLIED
        else step
        for step in batch.steps
    )
    return Batch(steps=steps)


def decide_batch(
    workspace: Workspace,
    snapshot: Snapshot,
    role: str,
    operations: Sequence[RoleOperation],
    actor: Actor,
    *,
    phase: Phase = Phase.LIVE,
    loaded: Loaded | None = None,
) -> Batch:
    """Decides on operations in order and lays out all that is admitted; writes nothing.

    An operation that is refused changes nothing for those behind it.

    Args:
        workspace: The store.
        snapshot: What is decided on.
        role: Whose memory.
        operations: Decoded.
        actor: Who applies them.
        phase: In which phase.
        loaded: What the role remembers, where it was read at ``snapshot`` already.
    """
    decision = decide_role_operation(actor, role, workspace.settings)
    faults = decision.reasons or _closed(workspace, snapshot, role, actor)
    if faults:
        refused = (
            Applied(name=name_of(item), outcome=Outcome.REFUSED, reasons=faults)
            for item in operations
        )
        return Batch(steps=tuple(refused))
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        named = load_for(workspace, snapshot, catalogue, role, operations, actor)
        setting = Setting(
            workspace=workspace,
            snapshot=snapshot,
            loaded=named.beside(loaded) if loaded is not None else named,
            decision=decision,
            actor=actor,
        )
        desk = _Desk(setting, catalogue, phase)
        steps = tuple(desk.apply(item) for item in operations)
        steps, drafts = desk.laying.laid_out(steps, desk.transaction)
    return Batch(steps=steps, drafts=drafts, transaction=desk.transaction)


def _closed(
    workspace: Workspace, snapshot: Snapshot, role: str, actor: Actor
) -> tuple[Reason, ...]:
    """Takes nothing from a source that is switched off, nor into a polluted namespace."""
    if is_switched_off(capture_origin(actor, role), workspace.settings.sources_off):
        return (reason("source.off"),)
    if role_scope(role) in polluted_namespaces(workspace, snapshot):
        return (reason("namespace.polluted"),)
    return ()


class _Desk:
    """One batch while it is decided: the view moves on with every operation that is admitted."""

    def __init__(self, setting: Setting, catalogue: Catalogue, phase: Phase) -> None:
        self.workspace = setting.workspace
        self.snapshot = setting.snapshot
        self.actor = setting.actor
        self.catalogue = catalogue
        self.phase = phase
        self.view = setting.loaded.view
        self.laying = Laying(setting)
        self.transaction = self.workspace.ids.new_id(TRANSACTION_PREFIX)
        self.made: dict[str, Record] = {}

    def apply(self, operation: RoleOperation) -> Applied:
        name = name_of(operation)
        if self.phase not in ROWS[name].phases:
            return _refused(name, (reason("role.phase", self.phase),))
        planned = plan_operation(operation, self.view, self.workspace.ids.new_id)
        if planned.reasons:
            outcome = Outcome.NOTHING if planned.is_nothing else Outcome.REFUSED
            return Applied(name=name, outcome=outcome, reasons=planned.reasons)
        faults = self._faults(planned)
        if faults:
            return _refused(name, faults)
        pieces: list[Piece] = []
        known = dict(self.made) | {item.id: item for item in planned.made}
        for record in (*planned.made, *planned.edges):
            judgement = self._judged(record, known)
            if not judgement.decision.is_admitted:
                return _not_admitted(name, planned, judgement)
            drawn = replace(judgement.submission.draft, id=record.id)
            pieces.append(Piece(record=drawn, decision=judgement.decision))
        self.made |= {p.record.id: p.record for p in pieces}
        self.laying.take(name, planned, tuple(pieces))
        self.view = self.view.after(planned)
        return Applied(name=name, outcome=Outcome.APPLIED)

    def _faults(self, planned: Planned) -> tuple[Reason, ...]:
        """Returns why memories that stand may not change so: their words, or who changes them."""
        if any(map(is_identity, planned.changed)) and not self.actor.is_person:
            return (reason("actor.not-a-person"),)
        if self.workspace.settings.mode is Mode.SHADOW and (planned.changed or not planned.made):
            # What is new waits as it would anyway; what stands stays as it is (A73).
            return (reason("mode.shadow"),)
        text = "\n".join(planned.words)
        faults = check_words(text, is_person=self.actor.is_person) if text else ()
        kind = self.workspace.registry.get(ROLE_KIND)
        for item in planned.changed:
            faults = (*faults, *check_anatomy(item), *check_bounds(item, kind))
        return faults

    def _judged(self, record: Record, known: Mapping[str, Record]) -> Judgement:
        if not (self.actor.is_person or is_identity(record)):
            # What a role says to itself is worth nothing as a ground for anything else; what it
            # is waits, and is worth what whoever accepts it is.
            record = replace(record, authority=Authority.NONE)
        submission = Submission(
            draft=record,
            origin=capture_origin(self.actor, f"{record.title}\n{record.said}"),
            is_typed=True,
        )
        return judge_with(self.workspace, self.snapshot, self.catalogue, submission, planned=known)


def _refused(name: OperationName, reasons: Iterable[Reason]) -> Applied:
    return Applied(name=name, outcome=Outcome.REFUSED, reasons=tuple(dict.fromkeys(reasons)))


def _not_admitted(name: OperationName, planned: Planned, judgement: Judgement) -> Applied:
    """Answers an operation of which policy does not admit a part.

    Where all of it is one new memory, or what a role is, that waits for a person; nothing else of
    the operation is done.
    """
    decision = judgement.decision
    if decision.verdict is Verdict.DUPLICATE:
        return Applied(name=name, outcome=Outcome.NOTHING, reasons=decision.reasons)
    drafted = judgement.submission.draft
    is_alone = len(planned.made) == 1 and not planned.changed and not planned.edges
    if decision.verdict is Verdict.QUARANTINE and (is_alone or is_identity(drafted)):
        return Applied(
            name=name,
            outcome=Outcome.WAITING,
            reasons=decision.reasons,
            waiting=(judgement,),
        )
    return _refused(name, decision.reasons)
