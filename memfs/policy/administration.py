"""Decisions for operations that are not claims: every commit carries one (A43).

The table says who may do what. A person means a person who decides here; memfs itself only
keeps the books: it holds, repairs, expires and writes receipts, and admits nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memfs.model.authority import Authority
from memfs.model.decision import Decision, Reason, Verdict
from memfs.model.frozen import frozen
from memfs.model.kinds import KindSpec
from memfs.model.origin import SYSTEM_ACTOR, Actor, OriginClass, Principal, PrincipalKind
from memfs.model.record import Record
from memfs.model.settings import Mode, Settings
from memfs.model.status import Status
from memfs.policy.authority import default_authority
from memfs.policy.reasons import reason
from memfs.policy.transitions import check_move


class Who(StrEnum):
    """Who may carry an operation out."""

    ANYONE = "anyone"
    PERSON = "person"
    SYSTEM = "system"
    PERSON_OR_SYSTEM = "person-or-system"


@frozen
class Rule:
    """One administrative operation: its stable code, who may, and in which modes."""

    code: str
    who: Who
    is_always_possible: bool = False


RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        rule.code: rule
        for rule in (
            Rule(code="store.init", who=Who.ANYONE, is_always_possible=True),
            Rule(code="review.accept", who=Who.PERSON),
            Rule(code="review.reject", who=Who.PERSON),
            Rule(code="review.edit", who=Who.PERSON),
            Rule(code="review.take-back", who=Who.ANYONE),
            Rule(code="import.accept", who=Who.PERSON),
            Rule(code="migration.run", who=Who.PERSON, is_always_possible=True),
            Rule(code="settings.change", who=Who.PERSON, is_always_possible=True),
            Rule(code="record.correct", who=Who.PERSON),
            Rule(code="record.retract", who=Who.PERSON, is_always_possible=True),
            Rule(code="record.forget", who=Who.PERSON, is_always_possible=True),
            Rule(code="record.restore", who=Who.PERSON),
            Rule(code="record.erase", who=Who.PERSON, is_always_possible=True),
            Rule(code="record.supersede", who=Who.PERSON_OR_SYSTEM),
            Rule(code="record.support", who=Who.ANYONE),
            Rule(code="run.correct", who=Who.ANYONE),
            Rule(code="execution.move", who=Who.ANYONE),
            Rule(code="role.apply", who=Who.ANYONE),
            Rule(code="record.merge", who=Who.PERSON),
            Rule(code="record.split", who=Who.PERSON),
            Rule(code="record.part", who=Who.PERSON),
            Rule(code="record.expire", who=Who.SYSTEM),
            Rule(code="record.retract-again", who=Who.SYSTEM, is_always_possible=True),
            Rule(code="record.withdraw", who=Who.PERSON_OR_SYSTEM, is_always_possible=True),
            Rule(code="record.rebuild", who=Who.PERSON_OR_SYSTEM),
            Rule(code="grant.issue", who=Who.PERSON),
            Rule(code="grant.revoke", who=Who.PERSON, is_always_possible=True),
            Rule(code="outcome.record", who=Who.ANYONE),
            Rule(code="procedure.trial", who=Who.PERSON),
            Rule(code="procedure.promote", who=Who.PERSON),
            Rule(code="procedure.deprecate", who=Who.PERSON, is_always_possible=True),
            Rule(code="procedure.settle", who=Who.SYSTEM, is_always_possible=True),
            Rule(code="conflict.open", who=Who.ANYONE),
            Rule(code="conflict.resolve", who=Who.PERSON_OR_SYSTEM),
            Rule(code="conflict.settle", who=Who.SYSTEM, is_always_possible=True),
            Rule(code="publication.offer", who=Who.PERSON),
            Rule(code="pollution.mark", who=Who.PERSON_OR_SYSTEM, is_always_possible=True),
            Rule(code="pollution.clear", who=Who.PERSON, is_always_possible=True),
            Rule(code="tombstone.apply", who=Who.SYSTEM, is_always_possible=True),
            Rule(code="job.cancel", who=Who.PERSON, is_always_possible=True),
            Rule(code="job.retry", who=Who.PERSON),
            Rule(code="intention.mark", who=Who.SYSTEM),
            Rule(code="intention.answer", who=Who.PERSON),
            Rule(code="ledger.hold", who=Who.SYSTEM, is_always_possible=True),
            Rule(code="ledger.release", who=Who.PERSON_OR_SYSTEM, is_always_possible=True),
            Rule(code="ledger.follow", who=Who.SYSTEM),
            Rule(code="ledger.repair", who=Who.SYSTEM, is_always_possible=True),
            Rule(code="ledger.receipt", who=Who.SYSTEM, is_always_possible=True),
        )
    }
)
"""Code to rule. What withdraws, or keeps the books, is possible in every mode (A75)."""


def decide_operation(code: str, actor: Actor, settings: Settings) -> Decision:
    """Decides whether ``actor`` may carry out the operation ``code``.

    Raises:
        KeyError: There is no such operation: a bug.
    """
    rule = RULES[code]
    denial = _check_actor(rule, actor) or _check_mode(rule, settings)
    if denial is not None:
        return _refused(code, denial, settings)
    return Decision(verdict=Verdict.ACTIVATE, rule=code, policy=settings.digest)


def decide_init(actor: Actor, settings: Settings) -> Decision:
    """Decides on a new store; one that trusts scripts is set up by a person alone."""
    if settings.trust.scripted and not actor.is_person:
        return _refused("store.init", reason("actor.not-a-person"), settings)
    return decide_operation("store.init", actor, settings)


def decide_accept(actor: Actor, settings: Settings) -> Decision:
    """Decides whether ``actor`` may accept candidates; what they say is decided again."""
    return decide_operation("review.accept", actor, settings)


def decide_reject(actor: Actor, settings: Settings) -> Decision:
    """Decides whether ``actor`` may reject candidates."""
    return decide_operation("review.reject", actor, settings)


def decide_take_back(
    actor: Actor, settings: Settings, *, proposer: Principal, is_file: bool = False
) -> Decision:
    """Decides on a proposal that goes before anybody decided: its proposer's alone.

    What stands for an edited file was proposed by its editor, and is a person's to reject.
    """
    decision = decide_operation("review.take-back", actor, settings)
    if decision.is_admitted and (is_file or proposer != actor.principal):
        return _refused(decision.rule, reason("target.other-principal"), settings)
    return decision


def decide_edit(actor: Actor, settings: Settings) -> Decision:
    """Decides whether ``actor`` may edit candidates."""
    return decide_operation("review.edit", actor, settings)


def decide_import_accept(actor: Actor, settings: Settings) -> Decision:
    """Decides on a batch of imported records; accepted in bulk they stay unverified (A77)."""
    decision = decide_operation("import.accept", actor, settings)
    if not decision.is_admitted:
        return decision
    return Decision(
        verdict=Verdict.ACTIVATE,
        rule=decision.rule,
        policy=decision.policy,
        authority=default_authority(OriginClass.IMPORTED),
    )


def decide_settings_change(actor: Actor, settings: Settings) -> Decision:
    """Decides on new settings; possible in every mode, so that a mode can be left."""
    return decide_operation("settings.change", actor, settings)


def decide_hold(settings: Settings, actor: Actor = SYSTEM_ACTOR) -> Decision:
    """Decides on holding files that a foreign commit changed."""
    return decide_operation("ledger.hold", actor, settings)


def decide_release(actor: Actor, settings: Settings) -> Decision:
    """Decides on lifting a hold whose candidate was decided or whose file is back."""
    return decide_operation("ledger.release", actor, settings)


def decide_repair(settings: Settings, actor: Actor = SYSTEM_ACTOR) -> Decision:
    """Decides on repairing the ledger's own files."""
    return decide_operation("ledger.repair", actor, settings)


