"""The servable predicate: deny by default, one reason each."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.model.authority import Sensitivity, Sink
from memfs.model.origin import SYSTEM_ACTOR, Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.scope import GLOBAL_SCOPE, Scope, ScopeKind
from memfs.model.status import Status
from memfs.policy.access import AccessRequest, may_read
from memfs.policy.grants import ACCOUNT_KINDS
from tests.support.policy import AGENT, ANA, NOW, PROJECT, TOOL, claim, origin_of

DAY = timedelta(days=1)


def request(actor: Actor = ANA, **fields: Any) -> AccessRequest:
    sink = Sink.PERSON if actor.is_person else Sink.AGENT
    return AccessRequest(**{"actor": actor, "sink": sink, "now": NOW, "project": PROJECT, **fields})


def verdict(record: Record, asked: AccessRequest) -> str:
    """Returns ``ok`` or the code of the denial."""
    decision = may_read(record, asked)
    assert decision.allowed is (decision.reason is None)
    return "ok" if decision.reason is None else decision.reason.code


@pytest.mark.parametrize("actor", [ANA, AGENT, TOOL, SYSTEM_ACTOR])
@pytest.mark.parametrize("scope", [None, PROJECT, GLOBAL_SCOPE])
def test_active_records_of_the_project_are_served_to_everyone(
    actor: Actor, scope: Scope | None
) -> None:
    assert verdict(claim(scope=scope), request(actor)) == "ok"


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.ACTIVE])
@pytest.mark.parametrize("actor", [ANA, AGENT, SYSTEM_ACTOR])
def test_only_active_records_are_served(status: Status, actor: Actor) -> None:
    assert verdict(claim(status=status), request(actor)) == "access.status"


def test_a_person_looks_at_history_and_an_agent_does_not() -> None:
    old = claim(status=Status.SUPERSEDED, expires=NOW - DAY)
    assert verdict(old, request(is_history=True)) == "ok"
    assert verdict(old, request(AGENT, is_history=True)) == "access.status"
    for status in (Status.DELETED, Status.REPAIR_PENDING):
        assert verdict(claim(status=status), request(is_history=True)) == "access.status"


@pytest.mark.parametrize("kind", ["agent", "task", "session", "thread"])
def test_private_scopes_are_invisible_to_other_programs(kind: str) -> None:
    scope = Scope(ScopeKind(kind), "other")
    assert verdict(claim(scope=scope), request(AGENT)) == "access.private"
    assert verdict(claim(scope=scope), request(AGENT, memberships=frozenset({scope}))) == "ok"
    assert verdict(claim(scope=scope), request(ANA)) == "ok"


def test_an_agent_sees_its_own_scope() -> None:
    own = claim(scope=Scope(ScopeKind.AGENT, "claude"))
    assert verdict(own, request(AGENT)) == "ok"
    tool = Actor(Principal.parse("tool:claude"), Channel.TOOL)
    assert verdict(own, request(tool)) == "access.private"


def test_asking_for_a_private_scope_by_name_does_not_open_it() -> None:
    scope = Scope(ScopeKind.TASK, "t1")
    assert verdict(claim(scope=scope), request(AGENT, scopes=(scope,))) == "access.private"


def test_team_records_need_membership_or_a_person() -> None:
    team = Scope(ScopeKind.TEAM, "core")
    assert verdict(claim(scope=team), request(AGENT)) == "access.shared"
    assert verdict(claim(scope=team), request(AGENT, memberships=frozenset({team}))) == "ok"
    assert verdict(claim(scope=team), request()) == "ok"


@pytest.mark.parametrize("channel", [Channel.TOOL, Channel.AGENT, Channel.PROMPT_HOOK])
@pytest.mark.parametrize("scope", [None, PROJECT, GLOBAL_SCOPE])
def test_a_person_behind_a_program_has_no_default_rights(
    channel: Channel, scope: Scope | None
) -> None:
    behind = Actor(ANA.principal, channel)
    assert verdict(claim(scope=scope), request(behind)) == "access.no-rights"


@pytest.mark.parametrize("actor", [AGENT, TOOL])
def test_a_record_of_a_class_is_no_program_s_by_default(actor: Actor) -> None:
    record = claim(record_class="clinical")
    assert verdict(record, request(actor)) == "access.class"
    assert verdict(record, request()) == "ok"


@pytest.mark.parametrize("kind", sorted(ACCOUNT_KINDS))
def test_what_governs_others_is_a_person_s_to_read(kind: str) -> None:
    assert verdict(Record(kind=kind, scope=PROJECT), request(AGENT)) == "access.account"
    assert verdict(Record(kind=kind, scope=PROJECT), request()) == "ok"


def test_a_role_reads_the_account_of_what_it_did_to_its_own_memory() -> None:
    own = Scope(ScopeKind.AGENT, "claude")
    done = Record(kind="receipt", scope=own, fields={"details": {"by": "agent:claude"}})
    by_another = replace(done, fields={"details": {"by": "user:ana"}})
    assert verdict(done, request(AGENT)) == "ok"
    assert verdict(by_another, request(AGENT)) == "access.account"
    assert verdict(replace(done, scope=PROJECT), request(AGENT)) == "access.account"
    assert verdict(replace(done, kind="grant"), request(AGENT)) == "access.account"
    other = Actor(Principal.parse("agent:other"), Channel.AGENT)
    assert verdict(done, request(other)) == "access.account"


@pytest.mark.parametrize("actor", [ANA, AGENT, SYSTEM_ACTOR])
def test_a_polluted_namespace_is_withheld_from_everyone(actor: Actor) -> None:
    polluted = frozenset({PROJECT})
    assert verdict(claim(), request(actor, polluted=polluted)) == "access.polluted"
    assert verdict(claim(scope=GLOBAL_SCOPE), request(actor, polluted=polluted)) == "ok"


def test_only_a_person_who_gives_account_looks_into_a_polluted_namespace() -> None:
    fields: dict[str, Any] = {"polluted": frozenset({PROJECT}), "sees_polluted": True}
    assert verdict(claim(), request(**fields)) == "ok"
    assert verdict(claim(), request(AGENT, **fields)) == "access.polluted"


@pytest.mark.parametrize(
    "switch", ["agent:claude", "channel:agent", "class:agent_stated", "import:notes"]
)
def test_a_switched_off_source_reaches_no_program(switch: str) -> None:
    origin = replace(origin_of(AGENT), source="import:notes/a.md")
    off = frozenset({switch})
    assert verdict(claim(origin=origin), request(TOOL, sources_off=off)) == "access.source-off"
    assert verdict(claim(origin=origin), request(sources_off=off)) == "ok"
    assert verdict(claim(origin=origin_of(ANA)), request(TOOL, sources_off=off)) == "ok"


def test_what_has_no_origin_is_off_once_any_source_is() -> None:
    off = request(AGENT, sources_off=frozenset({"agent:other"}))
    assert verdict(claim(origin=None), off) == "access.source-off"
    assert verdict(claim(origin=None), request(AGENT)) == "ok"


def test_who_may_not_see_a_record_does_not_learn_its_state() -> None:
    for state in ({"expires": NOW - DAY}, {"valid_until": NOW}, {"status": Status.RETRACTED}):
        hidden = claim(sensitivity=Sensitivity.SECRET, **state)
        assert verdict(hidden, request(AGENT)) == "access.sensitivity"


def test_projects_never_see_each_other_unless_a_person_names_one() -> None:
    other = Scope(ScopeKind.PROJECT, "other")
    foreign = claim(scope=other)
    assert verdict(foreign, request()) == "access.other-project"
    assert verdict(foreign, request(AGENT, scopes=(other,))) == "access.other-project"
    assert verdict(foreign, request(scopes=(other,))) == "ok"


def test_a_scope_that_was_not_asked_for_is_left_out() -> None:
    assert verdict(claim(scope=GLOBAL_SCOPE), request(scopes=(PROJECT,))) == "access.not-asked"


def test_expired_records_are_not_served_whatever_their_status_says() -> None:
    assert verdict(claim(expires=NOW), request()) == "access.expired"
    assert verdict(claim(expires=NOW + DAY), request()) == "ok"
    then = request(valid_at=NOW - 2 * DAY)
    assert verdict(claim(expires=NOW - DAY), then) == "access.expired"


def test_validity_is_half_open_and_measured_at_the_time_asked_for() -> None:
    record = claim(valid_from=NOW - DAY, valid_until=NOW)
    assert verdict(record, request()) == "access.not-valid"
    assert verdict(record, request(valid_at=NOW - DAY)) == "ok"
    assert verdict(record, request(valid_at=NOW - 2 * DAY)) == "access.not-valid"


@pytest.mark.parametrize(
    "level", [level for level in Sensitivity if level >= Sensitivity.CONFIDENTIAL]
)
def test_confidential_records_need_clearance_to_reach_a_program(level: Sensitivity) -> None:
    record = claim(sensitivity=level)
    assert verdict(record, request(AGENT)) == "access.sensitivity"
    assert verdict(record, request(AGENT, clearance=level)) == "ok"
    assert verdict(record, request()) == "ok"


@pytest.mark.parametrize("sink", [Sink.AGENT, Sink.REMOTE])
def test_a_person_s_own_clearance_does_not_follow_text_into_other_places(sink: Sink) -> None:
    record = claim(sensitivity=Sensitivity.CONFIDENTIAL)
    assert verdict(record, request(sink=sink)) == "access.sensitivity"
    secret = claim(sensitivity=Sensitivity.SECRET)
    assert verdict(secret, request(sink=Sink.EXPORT)) == "access.sensitivity"


def test_a_record_goes_only_where_its_sinks_allow() -> None:
    local = claim(sinks=frozenset({Sink.PERSON}))
    assert verdict(local, request()) == "ok"
    assert verdict(local, request(sink=Sink.EXPORT)) == "access.sink"
    assert verdict(local, request(AGENT)) == "access.sink"


def test_an_agent_that_reads_on_a_person_s_surface_still_is_an_agent() -> None:
    local = claim(sinks=frozenset({Sink.PERSON}))
    assert verdict(local, request(AGENT, sink=Sink.PERSON)) == "access.sink"


def test_an_agent_on_the_system_channel_is_no_trusted_reader() -> None:
    actor = Actor(Principal.parse("agent:claude"), Channel.SYSTEM)
    private = claim(scope=Scope(ScopeKind.TASK, "t"))
    assert verdict(private, request(actor)) == "access.private"


@given(st.floats(0, 1), st.integers(1, 10))
def test_confidence_and_importance_open_no_door(confidence: float, importance: int) -> None:
    scope = Scope(ScopeKind.AGENT, "other")
    hidden = claim(scope=scope, confidence=0.0)
    boasting = replace(hidden, confidence=confidence, importance=importance)
    assert may_read(boasting, request(AGENT)) == may_read(hidden, request(AGENT))


@pytest.mark.parametrize("actor", [ANA, AGENT])
def test_an_event_answers_for_the_time_from_which_on_it_happened(actor: Actor) -> None:
    event = Record(kind="event", title="Moved", scope=PROJECT, event_time=NOW)
    assert verdict(event, request(actor, valid_at=NOW - DAY)) == "access.not-valid"
    assert verdict(event, request(actor, valid_at=NOW)) == "ok"
    planned = replace(event, event_time=NOW + DAY)
    assert verdict(planned, request(actor)) == "ok"
    assert verdict(planned, request(actor, valid_at=NOW)) == "access.not-valid"
    assert verdict(planned, request(actor, valid_at=NOW, is_as_of=True)) == "ok"
    said = replace(event, valid_from=NOW - 2 * DAY)
    assert verdict(said, request(actor, valid_at=NOW - DAY)) == "ok"
    assert verdict(claim(event_time=NOW, scope=PROJECT), request(valid_at=NOW - DAY)) == "ok"
