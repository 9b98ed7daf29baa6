"""Explanations of a record and of the last answer, for a person and for a program (A84)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import MemfsError
from memfs.model.origin import Actor, Channel, Principal
from memfs.services.explain import Explanation
from tests.support.memory import AGENT, ANA, memory_of, new_project

CLAIM = "FastAPI for every Python backend, never Flask"
SECOND = Actor(Principal.parse("agent:other"), Channel.AGENT)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember(CLAIM, kind="preference", subject="web-framework")
        memory.remember(
            "The ledger password policy is strict", kind="fact", record_class="clinical"
        )
    return project


def id_of(project: Path, words: str) -> str:
    with memory_of(project) as memory:
        records = [item.record for item in memory.list_records()]
    return next(record.id for record in records if words in record.body)


def services(explanation: Explanation) -> dict[str, str]:
    return {item.reader: item.code or "served" for item in explanation.services}


def test_a_person_sees_the_rule_of_each_operation_and_the_lineage(project: Path) -> None:
    reference = id_of(project, "FastAPI")
    with memory_of(project) as memory:
        memory.correct(reference, "FastAPI for services, Typer for tools")
        found = memory.explain(reference)
    assert [(step.operation, step.reference) for step in found.steps] == [
        ("correct", f"{reference}@2"),
        ("activate", f"{reference}@1"),
    ]
    assert all(step.rule and step.why and step.transaction for step in found.steps)
    assert {link.relation for link in found.links} >= {"evidence"}
    assert found.age_days == 0
    assert services(found) == {str(ANA): "served", "any program": "served"}


def test_who_is_served_it_is_told_with_the_reason(project: Path) -> None:
    reference = id_of(project, "password")
    with memory_of(project) as memory:
        assert services(memory.explain(reference)) == {
            str(ANA): "served",
            "any program": "access.class",
        }
        memory.grant(
            "agent:builder", scopes=("project:datasync",), record_classes=("clinical",), days=3
        )
        assert services(memory.explain(reference))["agent:builder"] == "served"
        memory.pollute("project:datasync", cause="poisoned")
        assert set(services(memory.explain(reference)).values()) == {"access.polluted"}


def test_the_last_answer_tells_rank_score_tokens_and_why_it_was_not_packed(project: Path) -> None:
    reference = id_of(project, "FastAPI")
    with memory_of(project) as memory:
        memory.recall("which Python backend")
        recalled = memory.explain(reference).recalled
        assert recalled is not None
        assert recalled.item is not None
        assert (recalled.item.rank, recalled.item.is_packed) == (1, True)
        assert recalled.item.tokens > 0
        assert set(recalled.item.parts) >= {"keyword", "recency", "importance"}
        memory.recall("which Python backend", budget=1)
        recalled = memory.explain(reference).recalled
        assert recalled is not None
        assert recalled.item is not None
        assert (recalled.item.is_packed, recalled.left_out) == (False, "packet.budget")


def test_what_was_retracted_is_explained_to_a_person_and_unknown_to_a_program(
    project: Path,
) -> None:
    reference = id_of(project, "FastAPI")
    with memory_of(project) as memory:
        memory.retract(reference)
        found = memory.explain(reference)
    assert found.steps[0].operation == "retract"
    assert set(services(found).values()) == {"access.status"}
    with memory_of(project, AGENT) as memory, pytest.raises(MemfsError) as caught:
        memory.explain(reference)
    assert caught.value.code == "conflict.unknown-record"


def test_a_program_gets_what_the_gate_shows_it_and_nothing_of_others(project: Path) -> None:
    with memory_of(project) as memory:
        memory.recall("which Python backend")
    with memory_of(project, AGENT) as memory:
        found = memory.explain(id_of(project, "FastAPI"))
        assert (found.steps, found.recalled) == ((), None)
        assert services(found) == {str(AGENT): "served"}
        assert all(memory.show(link.id.partition("@")[0]) for link in found.links)
        for reference in (id_of(project, "password"), "mem_01kb8x3v6yq4m9t2r7w5z1c0de"):
            with pytest.raises(MemfsError) as caught:
                memory.explain(reference)
            assert caught.value.code == "conflict.unknown-record"
            assert "password" not in caught.value.message


def test_the_last_answer_of_a_program_is_its_own(project: Path) -> None:
    with memory_of(project, SECOND) as memory:
        memory.recall("which Python backend")
        mine = memory.last_recall()
    with memory_of(project, AGENT) as memory, pytest.raises(MemfsError) as caught:
        memory.last_recall()
    assert caught.value.code == "conflict.nothing-recalled"
    with memory_of(project) as memory:
        assert memory.last_recall() == mine


def test_what_was_withdrawn_since_is_not_in_a_programs_last_answer(project: Path) -> None:
    reference = id_of(project, "FastAPI")
    with memory_of(project, AGENT) as memory:
        memory.recall("which Python backend")
        assert reference in str(memory.last_recall())
    with memory_of(project) as memory:
        memory.retract(reference)
    with memory_of(project, AGENT) as memory:
        assert reference not in str(memory.last_recall())
