"""The lifecycle table of role memory: every pair and every move, and what is not in it."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Final

import pytest

from memfs.model.record import Record
from memfs.model.role import RELATIONS, Lifecycle, MemoryRelation, Profile, RepoRelation
from memfs.policy.role_freshness import stale_ids
from memfs.policy.role_lifecycle import (
    ROW_OF,
    TABLE,
    check_pair,
    check_start,
    check_step,
    is_lived_on,
)
from tests.support.policy import AGENT, ANA, codes, identifier, stored, submit, view
from tests.support.roles import edge, memory

ALLOWED: Final = {
    "repo_architecture": "observed proposed accepted stale retired",
    "repo_dataflow": "observed proposed accepted stale retired",
    "role_self": "proposed accepted revised retired crystallized",
    "identity": "proposed accepted revised retired crystallized",
    "conversation": "active clustered distilled incubated pruned",
    "incubation": "active deepening cooling promoted retired",
    "agency_pressure": "active obligated cooling answered retired",
    "candidate_intervention": "queued deferred spoken applied retired",
    "evidence": "observed reviewed accepted contradicted superseded retired",
}
"""What each of the nine profiles may be, as it is required."""
ELEVEN: Final = {
    "distills", "revises", "retires", "supports", "contradicts", "grounds", "triggered",
    "spoken-as", "cools", "clusters-with", "resonates-with",
}  # fmt: skip


def test_the_nine_profiles_have_the_states_that_they_are_to_have_and_no_other() -> None:
    found = {str(profile): " ".join(ROW_OF[profile].states) for profile in Profile}
    assert found == ALLOWED


@pytest.mark.parametrize("profile", Profile)
def test_every_pair_outside_the_table_is_refused_with_its_row(profile: Profile) -> None:
    for state in Lifecycle:
        refused = check_pair(profile, state)
        if state in ALLOWED[profile].split():
            assert refused is None
            continue
        assert refused is not None
        assert refused.code == "role.lifecycle"
        assert f"row {ROW_OF[profile].name}: " in refused.message


@pytest.mark.parametrize(("profile", "state"), [*product(Profile, Lifecycle)])
def test_no_record_enters_in_a_pair_that_is_none(profile: Profile, state: Lifecycle) -> None:
    draft = memory(profile=str(profile), lifecycle=str(state))
    for decision in (submit(draft, AGENT, is_typed=True), submit(draft, ANA, is_typed=True)):
        if state not in ALLOWED[profile].split():
            assert codes(decision) == ["role.lifecycle"]
        elif check_start(profile, state) is not None:
            assert codes(decision) == ["role.start"]
        else:
            assert not {"role.lifecycle", "role.start"} & set(codes(decision))


@pytest.mark.parametrize("profile", Profile)
def test_an_accepted_edit_moves_a_state_only_as_the_table_says(profile: Profile) -> None:
    row = ROW_OF[profile]
    for before, after in product(row.states, row.states):
        target = stored(1, ANA, kind="role_memory")
        was = memory(profile=str(profile), lifecycle=str(before), id=identifier(1))
        known = replace(target, record=was)
        edited = submit(
            memory(profile=str(profile), lifecycle=str(after)),
            is_confirmed=True,
            action="revise",
            target=identifier(1),
            ledger=view(target=known),
        )
        is_legal = before is after or after in row.moves[before]
        assert ("role.move" in codes(edited)) is not is_legal
        refused = check_step(profile, before, after)
        if not is_legal:
            assert refused is not None
            assert f"row {row.name}: {before} leads to" in refused.message


def test_what_is_over_leads_nowhere_but_to_being_put_aside() -> None:
    for row in TABLE:
        for state in row.over:
            assert row.moves[state] <= {Lifecycle.RETIRED}
        assert row.starts <= set(row.states)
        assert {to for moves in row.moves.values() for to in moves} <= set(row.states)


def test_what_is_stale_is_not_accepted_without_being_looked_at_again() -> None:
    stale = check_step(Profile.REPO_ARCHITECTURE, Lifecycle.STALE, Lifecycle.ACCEPTED)
    assert stale is not None
    assert check_step(Profile.REPO_ARCHITECTURE, Lifecycle.STALE, Lifecycle.OBSERVED) is None


def test_the_eleven_memory_relations_and_those_of_a_project_are_all_that_there_are() -> None:
    assert set(MemoryRelation) == ELEVEN
    ends = {identifier(n, "role"): memory(id=identifier(n, "role")) for n in (1, 2)}
    for relation in (*MemoryRelation, *RepoRelation):
        drawn = submit(edge(relation=str(relation)), AGENT, is_typed=True, ledger=view(ends=ends))
        assert (drawn.rule, codes(drawn)) == ("role.own-memory", [])
    for relation in ("likes", "related", "Distills", "distills ", ""):
        assert relation not in RELATIONS
        refused = submit(
            edge(relation=relation or "x"), AGENT, is_typed=True, ledger=view(ends=ends)
        )
        assert codes(refused) == ["role.relation"]


def test_an_edge_needs_both_ends_and_a_claim() -> None:
    one = {identifier(1, "role"): memory(id=identifier(1, "role"))}
    assert codes(submit(edge(claim=" "), AGENT, is_typed=True)) == ["role.edge-claim"]
    missing = submit(edge(), ANA, is_typed=True, ledger=view(ends=one))
    assert codes(missing) == ["edge.unknown-end"]
    waiting = submit(edge(), AGENT, is_typed=True, ledger=view(ends=one))
    assert not waiting.is_admitted


def test_an_anatomy_is_whole_or_refused() -> None:
    for lacking in ("tension", "implication", "target"):
        assert not submit(memory(**{lacking: None}), AGENT, is_typed=True).is_admitted
    assert not submit(memory(title=""), AGENT, is_typed=True).is_admitted
    asked = memory(tension=None, question="Why on Fridays?")
    assert submit(asked, AGENT, is_typed=True).is_admitted


@pytest.mark.parametrize(
    "anchors",
    [
        None,
        ["somewhere"],
        ["run:"],
        ["run:Friday"],
        [f"run:{identifier(1, 'mem')}"],
        ["anchor:missing", f"run:{identifier(1, 'run')}"],
    ],
)
def test_a_memory_without_an_anchor_or_the_mark_for_none_is_refused(anchors: list[str]) -> None:
    assert not submit(memory(anchors=anchors), AGENT, is_typed=True).is_admitted


def test_a_memory_is_anchored_or_says_that_it_is_not() -> None:
    for anchors in (["anchor:missing"], ["file:src/app.py#10"], [f"run:{identifier(1, 'run')}"]):
        assert submit(memory(anchors=anchors), AGENT, is_typed=True).is_admitted


def test_a_move_and_more_anchors_take_nothing_back_and_other_words_do() -> None:
    old = memory()
    moved = memory(lifecycle="distilled", salience=0.9, because="stated")
    grown = memory(anchors=["file:src/app.py"], repeats=2)
    assert is_lived_on(old, moved)
    assert is_lived_on(old, grown)
    assert not is_lived_on(old, memory(implication="never ask"))
    assert not is_lived_on(old, memory(title="Ana deploys on Mondays"))
    assert not is_lived_on(grown, old)


def test_a_changed_source_makes_node_edge_and_covering_summary_stale() -> None:
    fresh, other = "file:src/app.py=9f2c4e10", "file:src/db.py=77aa00cc"
    node = memory(id=identifier(1, "role"), source_hashes=[fresh])
    apart = memory(id=identifier(2, "role"), source_hashes=[other])
    line = edge(**{"from": node.id, "to": apart.id})
    own = edge(**{"from": apart.id, "to": identifier(3, "role"), "source_hashes": [fresh]})
    calm = edge(**{"from": apart.id, "to": identifier(3, "role")})
    drawn = [
        replace(item, id=identifier(number, "edge"))
        for number, item in enumerate((line, own, calm), start=1)
    ]
    covering = _summary(1, covers_nodes=[node.id])
    by_edge = _summary(2, covers_edges=[drawn[1].id])
    beside = _summary(3, covers_nodes=[apart.id], covers_edges=[drawn[2].id])
    every = (node, apart, *drawn, covering, by_edge, beside)
    same: dict[str, str | None] = {"file:src/app.py": "9f2c4e10", "file:src/db.py": "77aa00cc"}
    assert stale_ids(every, same) == frozenset()
    for now in ("00000000", None):
        found = stale_ids(every, {**same, "file:src/app.py": now})
        assert found == {node.id, drawn[0].id, drawn[1].id, covering.id, by_edge.id}
    assert stale_ids(every, {}) == frozenset()


def _summary(number: int, **covered: list[str]) -> Record:
    return Record(kind="role_summary", id=identifier(number, "rsum"), title="x", fields={**covered})
