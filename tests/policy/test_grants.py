"""Grants: what each predicate opens and what it leaves closed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.model.authority import Sensitivity, Sink
from memfs.model.grant import Grant, GrantOperation
from memfs.model.instants import format_instant
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.scope import GLOBAL_SCOPE, Scope, ScopeKind
from memfs.model.status import Status
from memfs.policy.access import AccessRequest, may_read
from memfs.policy.grants import check_grant, check_revocation, grant_from
from tests.support.policy import AGENT, ANA, BEN, NOW, PROJECT, TOOL, claim, origin_of

DAY = timedelta(days=1)
WARD = Scope(ScopeKind.TEAM, "ward")
BEHIND = Actor(Principal.parse("user:linda"), Channel.TOOL)


def grant(**fields: Any) -> Grant:
    return Grant(
        **{
            "id": "grant_x",
            "grantee": AGENT.principal,
            "issuer": ANA.principal,
            "scopes": (PROJECT,),
            "expires": NOW + DAY,
            **fields,
        }
    )


def asked(*grants: Grant, **fields: Any) -> AccessRequest:
    return AccessRequest(
        **{
            "actor": AGENT,
            "sink": Sink.AGENT,
            "now": NOW,
            "project": PROJECT,
            "grants": grants,
            **fields,
        }
    )


def verdict(record: Record, request: AccessRequest) -> str:
    decision = may_read(record, request)
    return "ok" if decision.reason is None else decision.reason.code


CLINICAL = claim(record_class="clinical", scope=PROJECT)


def test_a_grant_that_names_a_class_opens_it() -> None:
    assert verdict(CLINICAL, asked(grant(record_classes=("clinical",)))) == "ok"


@pytest.mark.parametrize(
    "fields",
    [
        {"record_classes": ("billing",)},
        {"record_classes": ()},
        {"record_classes": ("clinical",), "kinds": ("fact",)},
        {"record_classes": ("clinical",), "scopes": (GLOBAL_SCOPE, WARD)},
        {"record_classes": ("clinical",), "grantee": TOOL.principal},
        {"record_classes": ("clinical",), "expires": NOW},
        {"record_classes": ("clinical",), "not_before": NOW + DAY},
        {"record_classes": ("clinical",), "is_revoked": True},
        {"record_classes": ("clinical",), "purposes": ("referral",)},
        {"record_classes": ("clinical",), "sinks": frozenset({Sink.PERSON})},
        {"record_classes": ("clinical",), "sinks": frozenset({Sink.EXPORT})},
        {
            "record_classes": ("clinical",),
            "operations": frozenset({GrantOperation.PROPOSE, GrantOperation.PUBLISH}),
        },
    ],
    ids=lambda fields: ",".join(sorted(fields)),
)
def test_a_grant_that_misses_by_one_thing_opens_nothing(fields: dict[str, Any]) -> None:
    assert verdict(CLINICAL, asked(grant(**fields))) == "access.class"


def test_a_grant_that_names_the_kind_and_no_class_opens_every_class_of_it() -> None:
    assert verdict(CLINICAL, asked(grant(kinds=("preference",)))) == "ok"


@pytest.mark.parametrize(
    ("clearance", "sensitivity", "expected"),
    [
        ("normal", "normal", "ok"),
        ("normal", "confidential", "access.sensitivity"),
        ("confidential", "confidential", "ok"),
        ("confidential", "secret", "access.sensitivity"),
        ("secret", "secret", "ok"),
        ("secret", "sealed", "access.sensitivity"),
    ],
)
def test_a_grant_opens_up_to_its_clearance(clearance: str, sensitivity: str, expected: str) -> None:
    record = claim(sensitivity=Sensitivity.from_label(sensitivity), scope=PROJECT)
    given_ = grant(clearance=Sensitivity.from_label(clearance))
    assert verdict(record, asked(given_)) == expected


def test_a_clearance_below_normal_narrows_what_the_grant_opens() -> None:
    low = grant(scopes=(WARD,), clearance=Sensitivity.PUBLIC)
    assert verdict(claim(scope=WARD), asked(low)) == "access.shared"
    public = claim(scope=WARD, sensitivity=Sensitivity.PUBLIC)
    assert verdict(public, asked(low)) == "ok"


def test_a_purpose_is_matched_and_a_grant_without_one_fits_any() -> None:
    named = grant(record_classes=("clinical",), purposes=("referral", "audit"))
    assert verdict(CLINICAL, asked(named, purpose="audit")) == "ok"
    assert verdict(CLINICAL, asked(named, purpose="marketing")) == "access.class"
    assert verdict(CLINICAL, asked(grant(record_classes=("clinical",)), purpose="x")) == "ok"


def test_where_the_text_goes_must_be_granted_beside_the_program_that_reads_it() -> None:
    both = grant(record_classes=("clinical",), sinks=frozenset({Sink.AGENT, Sink.EXPORT}))
    assert verdict(CLINICAL, asked(both, sink=Sink.EXPORT)) == "ok"
    assert verdict(CLINICAL, asked(both, sink=Sink.REMOTE)) == "access.class"
    away = grant(record_classes=("clinical",), sinks=frozenset({Sink.EXPORT}))
    assert verdict(CLINICAL, asked(away, sink=Sink.EXPORT)) == "access.class"


def test_no_grant_exports_a_secret() -> None:
    secret = claim(sensitivity=Sensitivity.SECRET, scope=PROJECT)
    everywhere = grant(clearance=Sensitivity.SECRET, sinks=frozenset(Sink))
    assert verdict(secret, asked(everywhere)) == "ok"
    assert verdict(secret, asked(everywhere, sink=Sink.EXPORT)) == "access.sensitivity"


def test_no_grant_overrides_where_the_record_itself_may_go() -> None:
    local = replace(CLINICAL, sinks=frozenset({Sink.PERSON}))
    assert verdict(local, asked(grant(record_classes=("clinical",)))) == "access.sink"


@pytest.mark.parametrize("status", [item for item in Status if item is not Status.ACTIVE])
def test_no_grant_opens_what_is_not_active(status: Status) -> None:
    gone = replace(CLINICAL, status=status)
    assert verdict(gone, asked(grant(record_classes=("clinical",)))) == "access.status"


def test_no_grant_opens_a_polluted_namespace_or_a_switched_off_source() -> None:
    opened = grant(record_classes=("clinical",))
    assert verdict(CLINICAL, asked(opened, polluted=frozenset({PROJECT}))) == "access.polluted"
    named = replace(CLINICAL, origin=origin_of(BEN))
    off = asked(opened, sources_off=frozenset({"user:ben"}))
    assert verdict(named, off) == "access.source-off"


@pytest.mark.parametrize("kind", ["grant", "receipt", "pollution", "publication"])
def test_no_grant_opens_what_governs_others(kind: str) -> None:
    record = Record(kind=kind, scope=PROJECT)
    assert verdict(record, asked(grant(kinds=(kind,)))) == "access.account"


@pytest.mark.parametrize("kind", ["excerpt", "evidence", "conflict"])
def test_a_grant_means_claims_unless_it_names_another_kind(kind: str) -> None:
    record = Record(kind=kind, scope=WARD)
    assert verdict(record, asked(grant(scopes=(WARD,)))) == "access.shared"
    assert verdict(record, asked(grant(scopes=(WARD,), kinds=(kind,)))) == "ok"


def test_a_person_behind_a_program_reads_by_grants_alone() -> None:
    theirs = grant(grantee=BEHIND.principal)
    assert verdict(claim(scope=PROJECT), asked(theirs, actor=BEHIND)) == "ok"
    assert verdict(claim(scope=GLOBAL_SCOPE), asked(theirs, actor=BEHIND)) == "access.no-rights"
    assert verdict(claim(scope=PROJECT), asked(grant(), actor=BEHIND)) == "access.no-rights"


def test_fields_of_several_grants_add_up_and_one_that_shows_all_shows_all() -> None:
    name = grant(id="a", record_classes=("clinical",), shown_fields=("name",))
    day = grant(id="b", record_classes=("clinical",), shown_fields=("visit",))
    whole = grant(id="c", record_classes=("clinical",))
    both = may_read(CLINICAL, asked(name, day))
    assert (both.shown, both.grants) == (frozenset({"name", "visit"}), ("a", "b"))
    assert not both.is_whole
    assert may_read(CLINICAL, asked(name, day, whole)).shown is None


def test_a_grant_that_is_not_in_force_shows_no_field_of_another() -> None:
    name = grant(id="a", record_classes=("clinical",), shown_fields=("name",))
    over = grant(id="b", record_classes=("clinical",), expires=NOW)
    assert may_read(CLINICAL, asked(name, over)).shown == frozenset({"name"})


def test_a_grant_in_part_hides_nothing_that_its_reader_sees_anyway() -> None:
    name = grant(shown_fields=("name",))
    assert may_read(claim(scope=PROJECT), asked(name)).shown is None


@given(st.floats(0, 1), st.integers(1, 10))
def test_no_confidence_stands_in_for_a_grant(confidence: float, importance: int) -> None:
    boasting = replace(CLINICAL, confidence=confidence, importance=importance)
    assert verdict(boasting, asked()) == "access.class"


# Reading a grant out of its record ------------------------------------------------------


def grant_record(**fields: Any) -> Record:
    own = {"grantee": "agent:claude", "opens_scopes": ["team:ward"]}
    extra = fields.pop("fields", {})
    return Record(
        **{
            "kind": "grant",
            "id": "grant_x",
            "scope": PROJECT,
            "origin": origin_of(ANA),
            "expires": NOW + DAY,
            "fields": {**own, **extra},
            **fields,
        }
    )


def test_a_grant_is_read_with_its_defaults() -> None:
    assert grant_from(grant_record()) == grant(scopes=(WARD,))


def test_everything_that_a_grant_can_say_is_read() -> None:
    record = grant_record(
        fields={
            "operations": ["read", "propose"],
            "record_classes": ["clinical"],
            "kinds": ["fact"],
            "purposes": ["referral"],
            "goes_to": ["agent", "export"],
            "clearance": "secret",
            "shown_fields": ["name"],
            "not_before": format_instant(NOW),
        }
    )
    assert grant_from(record) == grant(
        scopes=(WARD,),
        operations=frozenset({GrantOperation.READ, GrantOperation.PROPOSE}),
        record_classes=("clinical",),
        kinds=("fact",),
        purposes=("referral",),
        sinks=frozenset({Sink.AGENT, Sink.EXPORT}),
        clearance=Sensitivity.SECRET,
        shown_fields=("name",),
        not_before=NOW,
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "note"},
        {"expires": None},
        {"origin": None},
        {"origin": origin_of(AGENT)},
        {"origin": origin_of(Actor(ANA.principal, Channel.WORKSPACE))},
        {"origin": origin_of(Actor(ANA.principal, Channel.IMPORT))},
        {"fields": {"opens_scopes": []}},
        {"fields": {"opens_scopes": "team:ward"}},
        {"fields": {"opens_scopes": ["ward"]}},
        {"fields": {"grantee": "everyone"}},
        {"fields": {"grantee": ["agent:claude"]}},
        {"fields": {"clearance": "cosmic"}},
        {"fields": {"goes_to": ["space"]}},
        {"fields": {"operations": ["destroy"]}},
        {"fields": {"kinds": [1]}},
        {"fields": {"not_before": "soon"}},
    ],
    ids=repr,
)
def test_what_says_too_little_or_comes_from_nobody_who_may_is_no_grant(
    fields: dict[str, Any],
) -> None:
    assert grant_from(grant_record(**fields)) is None


@pytest.mark.parametrize("status", [item for item in Status if item is not Status.ACTIVE])
def test_a_grant_whose_record_is_not_active_is_taken_back(status: Status) -> None:
    read = grant_from(grant_record(status=status))
    assert read is not None
    assert read.is_revoked


# Issuing and taking back ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, []),
        ({"scopes": (GLOBAL_SCOPE, WARD, PROJECT)}, []),
        ({"scopes": ()}, ["grant.no-scope"]),
        ({"scopes": (PROJECT, Scope(ScopeKind.PROJECT, "other"))}, ["grant.other-project"]),
        ({"expires": NOW}, ["grant.never-ends"]),
        ({"not_before": NOW + 2 * DAY}, ["grant.never-ends"]),
        ({"clearance": Sensitivity.SEALED}, ["grant.too-high"]),
        ({"kinds": ("receipt",)}, ["grant.account"]),
        ({"grantee": Principal.parse("system:memfs")}, ["grant.no-grantee"]),
    ],
)
def test_what_may_be_granted(fields: dict[str, Any], expected: list[str]) -> None:
    reasons = check_grant(grant(**fields), project=PROJECT, now=NOW)
    assert [reason.code for reason in reasons] == expected


def test_only_a_grant_that_counts_is_taken_back() -> None:
    assert check_revocation(grant(), NOW) is None
    for over in (grant(is_revoked=True), grant(expires=NOW)):
        denial = check_revocation(over, NOW)
        assert denial is not None
        assert denial.code == "grant.over"


def test_who_may_not_see_when_an_event_happened_learns_it_by_no_question() -> None:
    event = Record(
        kind="event", title="Moved", scope=PROJECT, record_class="clinical", event_time=NOW
    )
    of_class = {"record_classes": ("clinical",), "kinds": ("event",)}
    blind = grant(shown_fields=("title",), **of_class)
    assert may_read(event, asked(blind, valid_at=NOW - DAY)).allowed
    seeing = grant(shown_fields=("title", "event_time"), **of_class)
    assert not may_read(event, asked(seeing, valid_at=NOW - DAY)).allowed
    assert may_read(event, asked(seeing, valid_at=NOW)).allowed
