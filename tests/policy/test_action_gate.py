"""Nothing that was remembered permits anything; a person's fresh words do (A2, A58)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memfs.model.authority import Authority
from memfs.model.origin import Actor, Channel
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.policy.action_gate import FRESH, ActionDecision, Approval, may_act
from tests.support.policy import AGENT, ANA, HOOK, IMPORT, NOW, TOOL, claim, evidence

ACTION = "deploy the release to production"
WORDS = "Yes, deploy the release to production."


def asked(
    *, record: Record | None = None, envelope: Record | None = None, words: str = WORDS
) -> ActionDecision:
    given = envelope if envelope is not None else said(HOOK)
    approval = Approval(envelope=given, words=(words,))
    return may_act((record or claim(),), ACTION, approval=approval, now=NOW)


def said(actor: Actor, **fields: object) -> Record:
    envelope = evidence(1, WORDS, actor)
    return replace(envelope, **{"observed": NOW, "taint": (), **fields})  # type: ignore[arg-type]


def codes(decision: ActionDecision) -> list[str]:
    return [item.code for item in decision.reasons]


@pytest.mark.parametrize("authority", list(Authority))
def test_no_authority_of_a_record_permits_an_action(authority: Authority) -> None:
    record = claim(authority=authority, confidence=1.0, importance=10)
    decision = may_act((record,), ACTION, approval=None, now=NOW)
    assert codes(decision) == ["action.no-approval"]
    assert decision.authority is Authority.NONE


def test_a_person_who_just_approved_it_by_name_lets_it_go_on() -> None:
    decision = asked()
    assert (decision.allowed, decision.reasons) == (True, ())
    assert decision.authority is Authority.NONE
    assert asked(words="yes, DEPLOY  the release\nto production").allowed


@pytest.mark.parametrize("actor", [AGENT, TOOL, IMPORT, Actor(ANA.principal, Channel.WORKSPACE)])
def test_only_a_person_on_a_live_channel_approves(actor: Actor) -> None:
    assert codes(asked(envelope=said(actor))) == ["action.not-a-person"]


def test_what_a_person_said_according_to_somebody_else_is_no_approval() -> None:
    envelope = said(HOOK)
    assert envelope.origin is not None
    quoted = replace(envelope, origin=replace(envelope.origin, speaker="ana"))
    assert codes(asked(envelope=quoted)) == ["action.not-a-person"]


@pytest.mark.parametrize("age", [FRESH + timedelta(seconds=1), timedelta(seconds=-1)])
def test_an_approval_is_fresh(age: timedelta) -> None:
    assert codes(asked(envelope=said(HOOK, observed=NOW - age))) == ["action.not-fresh"]
    assert asked(envelope=said(HOOK, observed=NOW - FRESH)).allowed


@pytest.mark.parametrize("words", ["Yes.", "", "deploy the release", "never mind production"])
def test_an_approval_names_the_action(words: str) -> None:
    assert codes(asked(words=words)) == ["action.not-named"]
    approval = Approval(envelope=said(HOOK), words=(WORDS,))
    assert codes(may_act((claim(),), "  ", approval=approval, now=NOW)) == ["action.not-named"]


def test_memory_cannot_approve_itself() -> None:
    envelope = said(HOOK)
    record = claim(evidence=(f"{envelope.id}@1",))
    assert codes(asked(record=record, envelope=envelope)) == ["action.not-a-person"]
    assert codes(asked(envelope=said(HOOK, taint=("packet",)))) == ["action.not-a-person"]
    stored = claim("Deployments to production are fine.", authority=Authority.USER)
    assert codes(asked(envelope=stored)) == ["action.not-evidence"]


def test_what_was_withdrawn_approves_nothing() -> None:
    assert codes(asked(envelope=said(HOOK, status=Status.RETRACTED))) == ["action.not-evidence"]


def test_without_a_record_nothing_is_made_up() -> None:
    approval = Approval(envelope=said(HOOK), words=(WORDS,))
    assert codes(may_act((), ACTION, approval=approval, now=NOW)) == ["action.no-memory"]
