"""Labels of what is derived: never weaker than the inputs, whatever the graph."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.model.authority import DEFAULT_SINKS, Authority, Sensitivity, Sink
from memfs.model.origin import Actor, Channel, OriginClass, Principal
from memfs.model.record import Record
from memfs.policy.authority import (
    capture_origin,
    default_authority,
    default_sinks,
    derive_authority,
    derive_sensitivity,
    derive_sinks,
    derive_taint,
    foreign_commit_source,
    hand_edit_source,
    is_hand_edit,
    is_person_origin,
    labelled,
    origin_class,
)
from tests.support.policy import AGENT, ANA, HOOK, TOOL, WORKSPACE, claim, evidence, origin_of

AUTHORITIES = st.sampled_from(Authority)
SINKS = st.frozensets(st.sampled_from(Sink))


@pytest.mark.parametrize(
    ("channel", "given_class", "authority"),
    [
        (Channel.TERMINAL, OriginClass.USER_STATED, Authority.USER),
        (Channel.EDITOR, OriginClass.USER_STATED, Authority.USER),
        (Channel.PAGE, OriginClass.USER_STATED, Authority.USER),
        (Channel.SCRIPTED, OriginClass.USER_STATED, Authority.USER),
        (Channel.PROMPT_HOOK, OriginClass.USER_STATED, Authority.USER),
        (Channel.HOST, OriginClass.HOST_OBSERVED, Authority.OBSERVED),
        (Channel.WORKSPACE, OriginClass.WORKSPACE, Authority.WORKSPACE),
        (Channel.TOOL, OriginClass.REMOTE, Authority.REMOTE),
        (Channel.AGENT, OriginClass.AGENT_STATED, Authority.NONE),
        (Channel.IMPORT, OriginClass.IMPORTED, Authority.UNVERIFIED),
        (Channel.SYSTEM, OriginClass.SYSTEM, Authority.OBSERVED),
    ],
)
def test_each_channel_gives_its_class_and_default_authority(
    channel: Channel, given_class: OriginClass, authority: Authority
) -> None:
    assert origin_class(channel) is given_class
    assert default_authority(given_class) is authority


@pytest.mark.parametrize("name", ["agent:claude", "tool:web", "system:memfs"])
@pytest.mark.parametrize("channel", [Channel.TERMINAL, Channel.EDITOR, Channel.PROMPT_HOOK])
def test_only_people_speak_on_the_channels_of_people(name: str, channel: Channel) -> None:
    origin = capture_origin(Actor(Principal.parse(name), channel), "x")
    assert origin.origin_class is OriginClass.AGENT_STATED


def test_only_memfs_speaks_on_the_system_channel() -> None:
    origin = capture_origin(Actor(Principal.parse("agent:claude"), Channel.SYSTEM), "x")
    assert origin.origin_class is OriginClass.AGENT_STATED


def test_an_origin_is_complete_and_keeps_no_words() -> None:
    origin = capture_origin(ANA, "a very private sentence", speaker="Ana")
    assert origin.source == "terminal:user:ana"
    assert origin.digest.startswith("sha256:source:")
    assert "private" not in repr(origin)
    assert origin != capture_origin(ANA, "another sentence", speaker="Ana")


def test_what_a_person_typed_into_an_agent_is_evidence_not_a_statement_here() -> None:
    assert is_person_origin(origin_of(ANA))
    assert not is_person_origin(origin_of(HOOK))


def test_hand_edits_and_foreign_commits_are_told_apart() -> None:
    assert is_hand_edit(origin_of(WORKSPACE, "x", hand_edit_source("a.md")))
    assert not is_hand_edit(origin_of(WORKSPACE, "x", foreign_commit_source("c", "a.md")))
    assert not is_hand_edit(origin_of(AGENT, "x", hand_edit_source("a.md")))


@given(st.lists(AUTHORITIES, min_size=1), AUTHORITIES)
def test_another_input_never_raises_authority(inputs: list[Authority], more: Authority) -> None:
    derived = derive_authority(inputs)
    assert derived <= min(inputs)
    assert derive_authority([*inputs, more]) <= derived
    assert derive_authority([derived, derived]) == derived


@given(st.lists(st.sampled_from(Sensitivity), min_size=1), st.lists(SINKS, min_size=1))
def test_sensitivity_only_rises_and_sinks_only_shrink(
    levels: list[Sensitivity], sinks: list[frozenset[Sink]]
) -> None:
    assert all(derive_sensitivity(levels) >= level for level in levels)
    assert all(derive_sinks(sinks) <= allowed for allowed in sinks)


@given(st.data())
def test_authority_never_rises_over_random_derivation_graphs(data: st.DataObject) -> None:
    leaves = data.draw(st.lists(AUTHORITIES, min_size=1, max_size=6))
    nodes: list[tuple[Authority, Authority]] = [(leaf, leaf) for leaf in leaves]
    for _ in range(data.draw(st.integers(0, 12))):
        chosen = data.draw(st.lists(st.sampled_from(nodes), min_size=1, max_size=4))
        authority = derive_authority(node[0] for node in chosen)
        nodes.append((authority, min(node[1] for node in chosen)))
    assert all(authority <= lowest_leaf for authority, lowest_leaf in nodes)


def test_nothing_is_believed_without_an_input() -> None:
    assert derive_authority([]) is Authority.NONE
    assert derive_sinks([]) == DEFAULT_SINKS
    assert derive_sensitivity([]) is Sensitivity.NORMAL
    assert derive_taint([("b",), ("a", "b")]) == ("a", "b")


def test_remote_text_does_not_leave_the_machine_again() -> None:
    assert default_sinks(OriginClass.REMOTE) == {Sink.PERSON, Sink.AGENT}


def test_a_derived_draft_gets_the_strictest_labels_of_its_inputs() -> None:
    web = evidence(1, "x", TOOL, sensitivity=Sensitivity.CONFIDENTIAL, taint=("web:example",))
    local = evidence(2, "x", sinks=frozenset({Sink.PERSON, Sink.REMOTE}))
    draft: Record = labelled(claim(taint=("mine",)), origin_of(AGENT), (web, local))
    assert draft.sensitivity is Sensitivity.CONFIDENTIAL
    assert draft.sinks == {Sink.PERSON, Sink.REMOTE}
    assert draft.taint == ("agent", "mine", "web:example")
    assert draft.origin == origin_of(AGENT)
