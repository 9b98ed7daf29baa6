"""What is offered to another namespace, and for how much it is believed there."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.app.registry import REGISTRY
from memfs.model.authority import DEFAULT_SINKS, Authority, Sensitivity, Sink
from memfs.model.decision import Verdict
from memfs.model.record import Record
from memfs.model.relation import Relation, RelationKind
from memfs.model.scope import GLOBAL_SCOPE, Scope, ScopeKind
from memfs.model.status import Status
from memfs.policy.access import AccessRequest
from memfs.policy.publication import (
    believed,
    check_publication,
    is_published,
    offer_digest,
    offered_draft,
    published_reference,
    source_pointer,
    without_reference,
)
from tests.support.policy import (
    AGENT,
    ANA,
    IMPORT,
    NOW,
    PROJECT,
    TOOL,
    claim,
    codes,
    identifier,
    origin_of,
    submit,
    view,
)

STORE = "store_01kb8x3v6yq4m9t2r7w5000000"
REQUEST = AccessRequest(actor=ANA, sink=Sink.PERSON, now=NOW, project=PROJECT)
FULL = Record(
    kind="fact",
    id=identifier(1),
    title="Deploys",
    body="Deploys go out on Tuesdays.\n",
    version=3,
    scope=PROJECT,
    subject="deploys",
    record_class="operations",
    observed=NOW,
    review_after=NOW,
    origin=origin_of(TOOL, "x", source="mail:17"),
    authority=Authority.REMOTE,
    sensitivity=Sensitivity.CONFIDENTIAL,
    sinks=frozenset({Sink.PERSON}),
    taint=("remote", "web"),
    evidence=(identifier(2, "ev"),),
    derived_from=(identifier(3),),
    transform="summary",
    supersedes=(identifier(4),),
    conflicts=(identifier(5),),
    relations=(Relation(kind=RelationKind.USER_CONFIRMED, target=identifier(6)),),
    branch="main",
    tags=("release",),
)
LABELS = ("record_class", "sensitivity", "sinks", "taint", "authority")
LEFT_BEHIND = (
    *("evidence", "derived_from", "transform", "supersedes", "superseded_by", "conflicts"),
    *("relations", "branch", "review_after"),
)


def denied(record: Record, destination: Scope = GLOBAL_SCOPE, **changes: object) -> list[str]:
    values = {"destination": destination, "destination_owner": destination, **changes}
    kind = REGISTRY.get(record.kind)
    reasons = check_publication(record, kind, REQUEST, **values)  # type: ignore[arg-type]
    return [item.code for item in reasons]


def test_what_is_offered_keeps_its_words_and_its_restrictions_and_leans_on_nothing() -> None:
    draft = offered_draft(FULL, GLOBAL_SCOPE, STORE)
    assert (draft.id, draft.version, draft.scope) == ("", 1, GLOBAL_SCOPE)
    for name in (*LABELS, "title", "body", "subject", "tags", "observed"):
        assert getattr(draft, name) == getattr(FULL, name), name
    empty = Record(kind="fact")
    for name in LEFT_BEHIND:
        assert getattr(draft, name) == getattr(empty, name), name
    assert draft.origin is not None
    assert FULL.origin is not None
    assert draft.origin.source == f"publication:{STORE}/{FULL.id}@3"
    assert draft.origin.digest == offer_digest(STORE, FULL)
    assert replace(draft.origin, source="", digest="") == replace(FULL.origin, source="", digest="")
    covered = {*LABELS, *LEFT_BEHIND, "id", "version", "scope", "origin"}
    rest = {field.name for field in fields(Record)} - covered
    assert all(getattr(draft, name) == getattr(FULL, name) for name in rest)


@given(
    source=st.sampled_from(Authority),
    result=st.sampled_from(Authority),
    actor=st.sampled_from([ANA, AGENT, TOOL, IMPORT]),
)
def test_a_copy_is_never_believed_for_more_than_its_source(
    source: Authority, result: Authority, actor: object
) -> None:
    record = replace(FULL, authority=source, origin=origin_of(actor))  # type: ignore[arg-type]
    draft = offered_draft(record, GLOBAL_SCOPE, STORE)
    assert draft.origin is not None
    assert believed(result, draft, draft.origin) == min(source, result)
    bare = replace(draft, authority=None)
    assert believed(result, bare, draft.origin) <= Authority.UNVERIFIED
    assert believed(result, draft, origin_of(ANA)) == result


@pytest.mark.parametrize("authority", Authority)
def test_not_even_a_review_raises_it(authority: Authority) -> None:
    record = replace(claim(id=identifier(1), scope=PROJECT), origin=origin_of(ANA))
    draft = offered_draft(replace(record, authority=authority), GLOBAL_SCOPE, STORE)
    ledger = view(project=GLOBAL_SCOPE)
    decision = submit(draft, origin=draft.origin, ledger=ledger, is_confirmed=True)
    assert decision.verdict is Verdict.ACTIVATE
    assert decision.authority == min(authority, Authority.USER)


@pytest.mark.parametrize("actor", [ANA, AGENT])
@pytest.mark.parametrize("destination", [GLOBAL_SCOPE, PROJECT, Scope(ScopeKind.TASK, "t")])
def test_what_was_published_waits_for_a_person_whoever_said_it(
    destination: Scope, actor: object
) -> None:
    record = claim(id=identifier(1), origin=origin_of(actor))  # type: ignore[arg-type]
    draft = offered_draft(record, destination, STORE)
    owner = GLOBAL_SCOPE if destination == GLOBAL_SCOPE else PROJECT
    decision = submit(draft, origin=draft.origin, ledger=view(project=owner))
    assert decision.verdict is Verdict.QUARANTINE
    assert codes(decision)[0] == "publication.review"


def test_what_may_be_offered_is_offered() -> None:
    assert denied(FULL) == []
    assert denied(replace(FULL, scope=Scope(ScopeKind.AGENT, "x"))) == []
    assert denied(replace(FULL, scope=None)) == []


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.ACTIVE])
def test_only_what_is_active_is_offered(status: Status) -> None:
    assert denied(replace(FULL, status=status)) == ["publication.not-active"]


def test_what_is_sealed_polluted_or_no_claim_stays() -> None:
    assert denied(replace(FULL, sensitivity=Sensitivity.SEALED)) == ["publication.sealed"]
    assert denied(replace(FULL, kind="receipt")) == ["publication.not-a-claim"]
    assert denied(replace(FULL, kind="no-such-kind")) == ["publication.not-a-claim"]
    there = frozenset({GLOBAL_SCOPE})
    assert denied(FULL, polluted_there=there) == ["publication.polluted"]


@pytest.mark.parametrize("scope", [None, PROJECT])
def test_nothing_leaves_a_polluted_namespace(scope: Scope | None) -> None:
    request = replace(REQUEST, polluted=frozenset({PROJECT}))
    reasons = check_publication(
        replace(FULL, scope=scope),
        REGISTRY.get("fact"),
        request,
        destination=GLOBAL_SCOPE,
        destination_owner=GLOBAL_SCOPE,
    )
    assert [item.code for item in reasons] == ["publication.polluted"]


def test_a_namespace_is_offered_to_where_it_is_owned_and_not_where_the_record_is() -> None:
    other = Scope(ScopeKind.PROJECT, "other")
    assert denied(FULL, other) == []
    assert denied(FULL, other, destination_owner=PROJECT) == ["scope.other-store"]
    assert denied(FULL, GLOBAL_SCOPE, destination_owner=PROJECT) == ["scope.other-store"]
    assert denied(FULL, PROJECT) == ["publication.same-scope"]


def test_a_pointer_names_the_source_and_can_be_cut_short() -> None:
    origin = origin_of(AGENT, source=source_pointer(STORE, "mem_x@2"))
    assert is_published(origin)
    assert published_reference(origin) == "mem_x@2"
    short = without_reference(origin)
    assert (short.source, short.digest) == (f"publication:{STORE}", "")
    assert published_reference(short) == ""
    assert published_reference(origin_of(AGENT)) == published_reference(None) == ""


def test_the_digest_confirms_no_guess_without_the_pointer() -> None:
    digests = {
        offer_digest(STORE, FULL),
        offer_digest("store_x", FULL),
        offer_digest(STORE, replace(FULL, version=4)),
        offer_digest(STORE, replace(FULL, body="Other.\n")),
        offer_digest(STORE, replace(FULL, title="Other")),
    }
    assert len(digests) == 5
    assert offer_digest(STORE, replace(FULL, tags=(), sinks=DEFAULT_SINKS)) in digests
