"""Grants on a real store: issued by a person, counting at once, and gone at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.errors import UsageError
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import ResultStatus
from memfs.services.grants import GrantState, UnknownGrantError
from tests.support.memory import (
    AGENT,
    ANA,
    SteppedClock,
    memory_of,
    new_project,
    record_files,
    store_root,
)
from tests.support.memory import git as run_git

BEHIND = Actor(Principal.parse("user:linda"), Channel.TOOL)
TEAM = "team:ward"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one clinical record of a team and one open note."""
    made = new_project(tmp_path)
    with memory_of(made) as ana:
        ana.remember("The office opens at nine", kind="fact")
        ana.remember(
            "Ada takes lithium", kind="fact", scope=TEAM, record_class="clinical", tags=("ward",)
        )
        assert [item.status for item in ana.accept(None)] == [ResultStatus.DONE]
    return made


@pytest.fixture
def ana(project: Path) -> Iterator[Memory]:
    with memory_of(project) as memory:
        yield memory


@pytest.fixture
def agent(project: Path) -> Iterator[Memory]:
    with memory_of(project, AGENT) as memory:
        yield memory


def texts(memory: Memory) -> list[str]:
    return sorted(item.record.body.strip() for item in memory.list_records())


def test_a_grant_opens_and_its_end_closes_for_a_memory_that_stays_open(
    ana: Memory, agent: Memory
) -> None:
    assert texts(agent) == ["The office opens at nine"]
    grant = ana.grant("agent:builder", scopes=[TEAM], record_classes=["clinical"])
    assert texts(agent) == ["Ada takes lithium", "The office opens at nine"]
    assert [hit.stored.record.body for hit in agent.search("lithium")] == ["Ada takes lithium\n"]
    assert "lithium" in agent.recall("lithium").text
    ana.revoke(grant.target)
    assert texts(agent) == ["The office opens at nine"]
    assert agent.search("lithium") == ()
    assert agent.recall("lithium").text == ""


def test_a_grant_ends_by_itself(project: Path, ana: Memory) -> None:
    ana.grant("agent:builder", scopes=[TEAM], record_classes=["clinical"], days=2)
    with memory_of(project, AGENT) as agent:
        clock = SteppedClock(ana.workspace.clock.now())
        agent.workspace = replace(agent.workspace, clock=clock)
        assert len(texts(agent)) == 2
        clock.advance(timedelta(days=2))
        assert len(texts(agent)) == 1
        assert [item.state for item in agent.grants()] == [GrantState.ENDED]


def test_a_grant_that_begins_later_opens_nothing_yet(ana: Memory, agent: Memory) -> None:
    ana.grant(
        "agent:builder",
        scopes=[TEAM],
        record_classes=["clinical"],
        begins="2999-01-01",
        until="2999-02-01",
    )
    assert len(texts(agent)) == 1
    assert [item.state for item in ana.grants()] == [GrantState.NOT_YET]


def test_a_grant_for_a_purpose_counts_where_the_host_says_so(ana: Memory, agent: Memory) -> None:
    ana.grant("agent:builder", scopes=[TEAM], record_classes=["clinical"], purposes=["referral"])
    assert len(texts(agent)) == 1
    assert agent.search("lithium") == ()
    assert len(agent.search("lithium", purpose="referral")) == 1
    agent.workspace = replace(agent.workspace, purpose="referral")
    assert len(texts(agent)) == 2


def test_a_person_behind_a_program_sees_what_is_granted_to_them_and_nothing_else(
    project: Path, ana: Memory
) -> None:
    with memory_of(project, BEHIND) as linda:
        assert texts(linda) == []
        ana.grant("user:linda", scopes=[TEAM], record_classes=["clinical"])
        assert texts(linda) == ["Ada takes lithium"]
        assert linda.search("office") == ()


def test_only_a_person_grants_and_takes_back(ana: Memory, agent: Memory) -> None:
    refused = agent.grant("agent:builder", scopes=[TEAM])
    assert refused.status is ResultStatus.REFUSED
    assert [reason.code for reason in refused.reasons] == ["actor.not-a-person"]
    grant = ana.grant("agent:other", scopes=[TEAM])
    assert agent.revoke(grant.target).status is ResultStatus.REFUSED
    assert agent.grants() == ()
    assert [item.state for item in ana.grants()] == [GrantState.IN_FORCE]


