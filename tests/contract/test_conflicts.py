"""Claims that disagree come together, marked, and what is seen now wins (A15 A16)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import ResultStatus
from tests.support.memory import AGENT, memory_of, new_project

BEN = Actor(Principal.parse("user:ben"), Channel.TERMINAL)
CYD = Actor(Principal.parse("user:cyd"), Channel.TERMINAL)
HOST = Actor(Principal.parse("tool:host"), Channel.HOST)


def disagreeing(project: Path) -> list[str]:
    """Has three people state three values of one subject; returns the ids."""
    ids = []
    for actor, words in ((None, "nine"), (BEN, "ten"), (CYD, "eleven")):
        memory = memory_of(project, actor) if actor else memory_of(project)
        with memory:
            result = memory.remember(
                f"The ferry leaves at {words}", kind="fact", subject="ferry-departure"
            )
            assert result.status is ResultStatus.DONE
            ids.append(result.target)
    return ids


@pytest.mark.invariant("A15")
def test_all_sides_come_together_with_a_mark_and_their_sources(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    ids = disagreeing(project)
    with memory_of(project, AGENT) as memory:
        packet = memory.recall("when does the ferry leave")
        found = {card.hit.stored.record.id for card in packet.cards}
    assert found == set(ids)
    assert packet.text.count("CONFLICT") == 3
    for name in ("user:ana", "user:ben", "user:cyd"):
        assert name in packet.text
    with memory_of(project) as memory:
        conflicts = memory.conflicts()
    assert len(conflicts) == 1


@pytest.mark.invariant("A15")
def test_nothing_retires_because_it_looks_alike(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        first = memory.remember("The ferry to Ro leaves at nine", kind="fact", subject="ferry-ro")
        second = memory.remember("The ferry to Ra leaves at nine", kind="fact", subject="ferry-ra")
        listed = {item.record.id for item in memory.list_records()}
        assert {first.target, second.target} <= listed
        assert memory.conflicts() == ()


@pytest.mark.invariant("A15")
def test_a_person_resolves_and_the_others_give_way(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    ids = disagreeing(project)
    with memory_of(project) as memory:
        conflict = memory.conflicts()[0]
        memory.resolve(conflict.conflict.id, keep=[ids[1]])
        assert memory.conflicts() == ()
        assert [hit.stored.record.id for hit in memory.search("ferry leaves")] == [ids[1]]


@pytest.mark.invariant("A16")
def test_a_newer_observation_outranks_the_stored_claim(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        stated = memory.remember(
            "The build passes on Python 3.9", kind="fact", subject="build-python"
        ).target
    with memory_of(project, HOST) as memory:
        memory.remember("The build fails on Python 3.9", kind="fact", subject="build-python")
    with memory_of(project) as memory:
        waiting = memory.candidates()
        conflicts = memory.conflicts()
        packet = memory.recall("does the build pass on Python")
    assert waiting or conflicts, "the observation opens an update"
    text = packet.text
    assert stated in text
    assert "newer observation" in text