def decide_follow(settings: Settings, actor: Actor = SYSTEM_ACTOR) -> Decision:
    """Decides on following a record file that was moved without a change."""
    return decide_operation("ledger.follow", actor, settings)


def decide_receipt(settings: Settings, actor: Actor = SYSTEM_ACTOR) -> Decision:
    """Decides on writing a receipt."""
    return decide_operation("ledger.receipt", actor, settings)


def decide_correct(
    actor: Actor, record: Record, settings: Settings, *, kind: KindSpec | None = None
) -> Decision:
    """Decides whether ``actor`` may start a new version of an active record.

    The new text is a submission of its own and goes through admission.
    """
    decision = decide_operation("record.correct", actor, settings)
    if not decision.is_admitted:
        return decision
    if kind is not None and kind.append_only:
        return _refused(decision.rule, reason("record.append-only"), settings)
    if record.status is not Status.ACTIVE:
        return _refused(decision.rule, reason("record.not-active"), settings)
    return _with_authority(decision, Authority.USER)


def decide_supersede(actor: Actor, record: Record, settings: Settings) -> Decision:
    """Decides on marking a record as replaced; the replacement was admitted on its own."""
    return _decide_move("record.supersede", actor, record, Status.SUPERSEDED, settings)


def decide_run_correction(actor: Actor, record: Record, settings: Settings) -> Decision:
    """Decides on putting another account of a run in its place: its own teller's, or a person's.

    The new account is a record of its own and goes through admission.
    """
    decision = _decide_move("run.correct", actor, record, Status.SUPERSEDED, settings)
    if decision.is_admitted and record.status is not Status.ACTIVE:
        return _refused(decision.rule, reason("record.not-active"), settings)
    told_by = record.origin.principal if record.origin is not None else None
    if decision.is_admitted and not actor.is_person and told_by != actor.principal:
        return _refused(decision.rule, reason("target.other-principal"), settings)
    return decision


