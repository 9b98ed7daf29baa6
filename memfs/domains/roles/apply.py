"""Applies typed operations on role memory: decided purely, committed together, one receipt each.

:func:`decide_batch` plans several operations one behind the other and lays all of it out; nothing
is written by it. :func:`apply_operations` commits that as one operation of the ledger: everything,
or, where one of them is refused, nothing (E20, E55, E56).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Final

from memfs.domains.roles.desk import Applied, Outcome, opened_desk
from memfs.domains.roles.loading import Loaded, load_for
from memfs.domains.roles.planning import name_of
from memfs.model.frozen import frozen
from memfs.model.operation import Commit, OperationKind
from memfs.model.origin import Actor
from memfs.model.role_operation import Phase, RoleOperation
from memfs.policy.reasons import reason
from memfs.services.barrier import NOTHING_FOLLOWED, Aftermath
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided, commit_decided
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, plan_from
from memfs.services.propose import own_key
from memfs.store.snapshot import Snapshot


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
    earlier = workspace.store.committed(own_key(actor, key)) if key else None
    if earlier is not None:
        # What it did then would be refused now, since it is done.
        steps = (Applied(name=name_of(item), outcome=Outcome.APPLIED) for item in operations)
        return Report(steps=tuple(steps), commit=earlier)

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
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        named = load_for(workspace, snapshot, catalogue, role, operations, actor)
        read = named.beside(loaded) if loaded is not None else named
        with opened_desk(workspace, snapshot, catalogue, read, actor, phase=phase) as desk:
            for operation in operations:
                desk.apply(operation)
            steps, drafts = desk.laid_out()
    return Batch(steps=steps, drafts=drafts, transaction=desk.transaction)
