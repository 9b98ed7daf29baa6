"""Ripe threads are promoted, and time moves memories, on a real store: one commit, or none."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memfs.app.container import Memory
from memfs.domains.roles.loading import load_role
from memfs.domains.roles.packets.role_status import status_value
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from tests.support.memory import SteppedClock, git, memory_of, new_project, store_root
from tests.support.review import is_clean
from tests.support.roles import WHOLE, proposal, whole

PLAIN: dict[str, Any] = {**WHOLE, "anchors": ["anchor:missing"], "confidence": 0.9}


PROPOSED = """---
kind: role_memory
title: Ana keeps weekends quiet
scope: agent:{role}
profile: role_self
lifecycle: proposed
target: person:ana
tension: speed against quiet
implication: ask first
anchors: ["anchor:missing"]
---
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a project whose store the tests of this module share; each has a role of its own."""
    return new_project(tmp_path_factory.mktemp("settling"))


@pytest.fixture
def memory(project: Path, request: pytest.FixtureRequest) -> Iterator[Memory]:
    """Opens the store as a role of its own, at a clock that can be put forward."""
    name = str(request.node.name).removeprefix("test_").replace("_", "-")[:40].strip("-")
    with memory_of(project, Actor(Principal.parse(f"agent:{name}"), Channel.AGENT)) as memory:
        memory.workspace = replace(memory.workspace, clock=SteppedClock())
        yield memory


def apply(memory: Memory, name: str, **members: Any) -> Result:
    """Applies one operation with a whole memory in it, of a topic that its claim tells."""
    said = {**PLAIN, "topic": members.get("claim", "deploys"), **members}
    return memory.apply_operation("", whole(name, **said))


def made(memory: Memory, name: str, **members: Any) -> str:
    """Applies an operation that makes one memory, and returns its id."""
    result = apply(memory, name, **members)
    assert result.status is ResultStatus.DONE, result.message
    return result.target.partition("@")[0]


def standing(memory: Memory) -> dict[str, Record]:
    """Returns what the role remembers now."""
    workspace = memory.workspace
    snapshot = workspace.store.snapshot()
    return dict(
        load_role(workspace, snapshot, memory.actor.principal.name, memory.actor).view.memories
    )


def head(project: Path) -> str:
    """Returns the commit that the store stands at."""
    return git(store_root(project), "rev-parse", "HEAD").strip()


def later(memory: Memory, **span: float) -> None:
    """Lets time pass."""
    clock = memory.workspace.clock
    assert isinstance(clock, SteppedClock)
    clock.advance(timedelta(**span))


def test_a_thread_is_promoted_by_what_stands_behind_it_in_the_store(
    memory: Memory, project: Path
) -> None:
    signs = [made(memory, "RecordShortTermMemory", claim=f"Sign {n}") for n in range(5)]
    thread = made(memory, "MergeIncubationSupport", sources=signs[:2], claim="Ana may leave")
    before = head(project)
    early = apply(memory, "ApplyMemoryDistillation", sources=[thread], claim="Ana leaves")
    assert [why.code for why in early.reasons] == ["role.unripe"]
    assert "row support: 2 of 3" in early.message
    assert head(project) == before
    merged = proposal("MergeIncubationSupport", thread=thread, sources=signs[2:], tags=["sign"])
    assert memory.apply_operation("", merged).status is ResultStatus.DONE
    assert standing(memory)[thread].fields["support"] == 5
    # Only what is named and what stands behind it is read for that.
    durable = made(memory, "ApplyMemoryDistillation", sources=[thread], claim="Ana leaves")
    found = standing(memory)
    assert found[thread].fields["lifecycle"] == "promoted"
    assert found[durable].derived_from == (thread,)


def test_a_nap_makes_the_moves_of_time_once_and_tells_them(memory: Memory, project: Path) -> None:
    pressure = made(memory, "UpsertAgencyPressure", claim="Waiting is asked for", intensity=0.9)
    said, held = (
        made(
            memory,
            "QueueCandidateIntervention",
            claim=claim,
            intent=intent,
            words="Shall we wait?",
            answers=[pressure],
        )
        for claim, intent in (("Ask to wait", "speech"), ("Note to wait", "note"))
    )
    receipt = memory.capture("Shall we wait?", source="tool:speech").target
    spoken = proposal("MarkCandidateInterventionSpoken", candidate=said, receipt=receipt)
    assert memory.apply_operation("", spoken).status is ResultStatus.DONE
    assert (_nap(memory), _states(memory, pressure, held)) == (
        {"candidate-put-off": [held]},
        ["cooling", "deferred"],
    )
    before = head(project)
    assert _nap(memory) == {}
    assert head(project) == before
    later(memory, hours=2)
    assert _nap(memory) == {"pressure-woken": [pressure], "candidate-put-up": [held]}
    assert _states(memory, pressure, held) == ["active", "queued"]
    assert "cooling_until" not in standing(memory)[pressure].fields
    applied = proposal("MarkCandidateInterventionSpoken", candidate=held, receipt=receipt)
    assert memory.apply_operation("", applied).status is ResultStatus.DONE
    assert _states(memory, said, held) == ["spoken", "applied"]
    assert is_clean(project)


def test_a_person_accepts_what_was_proposed_to_last_and_moves_it_by_the_table_alone(
    memory: Memory, project: Path
) -> None:
    role = memory.actor.principal.name
    path = store_root(project) / f"roles/{role}/durable/quiet.md"
    path.parent.mkdir(parents=True)
    path.write_text(PROPOSED.format(role=role), encoding="utf-8")
    assert standing(memory) == {}
    with memory_of(project) as ana:
        assert [item.status for item in ana.accept(None)] == [ResultStatus.DONE]
    for before, after, code in (
        ("proposed", "crystallized", ["role.move"]),
        ("crystallized", "accepted", []),
    ):
        text = path.read_text(encoding="utf-8")
        path.write_text(
            text.replace(f"lifecycle: {before}", f"lifecycle: {after}"), encoding="utf-8"
        )
        with memory_of(project) as ana:
            assert [why.code for item in ana.accept(None) for why in item.reasons] == code
    assert [item.fields["lifecycle"] for item in standing(memory).values()] == ["accepted"]


@pytest.fixture
def in_vienna(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Vienna")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_vienna")
def test_a_role_rests_when_it_is_due_and_as_it_is_due(memory: Memory) -> None:
    def seen() -> tuple[str, bool]:
        (status,) = memory.role_status()
        told = status_value(status)["schedule"]
        assert isinstance(told, dict)
        return str(told["cycle"]), bool(told["next_nap"])

    def rested() -> list[tuple[Any, ...]]:
        found = [item.data for item in memory.rest_due_roles()]
        return [(item["rest"], item["kept"], item["pruned"]) for item in found]

    made(memory, "RecordShortTermMemory", claim="Ana left", salience=0.1)
    assert (seen(), rested()) == (("awake", True), [])
    later(memory, hours=5)
    made(memory, "RecordShortTermMemory", claim="Ben came", salience=0.1)
    later(memory, hours=1)
    assert (seen(), rested()) == (("drowsy", True), [("nap", 2, 0)])
    assert (seen(), rested()) == (("awake", True), [])
    later(memory, days=2)
    assert (seen(), rested()) == (("asleep", False), [("sleep", 0, 2)])
    assert (seen(), rested()) == (("awake", False), [])


def _nap(memory: Memory) -> Any:
    return memory.nap_role().data["moved"]


def _states(memory: Memory, *names: str) -> list[str]:
    found = standing(memory)
    return [str(found[name].fields["lifecycle"]) for name in names]
