"""What a record has proved to be good for: people and objective checks alone say so (A41)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memfs.app.registry import REGISTRY
from memfs.model.origin import SYSTEM_ACTOR, Actor, Origin
from memfs.model.outcome import NO_UTILITY, UseResult, Utility, outcome_from
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.status import Status
from memfs.policy.utility import OutcomeCase, check_outcome, standing_outcomes, utility_of
from memfs.policy.verification import Verification
from tests.support.policy import (
    AGENT,
    ANA,
    BEN,
    HOOK,
    HOST,
    NOW,
    PROJECT,
    TOOL,
    evidence,
    identifier,
    origin_of,
    stored,
)

LATER = NOW + timedelta(minutes=5)
USED = stored(1, body="The entry point is src/app.py.", observed=NOW).record
SUCCESS, PARTIAL, FAILURE = UseResult.SUCCESS, UseResult.PARTIAL, UseResult.FAILURE
CHECKED = origin_of(SYSTEM_ACTOR, "x", "check:observation")


def seen(result: str, number: int = 1, actor: Actor = HOST, **fields: Any) -> Record:
    """Returns what somebody observed: by default the host, after the record was admitted."""
    return evidence(
        number, "make test", actor, **{"observed": LATER, "fields": {"outcome": result}, **fields}
    )


def codes(result: UseResult, actor: Actor = AGENT, **fields: object) -> list[str]:
    case = OutcomeCase(
        **{  # type: ignore[arg-type]
            "record": USED,
            "kind": REGISTRY.get("preference"),
            "result": result,
            "origin": origin_of(actor, "x"),
            "project": PROJECT,
            **fields,
        }
    )
    return [item.code for item in check_outcome(case)]


@pytest.mark.parametrize("result", list(UseResult))
def test_the_word_of_a_person_counts_and_that_of_a_program_does_not(result: UseResult) -> None:
    assert codes(result, ANA) == []
    for program in (AGENT, TOOL, HOOK, HOST):
        assert codes(result, program) != []


@pytest.mark.parametrize(("result", "outcome"), [(SUCCESS, "passed"), (FAILURE, "failed")])
def test_what_the_host_observed_since_bears_an_outcome_out(result: UseResult, outcome: str) -> None:
    assert codes(result, evidence=(seen(outcome),)) == []
    assert codes(result, evidence=(seen("unknown"),)) == ["outcome.not-verified"]
    other = FAILURE if result is SUCCESS else SUCCESS
    assert codes(other, evidence=(seen(outcome),)) == ["outcome.seen-otherwise"]
    assert codes(PARTIAL, evidence=(seen(outcome),)) == ["outcome.seen-otherwise"]


@pytest.mark.parametrize("actor", [AGENT, TOOL, HOOK, ANA])
def test_what_others_say_that_they_observed_bears_nothing_out(actor: Actor) -> None:
    assert codes(SUCCESS, evidence=(seen("passed", actor=actor),)) == ["outcome.not-verified"]


def test_an_observation_from_before_or_from_elsewhere_bears_nothing_out() -> None:
    early = seen("passed", observed=NOW - timedelta(minutes=1))
    assert codes(SUCCESS, evidence=(early,)) == ["outcome.seen-before"]
    elsewhere = seen("passed", scope=Scope.parse("task:other"))
    assert codes(SUCCESS, evidence=(elsewhere,)) == ["outcome.not-verified"]
    gone = seen("passed", status=Status.RETRACTED)
    assert codes(SUCCESS, evidence=(gone,)) == ["outcome.not-verified"]


def test_what_is_looked_up_has_to_be_what_the_record_speaks_of() -> None:
    there = Verification("path", True, ("src/app.py",))
    assert codes(SUCCESS, verifications=(there,)) == []
    assert codes(FAILURE, verifications=(replace(there, holds=False),)) == []
    assert codes(SUCCESS, verifications=(replace(there, holds=False),)) == [
        "outcome.seen-otherwise"
    ]
    strange = Verification("path", True, ("README.md",))
    assert codes(SUCCESS, verifications=(strange,)) == ["outcome.not-mentioned"]
    day = Verification("date", True, ("src/app.py",), is_proof=False)
    assert codes(SUCCESS, verifications=(day,)) == ["outcome.not-verified"]


def test_a_person_is_not_heard_against_what_they_name_themselves() -> None:
    assert codes(SUCCESS, ANA, evidence=(seen("failed"),)) == ["outcome.seen-otherwise"]
    assert codes(SUCCESS, ANA, missing=("ev_x",)) == ["evidence.missing"]


def test_only_an_active_claim_is_used() -> None:
    assert codes(SUCCESS, ANA, record=replace(USED, status=Status.EXPIRED)) == ["record.not-active"]
    assert codes(SUCCESS, ANA, kind=REGISTRY.get("grant")) == ["outcome.not-a-claim"]


def test_the_kind_lists_the_results_that_there_are() -> None:
    kind = REGISTRY.get("outcome")
    assert kind is not None
    (choices,) = [item.choices for item in kind.fields if item.name == "result"]
    assert choices == tuple(UseResult)


# What counts ------------------------------------------------------------------------------


def told(
    number: int,
    result: UseResult,
    origin: Origin = CHECKED,
    *,
    on: Sequence[str] = (),
    status: Status = Status.ACTIVE,
    about: str = USED.reference,
) -> Record:
    """Returns an outcome of the ledger."""
    return Record(
        kind="outcome",
        id=identifier(number, "out"),
        subject=USED.id,
        observed=NOW + timedelta(minutes=number),
        origin=origin,
        evidence=tuple(on),
        status=status,
        fields={"about": about, "result": str(result)},
    )


def utility(*records: Record) -> Utility:
    return utility_of(standing_outcomes(records), USED.reference)


def test_nothing_said_is_worth_nothing_and_many_successes_never_quite_one() -> None:
    assert utility() == NO_UTILITY
    assert NO_UTILITY.value == 0.0
    many = utility(*(told(n, SUCCESS, on=(identifier(n, "ev"),)) for n in range(1, 100)))
    assert (many.success, round(many.value, 2)) == (99, 0.99)
    assert utility(told(1, FAILURE, on=("ev_1",))).value == -0.5
    assert utility(told(1, PARTIAL, origin_of(ANA))).value == 0.25


def test_one_observation_counts_once_and_of_each_person_the_newest_word() -> None:
    same = [told(n, SUCCESS, on=("ev_1",)) for n in (1, 2, 3)]
    assert utility(*same) == Utility(success=1)
    ana, ben = origin_of(ANA), origin_of(BEN)
    said = [told(1, SUCCESS, ana), told(2, SUCCESS, ben), told(3, FAILURE, ana)]
    assert utility(*said) == utility(*reversed(said)) == Utility(success=1, failure=1)


def test_what_a_program_wrote_is_withdrawn_or_is_of_another_wording_does_not_count() -> None:
    assert utility(told(1, SUCCESS, origin_of(AGENT), on=("ev_1",))) == NO_UTILITY
    assert utility(told(1, SUCCESS, origin_of(HOOK), on=("ev_1",))) == NO_UTILITY
    assert utility(told(1, SUCCESS)) == NO_UTILITY
    assert utility(told(1, SUCCESS, on=("ev_1",), status=Status.REPAIR_PENDING)) == NO_UTILITY
    assert utility(told(1, SUCCESS, on=("ev_1",), about=f"{USED.id}@2")) == NO_UTILITY


def test_what_is_no_outcome_is_read_as_none() -> None:
    assert outcome_from(USED) is None
    assert outcome_from(replace(told(1, SUCCESS), fields={"result": "great"})) is None
    assert outcome_from(replace(told(1, SUCCESS), origin=None)) is None