def decide_role_operation(actor: Actor, role: str, settings: Settings) -> Decision:
    """Decides whether ``actor`` may change what a role remembers: the role itself, or a person."""
    decision = decide_operation("role.apply", actor, settings)
    principal = actor.principal
    is_role = principal.kind is PrincipalKind.AGENT and principal.name == role
    if decision.is_admitted and not (is_role or actor.is_person or actor == SYSTEM_ACTOR):
        return _refused(decision.rule, reason("role.other-role"), settings)
    return decision


def decide_retract(actor: Actor, record: Record, settings: Settings) -> Decision:
    """Decides on withdrawing a record that was wrong."""
    return _decide_move("record.retract", actor, record, Status.RETRACTED, settings)


def decide_forget(actor: Actor, record: Record, settings: Settings) -> Decision:
    """Decides on removing a record for good, with a tombstone."""
    return _decide_move("record.forget", actor, record, Status.DELETED, settings)


def decide_restore(
    actor: Actor, record: Record, settings: Settings, *, is_supported: bool = True
) -> Decision:
    """Decides on serving a withdrawn record again; a tombstone is final.

    ``is_supported`` tells whether what the record rests on still stands.
    """
    decision = _decide_move("record.restore", actor, record, Status.ACTIVE, settings)
    if decision.is_admitted and not is_supported:
        return _refused(decision.rule, reason("restore.unsupported"), settings)
    return decision


def decide_expire(record: Record, settings: Settings, actor: Actor = SYSTEM_ACTOR) -> Decision:
    """Decides on marking a record whose time is over."""
    return _decide_move("record.expire", actor, record, Status.EXPIRED, settings)


def decide_withdraw(record: Record, settings: Settings, actor: Actor = SYSTEM_ACTOR) -> Decision:
    """Decides on a barrier around what rests on something that is taken back (A14)."""
    return _decide_move("record.withdraw", actor, record, Status.REPAIR_PENDING, settings)


def decide_retract_again(
    record: Record, settings: Settings, actor: Actor = SYSTEM_ACTOR
) -> Decision:
    """Decides on retracting in an older copy what a person retracted in this store's history."""
    return _decide_move("record.retract-again", actor, record, Status.RETRACTED, settings)


def decide_rebuild(record: Record, settings: Settings, actor: Actor = SYSTEM_ACTOR) -> Decision:
    """Decides on serving a withheld record again; what supports it was settled before."""
    return _decide_move("record.rebuild", actor, record, Status.ACTIVE, settings)


def decide_conflict_settlement(settings: Settings, actor: Actor = SYSTEM_ACTOR) -> Decision:
    """Decides on bringing conflict sets up to the records that an operation left behind."""
    return decide_operation("conflict.settle", actor, settings)


def decide_resolution(actor: Actor, settings: Settings) -> Decision:
    """Decides whether ``actor`` may say which side of a conflict stays."""
    return decide_operation("conflict.resolve", actor, settings)


def decide_tombstone(settings: Settings, actor: Actor = SYSTEM_ACTOR) -> Decision:
    """Decides on applying a tombstone again where something brought back what it bars."""
    return decide_operation("tombstone.apply", actor, settings)


def decide_erase(actor: Actor, settings: Settings) -> Decision:
    """Decides on erasing bytes."""
    return decide_operation("record.erase", actor, settings)


def _decide_move(
    code: str, actor: Actor, record: Record, status: Status, settings: Settings
) -> Decision:
    decision = decide_operation(code, actor, settings)
    if not decision.is_admitted:
        return decision
    denial = check_move(record.status, status)
    if denial is not None:
        return _refused(code, denial, settings)
    return _with_authority(decision, record.authority or Authority.NONE)


def _check_actor(rule: Rule, actor: Actor) -> Reason | None:
    is_system = actor == SYSTEM_ACTOR
    match rule.who:
        case Who.ANYONE:
            return None
        case Who.PERSON:
            return None if actor.is_person else reason("actor.not-a-person")
        case Who.SYSTEM:
            return None if is_system else reason("actor.not-system")
        case Who.PERSON_OR_SYSTEM:
            allowed = actor.is_person or is_system
            return None if allowed else reason("actor.not-a-person")


def _check_mode(rule: Rule, settings: Settings) -> Reason | None:
    if rule.is_always_possible:
        return None
    match settings.mode:
        case Mode.OFF:
            return reason("mode.off")
        case Mode.READ_ONLY:
            return reason("mode.read-only")
        case Mode.SHADOW | Mode.ENFORCED:
            return None


def _refused(rule: str, denial: Reason, settings: Settings) -> Decision:
    return Decision(verdict=Verdict.REJECT, rule=rule, reasons=(denial,), policy=settings.digest)


def _with_authority(decision: Decision, authority: Authority) -> Decision:
    return Decision(
        verdict=decision.verdict,
        rule=decision.rule,
        policy=decision.policy,
        authority=authority,
    )
