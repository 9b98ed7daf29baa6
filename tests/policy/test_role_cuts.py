"""The cuts of role memory: four rows over one graph, a budget of cards, what stays out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.model.authority import Sensitivity, Sink
from memfs.model.role import Lifecycle, Profile, RepoRelation, role_scope
from memfs.model.scope import Scope
from memfs.policy.role_cuts import (
    CUTS,
    DEFAULT_CARDS,
    LEAST_CARDS,
    MOST_CARDS,
    MOST_NAMED,
    PacketKind,
    Sort,
    Withheld,
    cards_from,
    check_public,
    contradictions,
    in_turns,
    is_put_aside,
    is_sayable,
    lane_of,
)
from memfs.policy.role_lifecycle import ROW_OF
from tests.conftest import ROOT
from tests.support.policy import identifier
from tests.support.roles import ROLE, edge, memory


def test_the_guide_tells_the_lanes_and_the_bounds_as_they_are() -> None:
    guide = (ROOT / "docs/guides/role-context.md").read_text(encoding="utf-8")
    for kind, cut in CUTS.items():
        (row,) = [line for line in guide.splitlines() if line.startswith(f"| `{kind}` |")]
        lanes = ", ".join(f"{lane.name} {lane.share}" for lane in cut.lanes)
        assert row.endswith(f"| {lanes} |")
    bounds = f"It is {DEFAULT_CARDS} if you say nothing, never less than {LEAST_CARDS}\n"
    assert f"{bounds}and never more than {MOST_CARDS}." in guide
    assert f"at most {MOST_NAMED} ids" in guide
    reasons = ", ".join(f"`{code}`" for code in sorted(Withheld))
    assert sorted(reasons.split(", ")) == sorted(
        guide.partition("counted by reason: ")[2].partition(".")[0].split(", ")
    )


@pytest.mark.parametrize(
    ("asked", "most"),
    [(None, 12), (12, 12), (1, 1), (0, 1), (-5, 1), (64, 64), (65, 64), (10**30, 64)],
)
def test_a_budget_is_twelve_cards_and_within_its_bounds(asked: int | None, most: int) -> None:
    assert cards_from(asked) == most


def _lane(kind: PacketKind, *, is_stale: bool = False, **fields: str) -> str:
    found = lane_of(CUTS[kind], memory(**fields), is_stale=is_stale)
    return found.name if found is not None else ""


def test_each_kind_takes_the_profiles_that_are_for_it_and_no_other() -> None:
    assert list(CUTS) == list(PacketKind)
    taken = {
        kind: {
            profile: lane
            for profile in Profile
            if (lane := _lane(kind, profile=profile, lifecycle=ROW_OF[profile].states[0]))
        }
        for kind in PacketKind
    }
    assert taken == {
        PacketKind.REPO: {
            Profile.REPO_ARCHITECTURE: "architecture",
            Profile.REPO_DATAFLOW: "dataflow",
            Profile.EVIDENCE: "evidence",
            Profile.ROLE_SELF: "learned",
        },
        PacketKind.ROLE: {
            Profile.IDENTITY: "identity",
            Profile.ROLE_SELF: "self",
            Profile.CONVERSATION: "short-term",
            Profile.INCUBATION: "incubation",
            Profile.AGENCY_PRESSURE: "agency",
            Profile.CANDIDATE_INTERVENTION: "interventions",
            Profile.EVIDENCE: "evidence",
        },
        PacketKind.PUBLIC: {Profile.CANDIDATE_INTERVENTION: "to say"},
        PacketKind.COORDINATOR: {Profile.AGENCY_PRESSURE: "pressure"},
    }
    owed = _lane(PacketKind.COORDINATOR, profile="agency_pressure", lifecycle="obligated")
    assert owed == "obligations"
    assert _lane(PacketKind.COORDINATOR, profile="role_self", is_stale=True) == "stale"
    assert _lane(PacketKind.PUBLIC, profile="candidate_intervention", lifecycle="spoken") == ""
    links = {
        kind: [
            relation
            for relation in ("supports", *RepoRelation)
            if lane_of(CUTS[kind], edge(relation=str(relation)), is_stale=False)
        ]
        for kind in PacketKind
    }
    assert links[PacketKind.REPO] == list(RepoRelation)
    assert links[PacketKind.ROLE] == ["supports"]
    assert links[PacketKind.PUBLIC] == links[PacketKind.COORDINATOR] == []
    receipts = [
        kind for kind, cut in CUTS.items() if any(x.sort is Sort.RECEIPT for x in cut.lanes)
    ]
    assert receipts == [PacketKind.COORDINATOR]
    repo = CUTS[PacketKind.REPO].lanes
    assert repo[0].share >= max(lane.share for lane in repo[1:])


def test_what_is_over_or_was_contradicted_is_put_aside_and_so_is_an_edge_that_tells_of_it() -> None:
    over = {
        (profile, state)
        for profile, row in ROW_OF.items()
        for state in row.states
        if is_put_aside(memory(profile=profile, lifecycle=state))
    }
    wanted = {(profile, state) for profile, row in ROW_OF.items() for state in row.over}
    assert over == wanted | {(Profile.EVIDENCE, Lifecycle.CONTRADICTED)}
    assert is_put_aside(memory(lifecycle="no such state"))
    assert [name for name in ("contradicts", "retires", "supports", "revises")
            if is_put_aside(edge(relation=name))] == ["contradicts", "retires"]  # fmt: skip


def test_only_what_takes_part_contradicts_what_takes_part() -> None:
    names = [identifier(number, "role") for number in range(4)]
    memories = {name: memory(id=name) for name in names}
    memories[names[2]] = memory(id=names[2], lifecycle="pruned")
    edges = [
        edge(**{"from": names[1], "to": names[0], "relation": "contradicts"}),
        edge(**{"from": names[1], "to": names[0], "relation": "contradicts"}),
        edge(**{"from": names[2], "to": names[0], "relation": "contradicts"}),
        edge(**{"from": names[1], "to": names[2], "relation": "contradicts"}),
        edge(**{"from": names[3], "to": names[3], "relation": "contradicts"}),
        edge(**{"from": names[3], "to": names[0], "relation": "supports"}),
        edge(**{"from": identifier(9, "role"), "to": names[0], "relation": "contradicts"}),
    ]
    assert contradictions(memories, edges) == {names[0]: (names[1],)}


_LANES = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 20)), max_size=6)


@given(lanes=_LANES, most=st.integers(1, 64))
def test_turns_never_exceed_the_budget_nor_leave_room_that_could_be_used(
    lanes: list[tuple[int, int]], most: int
) -> None:
    offered = [
        (share, [(lane, item) for item in range(count)])
        for lane, (share, count) in enumerate(lanes)
    ]
    taken = in_turns(offered, most)
    assert len(taken) == min(most, sum(count for _, count in lanes))
    # Whole beginnings of lanes, in lane order: nothing is skipped.
    assert list(taken) == sorted(taken)
    for lane, (_, items) in enumerate(offered):
        mine = [item for item in taken if item[0] == lane]
        assert mine == items[: len(mine)]
    first = next((items[0] for _, items in offered if items), None)
    assert not taken or taken[0] == first


def test_words_are_sayable_while_they_are_speech_and_open() -> None:
    said = {"profile": "candidate_intervention", "intent": "speech", "words": "Hello."}
    assert is_sayable(memory(**said, lifecycle="queued"))
    assert is_sayable(memory(**said, lifecycle="deferred"))
    assert not is_sayable(memory(**said, lifecycle="spoken"))
    assert not is_sayable(memory(**{**said, "intent": "note"}, lifecycle="queued"))
    assert not is_sayable(memory(**{**said, "words": " \n"}, lifecycle="queued"))
    assert not is_sayable(memory(**{**said, "profile": "role_self"}, lifecycle="accepted"))


def test_nothing_private_confidential_or_bound_to_the_store_is_behind_public_words() -> None:
    own = memory()
    assert check_public(own, ROLE) is None
    assert check_public(replace(own, scope=None), ROLE) is None
    assert check_public(replace(own, scope=Scope.parse("project:demo")), ROLE) is None
    cases = {
        Withheld.SENSITIVE: (
            replace(own, sensitivity=Sensitivity.CONFIDENTIAL),
            replace(own, record_class="clinical"),
        ),
        Withheld.PRIVATE: tuple(
            replace(own, scope=scope)
            for scope in (
                role_scope("other"),
                *map(Scope.parse, ("session:s1", "task:t1", "thread:x", "team:core", "global")),
            )
        ),
        Withheld.SINK: tuple(
            replace(own, sinks=frozenset(sinks))
            for sinks in ((Sink.PERSON,), set(Sink) - {Sink.REMOTE}, set(Sink) - {Sink.EXPORT})
        ),
    }
    for code, records in cases.items():
        assert {check_public(record, ROLE) for record in records} == {code}
