"""Procedures move by outcomes alone: seeded histories, each lifecycle move, each refusal (A68)."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from memfs.model.decision import Reason
from memfs.model.outcome import UseOutcome, UseResult
from memfs.model.procedure import PROVEN, Stage
from memfs.policy.procedure_stages import (
    STAGES,
    Cause,
    Comparison,
    Proof,
    StageRow,
    check_stage_move,
    compared,
    has_earned,
    is_supported,
    proof_of,
)
from tests.support.policy import AGENT, ANA, BEN, origin_of
from tests.support.procedure_histories import HISTORIES, Happening, Played, expected_stage, history

LADDER = (Stage.CANDIDATE, Stage.TRIAL, Stage.HELD_OUT, Stage.CANARY, Stage.ACTIVE)


def use(number: int, **said: Any) -> Happening:
    """Returns a use that was observed, under conditions of its own."""
    return Happening(**{"what": "use", "task": f"task=t{number}", "run": number, **said})


def played(*things: Happening) -> Played:
    """Returns what happenings make of a procedure."""
    procedure = Played()
    for number, thing in enumerate(things, start=1):
        procedure.happen(thing, number)
    return procedure


TRIAL = Happening(what="trial")


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_a_history_ends_where_counting_ends_and_never_rises_on_one_success(seed: int) -> None:
    procedure, things = Played(), history(seed)
    for number, thing in enumerate(things, start=1):
        before, round_before = procedure.stage, len(procedure.moves)
        faults = procedure.happen(thing, number)
        risen = LADDER.index(procedure.stage) if procedure.stage in LADDER else -1
        if thing.what == "use" and before in LADDER and risen > LADDER.index(before):
            assert procedure.moves[-1].cause is Cause.EARNED
            assert counted(procedure, before) >= 2 or before is Stage.HELD_OUT
        is_harm = thing.is_harmful and thing.teller.is_person
        is_harm |= thing.result is UseResult.FAILURE and thing.control is UseResult.SUCCESS
        if thing.what == "use" and is_harm and not faults:
            assert procedure.stage in (Stage.CANDIDATE, Stage.DEPRECATED)
        if thing.what == "use" and thing.platform != "linux" and not is_harm:
            assert faults
            assert len(procedure.moves) == round_before
        assert procedure.stage is expected_stage(things[:number]), (seed, number, thing)


def counted(procedure: Played, stage: Stage) -> int:
    """Counts the distinct conditions of successes that were recorded in a stage of this round."""
    return len(
        {
            item.fields["conditions"]
            for item in procedure.outcomes
            if item.fields["result"] == "success" and item.fields["stage"] == stage
        }
    )


def test_the_seeds_reach_every_stage_every_move_and_every_refusal() -> None:
    moves, faults, ends = set(), set(), set()
    for seed in range(HISTORIES):
        procedure = Played()
        for number, thing in enumerate(history(seed), start=1):
            faults |= {fault.code for fault in procedure.happen(thing, number)}
        moves |= {row.code for row in procedure.moves}
        ends.add(procedure.stage)
    # Two moves are memfs's own, when it looks: tests/domains/procedures.
    assert {row.code for row in STAGES} - moves == {"stage.stale", "stage.unsupported"}
    assert ends == set(Stage)
    assert {
        "procedure.not-applicable", "procedure.stale", "procedure.illegal-move",
        "procedure.harm-person", "outcome.not-verified", "known",
    } <= faults  # fmt: skip


def test_one_success_never_promotes_however_often_it_is_told() -> None:
    once = use(1)
    again = [use(1, teller=teller) for teller in (AGENT, ANA, BEN)] * 3
    assert played(TRIAL, once, *again).stage is Stage.TRIAL
    assert played(TRIAL, *(use(1, run=number) for number in range(1, 9))).stage is Stage.TRIAL
    assert played(TRIAL, *(use(number, run=1) for number in range(1, 9))).stage is Stage.TRIAL
    words = (use(number, run=0, teller=ANA) for number in range(1, 9))
    assert played(TRIAL, *words).stage is Stage.TRIAL
    assert played(TRIAL, *(use(number, run=0) for number in range(1, 9))).stage is Stage.TRIAL


def test_independent_successes_lead_through_every_stage() -> None:
    stages = [
        played(TRIAL, *(use(number) for number in range(1, count))).stage for count in range(1, 7)
    ]
    assert stages == [
        Stage.TRIAL, Stage.TRIAL, Stage.HELD_OUT, Stage.CANARY, Stage.CANARY, Stage.ACTIVE
    ]  # fmt: skip


def test_held_out_conditions_are_new_to_the_procedure() -> None:
    learned = Happening(what="use", task="task=v0", run=3)
    assert played(TRIAL, use(1), use(2), learned).stage is Stage.HELD_OUT
    assert played(TRIAL, use(1), use(2), use(1, run=4)).stage is Stage.HELD_OUT
    assert played(TRIAL, use(1), use(2), learned, use(5)).stage is Stage.CANARY


@pytest.mark.parametrize("steps", range(6))
def test_one_harmful_use_takes_everything_back_from_wherever_it_stands(steps: int) -> None:
    way = (TRIAL, *(use(number) for number in range(1, steps + 1)))
    for harm in (
        use(9, result=UseResult.FAILURE, control=UseResult.SUCCESS),
        use(9, teller=ANA, is_harmful=True),
        use(9, teller=ANA, is_harmful=True, run=0, platform="darwin"),
    ):
        after = played(*way, harm)
        assert after.stage is Stage.CANDIDATE
        assert after.record.fields["harmed_by"]
        assert played(*way, harm, use(10), use(11), use(12)).stage is Stage.CANDIDATE
        assert played(*way, harm, TRIAL, use(10)).stage is Stage.TRIAL


def test_a_program_s_word_of_harm_is_none() -> None:
    procedure = played(TRIAL, use(1), use(2))
    (fault,) = procedure.happen(use(3, is_harmful=True), 9)
    assert (fault.code, procedure.stage) == ("procedure.harm-person", Stage.HELD_OUT)


@pytest.mark.parametrize(("stage", "cause"), list(product(Stage, Cause)))
def test_what_no_row_lists_is_refused_with_the_row_that_it_would_take(
    stage: Stage, cause: Cause
) -> None:
    rows = [row for row in STAGES if row.cause is cause]
    found = check_stage_move(stage, cause)
    if any(stage in row.starts for row in rows):
        assert isinstance(found, StageRow)
        assert stage in found.starts
        return
    assert isinstance(found, Reason)
    assert found.code == "procedure.illegal-move"
    assert all(row.code in found.message for row in rows)


def test_the_table_has_one_row_for_a_stage_and_a_cause() -> None:
    pairs = [(stage, row.cause) for row in STAGES for stage in row.starts]
    assert len(pairs) == len(set(pairs))
    ups = [row for row in STAGES if row.end in PROVEN and row.cause is not Cause.FAILED]
    assert {row.cause for row in ups} == {Cause.EARNED, Cause.PROMOTED}
    downs = [row for row in STAGES if row.cause not in (Cause.EARNED, Cause.PROMOTED)]
    assert all(row.is_new_round for row in downs)


def test_a_failure_in_the_trial_asks_for_one_more_success() -> None:
    assert not has_earned(Stage.TRIAL, Proof(in_trial=2, failure=1))
    assert has_earned(Stage.TRIAL, Proof(in_trial=3, failure=1))
    bad = [use(number, result=UseResult.FAILURE) for number in range(1, 4)]
    assert played(TRIAL, *bad).stage is Stage.DEPRECATED
    assert played(TRIAL, *bad[:2]).stage is Stage.TRIAL


def test_what_stands_carries_a_stage_or_does_not() -> None:
    whole = Proof(in_trial=2, in_held_out=1, in_canary=2)
    assert is_supported(Stage.ACTIVE, None, whole)
    assert not is_supported(Stage.ACTIVE, None, Proof(in_trial=2, in_held_out=1, in_canary=1))
    assert not is_supported(Stage.CANARY, None, Proof(in_trial=1, in_held_out=1))
    assert is_supported(Stage.CANARY, Stage.CANARY, Proof())
    assert not is_supported(Stage.ACTIVE, Stage.CANARY, Proof())
    assert is_supported(Stage.TRIAL, None, Proof())


def test_uses_are_compared_with_attempts_without_memory() -> None:
    def ended(result: UseResult, control: UseResult | None) -> UseOutcome:
        return UseOutcome(
            id="out_x", about="mem_x@1", result=result, origin=origin_of(ANA), control=control
        )

    uses = [
        ended(UseResult.SUCCESS, UseResult.FAILURE),
        ended(UseResult.SUCCESS, UseResult.SUCCESS),
        ended(UseResult.FAILURE, UseResult.PARTIAL),
        ended(UseResult.SUCCESS, None),
    ]
    assert compared(uses) == Comparison(better=1, same=1, worse=1)
    assert proof_of(uses, "mem_x@1", 0).compared.pairs == 3
    assert proof_of(uses, "mem_x@2", 0) == Proof()
    assert proof_of(uses, "mem_x@1", 1) == Proof()
