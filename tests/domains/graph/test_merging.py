"""What two records say once they are one, and that they come apart again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.app.registry import REGISTRY
from memfs.domains.graph.merging import aliases_of, check_merge, check_result, merged
from memfs.domains.graph.parting import taken_apart
from memfs.model.authority import DEFAULT_SINKS, Authority, Sensitivity, Sink
from memfs.model.naming import entity_key
from memfs.model.origin import Origin, OriginClass
from memfs.model.record import Record
from memfs.model.scope import GLOBAL_SCOPE
from memfs.model.status import Status
from tests.support.graphs import claim, edge, entity, named
from tests.support.recall_stores import STATED

LATER = datetime(2027, 1, 1, tzinfo=UTC)
WORDS = st.lists(
    st.sampled_from(["alpha", "beta.", "# gamma", "", "- δelta", "  eps", "ключ"]), max_size=5
).map("\n".join)
NAMES = st.sampled_from(["PG", "pg", "Postgres", "P-G", "база", "Base", "C++", "C"])


@st.composite
def things(draw: st.DrawFn, name: str) -> Record:
    """Yields entities with everything that two of them can differ in."""
    fields: dict[str, Any] = {}
    if aliases := draw(st.lists(NAMES, max_size=3, unique_by=entity_key)):
        fields["aliases"] = aliases
    keys = st.sampled_from(["port", "os", "owner"])
    if values := draw(st.dictionaries(keys, st.sampled_from(["1", "two", "drei"]), max_size=3)):
        fields["attributes"] = values
    plain = entity(
        name,
        body=draw(WORDS),
        summary=draw(st.sampled_from(["", "A short word.", "Another one."])),
        abstract=draw(st.sampled_from(["", "A longer story of it."])),
        tags=tuple(draw(st.lists(st.sampled_from("abc"), max_size=3, unique=True))),
        importance=draw(st.integers(1, 10)),
        sensitivity=draw(st.sampled_from(list(Sensitivity)[:2])),
        unknown=draw(st.dictionaries(st.just("colour"), st.sampled_from(["red", "blue"]))),
        confidence=draw(st.sampled_from([None, 0.5, 1.0])),
    )
    return replace(plain, fields=fields)


@settings(max_examples=40)
@given(things("one"), things("two"))
def test_no_word_of_either_is_dropped(first: Record, second: Record) -> None:
    whole = merged(first, second)
    told = " ".join(f"{whole.title} {whole.body} {whole.summary} {whole.abstract}".split())
    told += f" {whole.fields} {whole.unknown} {whole.tags}"
    for record in (first, second):
        for line in (*record.body.split("\n"), record.summary, record.abstract):
            assert " ".join(line.split()) in told
        attributes = record.fields.get("attributes", {})
        assert isinstance(attributes, Mapping)
        assert all(str(value) in told for value in attributes.values())
        keys = {entity_key(name) for name in (whole.title, *aliases_of(whole))}
        assert {entity_key(name) for name in (record.title, *aliases_of(record))} <= keys
        assert set(record.tags) <= set(whole.tags)
        assert all(str(value) in told for value in record.unknown.values())
    assert whole.id == first.id
    assert len({entity_key(name) for name in aliases_of(whole)}) == len(aliases_of(whole))
    assert not check_result(whole, REGISTRY)


@settings(max_examples=40)
@given(things("one"), things("two"))
def test_what_was_merged_comes_apart_as_it_was(first: Record, second: Record) -> None:
    whole = merged(first, second)
    apart, is_clean = taken_apart(whole, first, whole)
    assert is_clean
    assert replace(apart, fields=dict(apart.fields)) == replace(
        first, authority=first.authority, fields=dict(first.fields)
    )


@settings(max_examples=40)
@given(things("one"), things("two"), st.sampled_from(["Said since.", "# And more"]))
def test_what_was_said_since_stays(first: Record, second: Record, since: str) -> None:
    whole = merged(first, second)
    edited = replace(
        whole, body=f"{whole.body}\n{since}\n", tags=(*whole.tags, "since"), importance=10
    )
    apart, _ = taken_apart(edited, first, whole)
    assert since in apart.body
    assert apart.tags == (*first.tags, "since")
    assert set(aliases_of(apart)) == set(aliases_of(first))
    for line in first.body.split("\n"):
        assert line.strip() in apart.body


def test_words_that_were_edited_since_stay_with_the_labels_that_they_brought() -> None:
    first = claim("one", body="One stands.\n")
    second = claim("two", body="Two is kept closely.\n", sensitivity=Sensitivity.CONFIDENTIAL)
    whole = merged(first, second)
    edited = replace(whole, body=whole.body.replace("closely", "very closely"))
    apart, is_clean = taken_apart(edited, first, whole)
    assert not is_clean
    assert "very closely" in apart.body
    assert apart.sensitivity is Sensitivity.CONFIDENTIAL
    assert apart.supersedes == ()


def test_a_merged_record_is_worth_no_more_and_goes_no_further_than_either() -> None:
    remote = Origin(
        origin_class=OriginClass.REMOTE, principal=STATED.principal, channel=STATED.channel
    )
    first = claim("one", sinks=DEFAULT_SINKS, authority=Authority.USER)
    second = claim(
        "two",
        origin=remote,
        authority=Authority.REMOTE,
        sinks=frozenset({Sink.PERSON}),
        taint=("remote",),
        expires=LATER,
        confidence=0.25,
    )
    for whole in (merged(first, second), merged(second, first)):
        assert whole.authority is Authority.REMOTE
        assert whole.sinks == {Sink.PERSON}
        assert whole.taint == ("remote",)
        assert whole.expires == LATER
        assert whole.confidence == 0.25


def test_what_stays_rests_on_what_gave_way_and_names_it_no_more() -> None:
    first = claim("one", entities=(named("two", "mem"), named("x")), tags=("a",))
    second = claim("two", entities=(named("one", "mem"), named("y")), tags=("b", "a"))
    whole = merged(first, second)
    assert whole.derived_from == (second.id,)
    assert whole.supersedes == (second.id,)
    assert whole.entities == (named("x"), named("y"))
    assert whole.tags == ("a", "b")


def test_words_that_stand_there_already_are_not_said_twice() -> None:
    first = claim("one", body="Both say this.\n\nOne says this.\n", summary="Short.")
    second = claim("one", id=named("two", "mem"), body="both SAY this.\n", summary="Short.")
    assert merged(first, second).body == first.body


def test_otherwise_worded_attributes_are_both_kept() -> None:
    first = replace(entity("PG", body=""), fields={"attributes": {"port": 1}})
    second = replace(entity("PG2", body=""), fields={"attributes": {"port": 2, "os": "x"}})
    drawn = edge("PG", "PG2", summary="since\nspring", sensitivity=Sensitivity.CONFIDENTIAL)
    whole = merged(first, second, (drawn,))
    assert whole.fields["attributes"] == {"port": 1, "os": "x"}
    assert whole.body == "## PG2\n\n- port: 2\n- uses: since spring\n"
    assert whole.derived_from == (second.id, drawn.id)
    assert whole.sensitivity is Sensitivity.CONFIDENTIAL


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"kind": "fact"}, "merge.kind"),
        ({"scope": GLOBAL_SCOPE}, "merge.scope"),
        ({"record_class": "clinical"}, "merge.class"),
        ({"sensitivity": Sensitivity.SEALED}, "merge.sealed"),
        ({"valid_until": LATER}, "merge.validity"),
        ({"status": Status.RETRACTED}, "record.not-active"),
        ({"id": named("one", "mem")}, "merge.same"),
    ],
)
def test_two_stay_two_where_one_would_say_too_much(change: dict[str, Any], code: str) -> None:
    first, second = claim("one"), claim("two")
    assert check_merge(first, second) == ()
    assert [item.code for item in check_merge(first, replace(second, **change))] == [code]
