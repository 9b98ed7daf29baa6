"""Who may do what: the table of operations that are not claims."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memfs.app.registry import REGISTRY
from memfs.model.authority import Authority
from memfs.model.decision import Decision, Verdict
from memfs.model.origin import SYSTEM_ACTOR, Actor, Channel, Principal
from memfs.model.settings import Mode, TrustSettings
from memfs.model.status import Status
from memfs.policy import administration
from memfs.policy.administration import RULES, Who, decide_operation
from tests.support.policy import AGENT, ANA, HOOK, IMPORT, SETTINGS, TOOL, claim, codes, stored

PROGRAMS = [AGENT, TOOL, HOOK, IMPORT]
SCRIPT = Actor(Principal.parse("user:ana"), Channel.SCRIPTED)


@pytest.mark.parametrize("code", RULES)
@pytest.mark.parametrize("actor", [ANA, SCRIPT, SYSTEM_ACTOR, *PROGRAMS])
def test_each_operation_is_open_to_those_that_its_rule_names(code: str, actor: Actor) -> None:
    allowed = {
        Who.ANYONE: True,
        Who.PERSON: actor.is_person,
        Who.SYSTEM: actor == SYSTEM_ACTOR,
        Who.PERSON_OR_SYSTEM: actor.is_person or actor == SYSTEM_ACTOR,
    }[RULES[code].who]
    decision = decide_operation(code, actor, SETTINGS)
    assert decision.is_admitted is allowed
    assert decision.rule == code
    assert decision.policy == SETTINGS.digest
    assert allowed or codes(decision)[0] in {"actor.not-a-person", "actor.not-system"}


@pytest.mark.parametrize("code", ["review.accept", "import.accept", "settings.change"])
@pytest.mark.parametrize("actor", PROGRAMS)
def test_only_a_person_who_decides_here_accepts(code: str, actor: Actor) -> None:
    assert decide_operation(code, actor, SETTINGS).verdict is Verdict.REJECT


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.READ_ONLY])
def test_modes_stop_admission_but_never_withdrawal_or_leaving_the_mode(mode: Mode) -> None:
    settings = replace(SETTINGS, mode=mode)
    possible = {
        code
        for code, rule in RULES.items()
        if decide_operation(
            code, SYSTEM_ACTOR if rule.who is Who.SYSTEM else ANA, settings
        ).is_admitted
    }
    assert possible == {code for code, rule in RULES.items() if rule.is_always_possible}
    assert {"record.forget", "record.retract", "record.erase", "settings.change"} <= possible
    assert "review.accept" not in possible


def test_anyone_may_found_a_plain_store_and_only_a_person_one_that_trusts_scripts() -> None:
    trusting = replace(SETTINGS, trust=TrustSettings(scripted=("user:ana",)))
    assert administration.decide_init(AGENT, SETTINGS).is_admitted
    assert not administration.decide_init(AGENT, trusting).is_admitted
    assert administration.decide_init(ANA, trusting).is_admitted


def test_a_bulk_import_stays_unverified() -> None:
    decision = administration.decide_import_accept(ANA, SETTINGS)
    assert decision.authority is Authority.UNVERIFIED
    assert not administration.decide_import_accept(AGENT, SETTINGS).is_admitted


def test_a_correction_needs_a_person_an_active_record_and_a_kind_that_changes() -> None:
    active, gone = stored(1).record, claim(status=Status.RETRACTED)
    episode = REGISTRY.get("episode")
    decide = administration.decide_correct
    assert decide(ANA, active, SETTINGS).authority is Authority.USER
    assert codes(decide(AGENT, active, SETTINGS)) == ["actor.not-a-person"]
    assert codes(decide(ANA, gone, SETTINGS)) == ["record.not-active"]
    assert codes(decide(ANA, active, SETTINGS, kind=episode)) == ["record.append-only"]


def test_a_run_is_corrected_by_who_told_of_it_or_by_a_person() -> None:
    run = stored(1, AGENT, kind="run").record
    decide = administration.decide_run_correction
    assert decide(AGENT, run, SETTINGS).is_admitted
    assert decide(ANA, run, SETTINGS).is_admitted
    assert codes(decide(TOOL, run, SETTINGS)) == ["target.other-principal"]
    replaced = replace(run, status=Status.SUPERSEDED)
    assert codes(decide(ANA, replaced, SETTINGS)) == ["record.not-active"]
    assert codes(decide(ANA, replace(run, status=Status.DELETED), SETTINGS)) == [
        "transition.illegal"
    ]


def test_anyone_who_may_read_a_task_moves_it_unless_nothing_is_taken_in() -> None:
    for actor in (ANA, AGENT):
        assert administration.decide_operation("execution.move", actor, SETTINGS).is_admitted
    off = replace(SETTINGS, mode=Mode.OFF)
    assert codes(administration.decide_operation("execution.move", ANA, off)) == ["mode.off"]


def test_withdrawing_follows_the_table_of_moves() -> None:
    active, gone = stored(1).record, claim(status=Status.DELETED)
    for decide in (
        administration.decide_retract,
        administration.decide_forget,
        administration.decide_supersede,
    ):
        assert decide(ANA, active, SETTINGS).is_admitted
        assert not decide(AGENT, active, SETTINGS).is_admitted
    assert codes(administration.decide_restore(ANA, gone, SETTINGS)) == ["transition.illegal"]
    retracted = claim(status=Status.RETRACTED, authority=Authority.WORKSPACE)
    restored = administration.decide_restore(ANA, retracted, SETTINGS)
    assert restored.authority is Authority.WORKSPACE
    assert administration.decide_expire(active, SETTINGS).is_admitted


def test_memfs_keeps_the_books_by_itself() -> None:
    assert administration.decide_hold(SETTINGS).rule == "ledger.hold"
    assert administration.decide_repair(SETTINGS).rule == "ledger.repair"
    assert administration.decide_follow(SETTINGS).rule == "ledger.follow"
    assert administration.decide_receipt(SETTINGS).rule == "ledger.receipt"
    assert administration.decide_release(SYSTEM_ACTOR, SETTINGS).is_admitted
    assert not administration.decide_hold(SETTINGS, AGENT).is_admitted


def test_reviewing_is_for_people() -> None:
    for decide in (
        administration.decide_accept,
        administration.decide_reject,
        administration.decide_edit,
        administration.decide_settings_change,
        administration.decide_erase,
    ):
        assert decide(ANA, SETTINGS).is_admitted
        assert not decide(AGENT, SETTINGS).is_admitted


def test_a_proposal_is_taken_back_by_who_made_it_and_by_nobody_else() -> None:
    def decide(actor: Actor, proposer: Actor, *, is_file: bool = False) -> Decision:
        return administration.decide_take_back(
            actor, SETTINGS, proposer=proposer.principal, is_file=is_file
        )

    assert decide(AGENT, AGENT).is_admitted
    assert decide(ANA, ANA).is_admitted
    assert codes(decide(AGENT, ANA)) == ["target.other-principal"]
    assert codes(decide(ANA, AGENT)) == ["target.other-principal"]
    assert codes(decide(ANA, ANA, is_file=True)) == ["target.other-principal"]
    read_only = replace(SETTINGS, mode=Mode.READ_ONLY)
    assert not administration.decide_take_back(
        AGENT, read_only, proposer=AGENT.principal
    ).is_admitted
