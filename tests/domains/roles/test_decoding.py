"""Proposals are read strictly: fourteen operations, their members, their bounds, and no more."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.domains.roles.decoding import MOST_BYTES
from memfs.model.role_operation import OperationName, QueueCandidate, RecordShortTerm
from memfs.policy.role_operations import MOST_CLAIM, MOST_MEMORIES, PROJECT_TRUTH, TABLE
from tests.support.policy import identifier
from tests.support.roles import REASON, RUN, WHOLE, decoded, proposal, whole

ONE: Final = identifier(1, "role")
TWO: Final = identifier(2, "role")
GOOD: Final = {
    "RecordShortTermMemory": whole("RecordShortTermMemory", role="claude", saturation=0.1),
    "ClusterShortTermMemory": proposal("ClusterShortTermMemory", memories=[ONE, TWO]),
    "PruneShortTermMemory": proposal("PruneShortTermMemory", memories=[ONE], **REASON),
    "ApplyMemoryDistillation": whole("ApplyMemoryDistillation", sources=[ONE]),
    "MergeIncubationSupport": proposal("MergeIncubationSupport", sources=[ONE], thread=TWO),
    "ReviseDurableMemory": proposal("ReviseDurableMemory", memory=ONE, claim="x", **REASON),
    "RetireDurableMemory": proposal("RetireDurableMemory", memory=ONE, by=TWO, **REASON),
    "CrystallizeMemoryIntoIdentity": whole("CrystallizeMemoryIntoIdentity", sources=[ONE]),
    "QueueCandidateIntervention": whole(
        "QueueCandidateIntervention", intent="speech", words="Shall we wait?", answers=[TWO]
    ),
    "RetireCandidateIntervention": proposal("RetireCandidateIntervention", candidate=ONE, **REASON),
    "MarkCandidateInterventionSpoken": proposal(
        "MarkCandidateInterventionSpoken", candidate=ONE, receipt=RUN, refractory_minutes=30
    ),
    "UpsertAgencyPressure": whole("UpsertAgencyPressure", intensity=0.5, obligated=True),
    "RetireAgencyPressure": proposal("RetireAgencyPressure", pressure=ONE, **REASON),
    "RefreshMemoryEmbeddingManifest": proposal(
        "RefreshMemoryEmbeddingManifest",
        model="small",
        dimensions=384,
        entries=[{"id": ONE, "hash": "0" * 32}],
    ),
}


def codes_of(text: str) -> list[str]:
    """Returns why a proposal is none."""
    read = decoded(text)
    assert (read.operation is None) is bool(read.reasons)
    return [why.code for why in read.reasons]


def test_all_fourteen_operations_exist() -> None:
    assert set(GOOD) == {str(name) for name in OperationName}
    assert {str(row.name) for row in TABLE} == set(GOOD)
    for name, text in GOOD.items():
        assert (codes_of(text), decoded(text).name) == ([], name)


@pytest.mark.parametrize(
    "name", ["", "Remember", "recordshorttermmemory", "DeleteMemory", None, 3, ["x"]]
)
def test_anything_else_is_refused_as_no_operation(name: object) -> None:
    text = json.dumps({**WHOLE, "operation": name})
    assert codes_of(text) == ["role.unknown-operation"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        '"RecordShortTermMemory"',
        "{",
        '{"operation": "PruneShortTermMemory", "operation": "RecordShortTermMemory"}',
        '{"operation": "UpsertAgencyPressure", "intensity": NaN}',
        "[" * 50_000,
        # Read by the reader of JSON, and deeper than what goes through it could go.
        f'{{"operation": {"[" * 985}{"]" * 985}}}',
        f'{{"operation": "RecordShortTermMemory", "tags": {"[" * 9}{"]" * 9}}}',
        b"\xff\xfe",
        json.dumps({"operation": "x" * MOST_BYTES}),
    ],
    ids=range(12),
)
def test_what_is_no_plain_object_is_refused(text: Any) -> None:
    assert codes_of(text) == ["role.unreadable"]


@pytest.mark.parametrize("name", GOOD)
def test_a_member_that_an_operation_does_not_take_is_refused_at_any_depth(name: str) -> None:
    assert codes_of(json.dumps({**json.loads(GOOD[name]), "colour": "red"})) == [
        "role.unknown-field"
    ]


@pytest.mark.parametrize("name", GOOD)
def test_each_required_member_is_required(name: str) -> None:
    row = next(row for row in TABLE if row.name == name)
    value = json.loads(GOOD[name])
    for member in row.members:
        if member.is_required:
            rest = {key: item for key, item in value.items() if key != member.name}
            assert codes_of(json.dumps(rest)) == ["role.missing-field"]


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"claim": "x" * (MOST_CLAIM + 1)}, "role.bad-field"),
        ({"claim": "two\nlines"}, "role.bad-field"),
        ({"claim": "bell \x07"}, "role.bad-field"),
        ({"claim": "\ud800"}, "role.bad-field"),
        ({"claim": "   "}, "role.missing-field"),
        ({"claim": 7}, "role.bad-field"),
        ({"salience": 1.01}, "role.bad-field"),
        ({"salience": -0.1}, "role.bad-field"),
        ({"confidence": True}, "role.bad-field"),
        ({"confidence": "0.5"}, "role.bad-field"),
        ({"saturation": None, "confidence": 10**400}, "role.bad-field"),
        ({"tags": ["x"] * 2}, "role.bad-field"),
        ({"tags": [f"t{number}" for number in range(17)]}, "role.bad-field"),
        ({"tags": ["x" * 61]}, "role.bad-field"),
        ({"tags": "deploy"}, "role.bad-field"),
        ({"anchors": []}, "role.bad-field"),
        ({"anchors": ["somewhere"]}, "role.anchor"),
        ({"anchors": ["anchor:missing", f"run:{RUN}"]}, "role.anchor"),
        ({"anchors": [7]}, "role.anchor"),
        ({"anchors": [f"memory:{RUN}"]}, "role.anchor"),
        ({"source_hashes": ["file:a.py"]}, "role.bad-field"),
        ({"source_hashes": ["file:a.py=zz"]}, "role.bad-field"),
        ({"question": None, "tension": None}, "role.anatomy"),
        ({"links": [{"relation": "supports", "to": ONE}]}, "role.edge-claim"),
        ({"links": [{"relation": "likes", "to": ONE, "claim": "x"}]}, "role.relation"),
        ({"links": [{"relation": "supports", "to": "x", "claim": "x"}]}, "role.bad-field"),
        (
            {"links": [{"relation": "supports", "to": ONE, "claim": "x", "x": 1}]},
            "role.unknown-field",
        ),
    ],
)
def test_counts_lengths_prefixes_and_unit_ranges_are_kept(
    members: dict[str, Any], code: str
) -> None:
    assert codes_of(whole("RecordShortTermMemory", **members)) == [code]


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        ({"add": ["I ask first"], "retire": [ONE], "salience": 0.4}, ""),
        ({}, "role.missing-field"),
        ([], "role.bad-field"),
        ({"add": [f"line {number}" for number in range(4)]}, "role.bad-field"),
        ({"add": ["x" * 201]}, "role.bad-field"),
        ({"retire": [identifier(number, "role") for number in range(4)]}, "role.bad-field"),
        ({"retire": [identifier(1, "mem")]}, "role.bad-field"),
        ({"revise": ["role_x"]}, "role.bad-field"),
        ({"salience": 1.5}, "role.bad-field"),
        ({"confidence": -1}, "role.bad-field"),
        ({"claim": "x" * 201}, "role.bad-field"),
        ({"colour": "red"}, "role.unknown-field"),
        ({"traits": {"calm": 1}}, "role.trait-baseline"),
        ({"baseline": 0.3}, "role.trait-baseline"),
        ({"plan": "x"}, "role.project-truth"),
    ],
)
def test_a_self_patch_is_kept_within_its_limits(patch: Any, code: str) -> None:
    text = whole("QueueCandidateIntervention", intent="selfPatch", patch=patch)
    assert codes_of(text) == ([code] if code else [])


@pytest.mark.parametrize("intent", ["speech", "note", "selfPatch", "review"])
def test_a_candidate_has_what_belongs_to_its_intent_and_nothing_else(intent: str) -> None:
    by_intent: dict[str, Any] = {
        "speech": {"words": "Shall we wait?"},
        "note": {"words": "Ana likes short lines."},
        "selfPatch": {"patch": {"add": ["I ask first"]}},
        "review": {},
    }
    members: dict[str, Any] = by_intent[intent]
    good = decoded(whole("QueueCandidateIntervention", intent=intent, **members)).operation
    assert isinstance(good, QueueCandidate)
    assert good.intent == intent
    both = {"words": "x", "patch": {"add": ["x"]}}
    assert codes_of(whole("QueueCandidateIntervention", intent=intent, **both)) == [
        "role.bad-field"
    ]
    if members:
        lacking = whole("QueueCandidateIntervention", intent=intent)
        assert codes_of(lacking) == ["role.missing-field"]
    assert codes_of(whole("QueueCandidateIntervention", intent="run")) == ["role.bad-field"]


@pytest.mark.parametrize("field", sorted(PROJECT_TRUTH))
def test_what_is_true_of_a_project_is_refused_as_a_member_and_as_a_target(field: str) -> None:
    for text in (
        whole("RecordShortTermMemory", **{field: "main"}),
        whole("UpsertAgencyPressure", intensity=1, **{field: {"x": 1}}),
        whole("RecordShortTermMemory", target=f"{field}:main"),
        whole("RecordShortTermMemory", target=field.replace("_", " ").upper()),
        whole("ApplyMemoryDistillation", sources=[ONE], target=f"{field.title()}: main"),
        whole(
            "RecordShortTermMemory",
            links=[{"relation": "supports", "to": ONE, "claim": "x", field: "x"}],
        ),
        proposal("ReviseDurableMemory", memory=ONE, target=f"{field}:x", **REASON),
    ):
        assert codes_of(text) == ["role.project-truth"], text


@pytest.mark.parametrize("target", ["person:ana", "self", "topic:reviews", "the way we talk"])
def test_other_targets_are_a_role_s_own(target: str) -> None:
    assert codes_of(whole("RecordShortTermMemory", target=target)) == []


@pytest.mark.parametrize("member", ["say", "speech", "words", "text", "Utterance", "speech-text"])
def test_a_pressure_has_no_member_for_words_to_be_said(member: str) -> None:
    text = whole("UpsertAgencyPressure", intensity=1, **{member: "Wait!"})
    assert codes_of(text) == ["role.speech-text"]


@pytest.mark.parametrize(
    "claim",
    ['Tell her "please wait until Monday"', "Say: wait until Monday", "Next. Tell Ana: wait"],
)
def test_a_pressure_holds_no_words_to_be_said(claim: str) -> None:
    for name in ("claim", "tension", "implication"):
        text = whole("UpsertAgencyPressure", intensity=1, **{name: claim})
        assert codes_of(text) == ["role.speech-text"]


@pytest.mark.parametrize("member", ["target", "claim", "implication", "intensity", "anchors"])
def test_a_pressure_needs_its_five_members(member: str) -> None:
    text = whole("UpsertAgencyPressure", **{"intensity": 0.5, member: None})
    assert codes_of(text) == ["role.missing-field"]


@pytest.mark.parametrize("value", [1.5, -0.1, True, "high", None])
def test_an_intensity_is_a_unit(value: object) -> None:
    text = json.dumps({"operation": "UpsertAgencyPressure", **WHOLE, "intensity": value})
    assert codes_of(text) == ["role.bad-field"]


def test_lists_of_memories_are_bounded_and_say_each_once() -> None:
    many = [identifier(number, "role") for number in range(MOST_MEMORIES + 1)]
    for memories in ([], many, [ONE, ONE], [identifier(1, "mem")], ONE):
        text = proposal("PruneShortTermMemory", memories=memories, **REASON)
        assert codes_of(text) == ["role.bad-field"]
    assert codes_of(proposal("ClusterShortTermMemory", memories=[ONE])) == ["role.bad-field"]


def test_pruning_and_retiring_need_a_reason() -> None:
    for text in (
        proposal("PruneShortTermMemory", memories=[ONE], reason=" "),
        proposal("RetireDurableMemory", memory=ONE),
        proposal("RetireAgencyPressure", pressure=ONE, because="wrong"),
    ):
        assert codes_of(text) == ["role.missing-field"]
    odd = proposal("PruneShortTermMemory", memories=[ONE], reason="x", because="bored")
    assert codes_of(odd) == ["role.bad-field"]


def test_an_operation_for_another_role_is_refused() -> None:
    assert codes_of(whole("RecordShortTermMemory", role="other")) == ["role.other-role"]


def test_no_reason_quotes_what_was_proposed() -> None:
    for members in (
        {"hunter2": "swordfish"},
        {"claim": "swordfish" * 50},
        {"target": "plan:swordfish"},
        {"tags": ["swordfish" * 20]},
        {"role": "swordfish"},
    ):
        read = decoded(whole("RecordShortTermMemory", **members))
        assert read.reasons
        assert all("swordfish" not in why.message for why in read.reasons)


def test_what_was_read_is_what_was_written() -> None:
    read = decoded(whole("RecordShortTermMemory", claim="  Ana   deploys  ", salience=1))
    assert isinstance(read.operation, RecordShortTerm)
    anatomy = read.operation.anatomy
    assert (anatomy.claim, anatomy.salience) == ("Ana   deploys", 1.0)
    assert anatomy.anchors == (f"run:{RUN}",)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(sorted(GOOD)), data=st.data())
def test_no_value_of_any_member_raises(name: str, data: st.DataObject) -> None:
    value = json.loads(GOOD[name])
    member = data.draw(st.sampled_from(sorted(value)))
    value[member] = data.draw(_VALUES)
    try:
        text = json.dumps(value)
    except ValueError:
        return
    read = decoded(text)
    assert (read.operation is None) is bool(read.reasons)
