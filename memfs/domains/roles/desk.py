"""Where typed operations are decided on, one behind the other, and nothing is written (E20).

What is decided on one desk is laid out as one: each memory once, however many operations touch it,
and a receipt for each operation.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from typing import cast

from memfs.domains.roles.laying import Laying, Piece, Setting
from memfs.domains.roles.loading import Loaded
from memfs.domains.roles.planning import name_of, plan_operation
from memfs.domains.roles.shaping import Planner
from memfs.domains.roles.view import Planned
from memfs.index.catalogue import Catalogue
from memfs.model.authority import Authority
from memfs.model.candidate import Submission
from memfs.model.decision import Reason, Verdict
from memfs.model.frozen import frozen
from memfs.model.ids import TRANSACTION_PREFIX
from memfs.model.origin import Actor, Origin
from memfs.model.record import Record
from memfs.model.role import ROLE_KIND, role_scope
from memfs.model.role_operation import OperationName, Phase, RoleOperation
from memfs.model.settings import Mode
from memfs.model.values import JsonValue
from memfs.policy.administration import decide_role_operation
from memfs.policy.authority import capture_origin
from memfs.policy.bounds import check_bounds
from memfs.policy.reasons import reason
from memfs.policy.role_admission import check_anatomy, check_state, check_words, is_identity
from memfs.policy.role_operations import ROWS
from memfs.policy.sources import is_switched_off
from memfs.services.catalogue import fingerprint_of
from memfs.services.gate import polluted_namespaces
from memfs.services.judgement import Judgement, judge_with
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft
from memfs.services.tombstones import is_barred
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


def _closed(
    workspace: Workspace, snapshot: Snapshot, role: str, actor: Actor
) -> tuple[Reason, ...]:
    """Takes nothing from a source that is switched off, nor into a polluted namespace."""
    if is_switched_off(capture_origin(actor, role), workspace.settings.sources_off):
        return (reason("source.off"),)
    if role_scope(role) in polluted_namespaces(workspace, snapshot):
        return (reason("namespace.polluted"),)
    return ()


@contextmanager
def opened_desk(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    loaded: Loaded,
    actor: Actor,
    *,
    phase: Phase,
) -> Iterator[Desk]:
    """Opens a desk for one actor; what refuses the actor altogether refuses each operation."""
    role = loaded.view.role
    decision = decide_role_operation(actor, role, workspace.settings)
    faults = decision.reasons or _closed(workspace, snapshot, role, actor)
    setting = Setting(
        workspace=workspace, snapshot=snapshot, loaded=loaded, decision=decision, actor=actor
    )
    yield Desk(setting, catalogue, phase, faults)


class Desk:
    """One batch while it is decided: the view moves on with every operation that is admitted."""

    def __init__(
        self, setting: Setting, catalogue: Catalogue, phase: Phase, faults: tuple[Reason, ...]
    ) -> None:
        self.workspace = setting.workspace
        self.snapshot = setting.snapshot
        self.actor = setting.actor
        self.catalogue = catalogue
        self.phase = phase
        self.faults = faults
        self.view = setting.loaded.view
        self.transaction = self.workspace.ids.new_id(TRANSACTION_PREFIX)
        self._laying = Laying(setting)
        self._made: dict[str, Record] = {}
        self._steps: list[Applied] = []

    def point_at(self, known: frozenset[str]) -> None:
        """Lets operations to come point at more records."""
        self.view = replace(self.view, known=self.view.known | known)

    def apply(self, operation: RoleOperation) -> Applied:
        """Decides on one operation; where it is admitted, those behind it find it done."""
        step = self._applied(operation)
        self._steps.append(step)
        return step

    def _applied(self, operation: RoleOperation) -> Applied:
        name = name_of(operation)
        if self.faults:
            return _refused(name, self.faults)
        phases = ROWS[name].phases
        if self.phase not in phases:
            row = f"row {name}: {', '.join(sorted(phases))}; this is {self.phase}"
            return _refused(name, (reason("role.phase", row),))
        planned = plan_operation(operation, self.view, self.workspace.ids.new_id)
        if planned.reasons:
            outcome = Outcome.NOTHING if planned.is_nothing else Outcome.REFUSED
            return Applied(name=name, outcome=outcome, reasons=planned.reasons)
        faults = self._faults(planned)
        if faults:
            return _refused(name, faults)
        pieces = self._pieces(planned)
        if isinstance(pieces, Judgement):
            return _not_admitted(name, planned, pieces)
        self._take(planned, pieces, name)
        return Applied(name=name, outcome=Outcome.APPLIED)

    def maintain(self, move: Callable[[Planner], Planned]) -> Planned:
        """Makes moves that no operation makes; they stand in the receipt of whoever makes them.

        Returns:
            What was done; where nothing was, the reasons why.
        """
        if self.faults:
            return Planned(reasons=self.faults)
        planned = move(Planner(view=self.view, new_id=self.workspace.ids.new_id))
        if planned.is_nothing or planned.reasons:
            return planned
        faults = self._faults(planned)
        for item in planned.changed:
            faults = (*faults, *check_state(item, self.view.get(item.id)))
        if faults:
            return Planned(reasons=tuple(dict.fromkeys(faults)))
        pieces = self._pieces(planned)
        if isinstance(pieces, Judgement):
            return Planned(reasons=pieces.decision.reasons)
        self._take(planned, pieces, None)
        return planned

    def laid_out(self) -> tuple[tuple[Applied, ...], tuple[Draft, ...]]:
        """Returns the steps with what they did, and the files.

        Raises:
            HeldRecordError: A commit made by hand waits on one of the memories.
        """
        return self._laying.laid_out(tuple(self._steps), self.transaction)

    def receipt(self, called: str, details: Mapping[str, JsonValue]) -> Draft:
        """Lays out the receipt of everything that was done here, found by what it is called."""
        return self._laying.account(called, self.transaction, (), details, subject=called)

    def _take(
        self, planned: Planned, pieces: tuple[Piece, ...], name: OperationName | None
    ) -> None:
        self._made |= {piece.record.id: piece.record for piece in pieces}
        self._laying.take(name, planned, pieces)
        self.view = self.view.after(planned)

    def _pieces(self, planned: Planned) -> tuple[Piece, ...] | Judgement:
        """Returns what is new with the decisions on it, or the one that admits it not."""
        new = {item.id: item for item in planned.made}
        # What a role remembers was read through its gate once, and is not read again.
        remembered = cast("dict[str, Record]", self.view.memories)
        known: Mapping[str, Record] = ChainMap(new, self._made, remembered)
        pieces: list[Piece] = []
        for record in (*planned.made, *planned.edges):
            judgement = self._judged(record, known)
            if not judgement.decision.is_admitted:
                return judgement
            drawn = replace(judgement.submission.draft, id=record.id)
            pieces.append(Piece(record=drawn, decision=judgement.decision))
        return tuple(pieces)

    def _faults(self, planned: Planned) -> tuple[Reason, ...]:
        """Returns why memories that stand may not change so: their words, or who changes them."""
        if any(map(is_identity, planned.changed)) and not self.actor.is_person:
            return (reason("actor.not-a-person"),)
        if self.workspace.settings.mode is Mode.SHADOW and (planned.changed or not planned.made):
            # What is new waits as it would anyway; what stands stays as it is (A73).
            return (reason("mode.shadow"),)
        text = "\n".join(planned.words)
        faults = check_words(text, is_person=self.actor.is_person) if text else ()
        if any(map(self._is_forgotten, planned.heard)):
            faults = (*faults, reason("tombstone.matches"))
        kind = self.workspace.registry.get(ROLE_KIND)
        for item in planned.changed:
            faults = (*faults, *check_anatomy(item), *check_bounds(item, kind))
        return faults

    def _is_forgotten(self, record: Record) -> bool:
        """Tells whether what a memory would take in was forgotten, and must not come back so."""
        return is_barred(
            self.workspace,
            self.catalogue,
            Submission(draft=record, origin=self._origin(record), is_typed=True),
            fingerprint=fingerprint_of(record),
            evidence={},
        )

    def _origin(self, record: Record) -> Origin:
        return capture_origin(self.actor, f"{record.title}\n{record.said}")

    def _judged(self, record: Record, known: Mapping[str, Record]) -> Judgement:
        if not (self.actor.is_person or is_identity(record)):
            # What a role says to itself is worth nothing as a ground for anything else; what it
            # is waits, and is worth what whoever accepts it is.
            record = replace(record, authority=Authority.NONE)
        submission = Submission(
            draft=record,
            origin=self._origin(record),
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