def test_a_person_behind_a_program_grants_nothing_to_themselves(project: Path) -> None:
    with memory_of(project, BEHIND) as linda:
        assert linda.grant("user:linda", scopes=[TEAM]).status is ResultStatus.REFUSED
        assert texts(linda) == []


def test_every_grant_ends(ana: Memory) -> None:
    ana.grant("agent:builder", scopes=[TEAM])
    (standing,) = ana.grants()
    left = standing.grant.expires - ana.workspace.clock.now()
    assert timedelta(days=29) < left <= timedelta(days=30)
    past = ana.grant("agent:builder", scopes=[TEAM], until="2020-01-01")
    assert [reason.code for reason in past.reasons] == ["grant.never-ends"]


@pytest.mark.parametrize(
    "options",
    [
        {"scopes": ["ward"]},
        {"scopes": [TEAM], "kinds": ["wish"]},
        {"scopes": [TEAM], "sinks": ["space"]},
        {"scopes": [TEAM], "clearance": "cosmic"},
        {"scopes": [TEAM], "days": 3, "until": "2999-01-01"},
        {"scopes": [TEAM], "days": 0},
        {"scopes": [TEAM], "until": "soon"},
        {"scopes": [TEAM], "record_classes": [" "]},
    ],
    ids=repr,
)
def test_what_no_grant_can_say_is_a_usage_error(ana: Memory, options: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        ana.grant("agent:builder", **options)  # type: ignore[arg-type]


def test_a_grant_opens_nothing_of_another_project(ana: Memory) -> None:
    refused = ana.grant("agent:builder", scopes=["project:other"])
    assert [reason.code for reason in refused.reasons] == ["grant.other-project"]


def test_what_is_no_grant_is_not_taken_back(ana: Memory) -> None:
    note = ana.list_records()[0].record.id
    for reference in (note, "grant_01kb8x3v6yq4m9t2r7w5000001", "zzzzzz"):
        with pytest.raises(UnknownGrantError):
            ana.revoke(reference)


def test_taking_back_twice_changes_nothing(ana: Memory) -> None:
    grant = ana.grant("agent:builder", scopes=[TEAM])
    assert ana.revoke(grant.target[-6:]).status is ResultStatus.DONE
    again = ana.revoke(grant.target)
    assert again.status is ResultStatus.NOTHING
    assert [reason.code for reason in again.reasons] == ["grant.over"]


def test_a_grant_stands_in_history_and_holds_no_secret(project: Path, ana: Memory) -> None:
    grant = ana.grant("agent:builder", scopes=[TEAM], record_classes=["clinical"])
    ana.revoke(grant.target)
    log = run_git(store_root(project), "log", "--format=%(trailers:key=Memfs-Decision,valueonly)")
    assert log.count("allow grant.issue") == 1
    assert log.count("allow grant.revoke") == 1
    (file,) = (store_root(project) / "grants").rglob("*.json")
    assert "token" not in file.read_text("utf-8")
    assert ana.check() == ()


def test_a_file_that_looks_like_a_grant_is_none_until_a_person_admits_it(
    project: Path, ana: Memory, agent: Memory
) -> None:
    ana.grant("agent:builder", scopes=[TEAM], kinds=["note"])
    (file,) = (store_root(project) / "grants").rglob("*.json")
    text = file.read_text("utf-8")
    forged = text.replace('"kinds"', '"record_classes"').replace("note", "clinical")
    assert forged != text
    file.write_text(forged, "utf-8")
    assert len(texts(agent)) == 1
    file.with_name("forged-000001.json").write_text(forged, "utf-8")
    assert len(texts(agent)) == 1


def test_records_of_a_class_are_open_to_a_person(project: Path, ana: Memory) -> None:
    assert len(texts(ana)) == 2
    assert len(record_files(project)) == 2
    assert ANA.is_person
