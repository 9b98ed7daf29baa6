"""Labels of what goes in reach what comes out, and nothing works unseen (A4 A6 A29)."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.model.authority import Authority, Sensitivity, Sink
from memfs.model.candidate import Submission
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.result import ResultStatus
from memfs.policy.authority import capture_origin, derive_authority, labelled
from memfs.services.propose import submit
from tests.support.memory import AGENT, ANA, memory_of, new_project, replaced_settings

TOOL = Actor(Principal.parse("tool:web"), Channel.TOOL)


@pytest.mark.invariant("A6", "A4")
def test_what_is_derived_from_a_tool_keeps_its_taint_and_sinks(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project, TOOL) as memory:
        source = memory.capture("The ferry leaves at nine", source="https://ferry.example")
    assert source.status is ResultStatus.DONE
    draft = Record(
        kind="fact",
        subject="ferry-departure",
        body="The ferry leaves at nine\n",
        derived_from=(source.target,),
        transform="extraction",
        sinks=frozenset(Sink),
        authority=Authority.USER,
    )
    with memory_of(project, AGENT) as memory:
        origin = capture_origin(AGENT, draft.body)
        proposed = submit(memory.workspace, Submission(draft=draft, origin=origin), AGENT)
    assert proposed.status is ResultStatus.WAITING
    with memory_of(project) as memory:
        accepted = memory.accept([proposed.target])[0]
        record = memory.show(accepted.target.split("@")[0]).record
    assert "remote" in record.taint
    assert record.sinks <= {Sink.PERSON, Sink.AGENT}


@pytest.mark.invariant("A6")
def test_what_is_derived_from_something_confidential_is_confidential(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    secret = Record(
        kind="note", body="The merger is called Heron\n", sensitivity=Sensitivity.CONFIDENTIAL
    )
    with memory_of(project) as memory:
        origin = capture_origin(ANA, secret.body)
        waits = submit(memory.workspace, Submission(draft=secret, origin=origin), ANA)
        root = memory.accept([waits.target])[0].target.split("@")[0]
        draft = Record(
            kind="note",
            body="A bird is the name of it\n",
            derived_from=(f"{root}@1",),
            transform="summary",
        )
        origin = capture_origin(ANA, draft.body)
        waits = submit(memory.workspace, Submission(draft=draft, origin=origin), ANA)
        derived = memory.accept([waits.target])[0].target.split("@")[0]
        assert memory.show(derived).record.sensitivity is Sensitivity.CONFIDENTIAL
    with memory_of(project, AGENT) as memory:
        assert memory.search("bird name", limit=50) == ()


_RECORDS = st.builds(
    Record,
    kind=st.just("note"),
    body=st.just("x"),
    authority=st.sampled_from(Authority),
    sensitivity=st.sampled_from(Sensitivity),
    sinks=st.frozensets(st.sampled_from(Sink)),
    taint=st.lists(st.sampled_from(["remote", "agent", "imported"]), max_size=3).map(tuple),
)


@pytest.mark.invariant("A4", "A6")
@settings(max_examples=200, deadline=None)
@given(
    steps=st.lists(
        st.tuples(_RECORDS, st.lists(st.integers(0, 99), min_size=1, max_size=4)),
        min_size=1,
        max_size=15,
    ),
    seeds=st.lists(_RECORDS, min_size=1, max_size=5),
)
def test_no_graph_of_derivations_raises_anything(
    steps: list[tuple[Record, list[int]]], seeds: list[Record]
) -> None:
    """Every record is at most what each of its ancestors is, however long the way."""
    origin = capture_origin(AGENT, "x")
    nodes: list[tuple[Record, frozenset[int]]] = [
        (seed, frozenset({number})) for number, seed in enumerate(seeds)
    ]
    for draft, chosen in steps:
        inputs = [nodes[number % len(nodes)] for number in chosen]
        records = [record for record, _ in inputs]
        made = labelled(draft, origin, records)
        authority = derive_authority([item.authority or Authority.NONE for item in records])
        nodes.append(
            (
                replace(made, authority=authority),
                frozenset().union(*(ancestors for _, ancestors in inputs)),
            )
        )
    for record, ancestors in nodes:
        for seed in (seeds[number] for number in ancestors):
            assert (record.authority or Authority.NONE) <= (seed.authority or Authority.NONE)
            assert record.sensitivity >= seed.sensitivity
            assert record.sinks <= seed.sinks
            assert set(seed.taint) <= set(record.taint)


@pytest.mark.invariant("A29")
def test_background_work_ends_and_leaves_nothing_running(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    before = threading.active_count()
    with memory_of(project) as memory:
        memory.remember("Ana uses tabs", kind="preference")
        list(memory.watch(once=True))
        memory.reconcile()
        memory.rebuild()
    assert threading.active_count() == before


@pytest.mark.invariant("A29")
def test_a_program_cannot_fill_the_inbox(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    replaced_settings(project, "quota: 500", "quota: 5")
    with memory_of(project, AGENT) as memory:
        assert memory.settings.inbox.quota == 5
        results = [
            memory.propose(f"Service {number} listens on port 80{number}", kind="fact")
            for number in range(9)
        ]
    assert [item.status for item in results].count(ResultStatus.WAITING) == 5
    assert {item.reasons[0].code for item in results[5:]} == {"bounds.quota"}
