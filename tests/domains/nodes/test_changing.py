"""Changing nodes in their place, adding to them, and taking them back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.domains.nodes.changing import NotANodeError
from memfs.errors import ConflictError, UsageError
from memfs.model.result import ResultStatus
from tests.support.memory import AGENT, memory_of, new_project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a node and a fact."""
    return new_project(tmp_path_factory.mktemp("changing"))


@pytest.fixture
def memory(project: Path) -> Iterator[Memory]:
    """The memory of that store, as a person."""
    with memory_of(project) as opened:
        yield opened


def saved(memory: Memory, summary: str, content: str = "") -> str:
    return memory.save_node(summary, content=content, is_forced=True).target


def test_fields_are_changed_in_place(memory: Memory) -> None:
    ref = saved(memory, "Heron polls its queue", "Every two seconds.\n")
    before = memory.show(ref)
    result = memory.update_node(
        ref,
        summary="Heron waits on its queue",
        abstract="It polled before.",
        importance=1,
        tags=["queue"],
    )
    after = memory.show(ref)

    assert result.status is ResultStatus.DONE
    assert (after.record.id, after.path) == (before.record.id, before.path)
    assert after.record.version == 2
    assert after.record.summary == after.record.title == "Heron waits on its queue"
    assert after.record.abstract == "It polled before."
    assert (after.record.importance, after.record.tags) == (1, ("queue",))
    assert after.record.body == "Every two seconds.\n"


def test_any_importance_can_be_set(memory: Memory) -> None:
    ref = saved(memory, "A node whose importance is changed")
    kept = []
    for asked in (1, 4, 10, 0, 99):
        memory.update_node(ref, importance=asked)
        kept.append(memory.show(ref).record.importance)

    assert kept == [1, 4, 10, 1, 10]


def test_tags_are_added_and_taken_away(memory: Memory) -> None:
    ref = saved(memory, "A node whose labels change over time")
    memory.update_node(ref, add_tags=["a", "b"])
    memory.update_node(ref, add_tags=["c", "a"], drop_tags=["b"])

    assert memory.show(ref).record.tags == ("a", "c")


def test_edges_stay_when_a_node_is_changed(memory: Memory) -> None:
    saved(memory, "Cranes fly south when the first frost has come to the lake")
    other = memory.save_node("Cranes fly south when the second frost has come to the marsh")
    assert other.data["links"]
    before = memory.node_stats().edges
    memory.update_node(other.target, summary="Storks are another matter")

    assert memory.node_stats().edges == before


def test_a_change_that_says_nothing_is_refused(memory: Memory) -> None:
    ref = saved(memory, "A node that nobody changes")

    with pytest.raises(UsageError, match="something to change"):
        memory.update_node(ref)
    with pytest.raises(UsageError, match="summary"):
        memory.update_node(ref, summary="  ")
    with pytest.raises(UsageError, match="something to add"):
        memory.append_node(ref, "\n")
    assert memory.update_node(ref, importance=5).status is ResultStatus.DUPLICATE


def test_what_is_added_follows_what_was_there_and_that_can_be_read_again(memory: Memory) -> None:
    ref = saved(memory, "How releases are made", "1. Tag it.")
    memory.append_node(ref, "2. Push it.")
    memory.append_node(ref, "3. Tell them.\n")

    assert memory.show(ref).record.body == "1. Tag it.\n2. Push it.\n3. Tell them.\n"
    assert memory.show(f"{ref}@1").record.body == "1. Tag it.\n"
    assert memory.show(f"{ref}@2").record.body == "1. Tag it.\n2. Push it.\n"


def test_a_plain_note_is_added_to_as_well(memory: Memory) -> None:
    ref = memory.remember("Owls hunt at night", kind="note").target
    memory.append_node(ref, "And at dusk.")
    record = memory.show(ref).record

    assert record.summary == "Owls hunt at night"
    assert record.body == "And at dusk.\n"
    assert memory.open_node(ref).summary == "Owls hunt at night"


def test_two_who_add_at_the_same_time_both_come_in(memory: Memory, project: Path) -> None:
    ref = saved(memory, "A log that many write to", "start\n")

    def add(word: str) -> None:
        with memory_of(project) as other:
            other.append_node(ref, f"{word}\n")

    writers = [threading.Thread(target=add, args=(f"line {number}",)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    lines = memory.show(ref).record.body.splitlines()

    assert lines[0] == "start"
    assert sorted(lines[1:]) == [f"line {number}" for number in range(4)]


def test_only_a_node_is_changed_as_one(memory: Memory) -> None:
    fact = memory.remember("Heron listens on port 8080", kind="fact").target

    for change in (
        lambda: memory.update_node(fact, importance=9),
        lambda: memory.append_node(fact, "more"),
        lambda: memory.delete_node(fact),
        lambda: memory.link_node(fact),
        lambda: memory.open_node(fact),
    ):
        with pytest.raises(NotANodeError):
            change()


def test_what_an_agent_changes_waits(memory: Memory, project: Path) -> None:
    ref = saved(memory, "Agents ask before they change this", "first\n")
    with memory_of(project, AGENT) as agent:
        added = agent.append_node(ref, "second")
        taken = agent.delete_node(ref)

        assert (added.status, taken.status) == (ResultStatus.WAITING, ResultStatus.REFUSED)
    assert memory.show(ref).record.body == "first\n"


def test_a_deleted_node_takes_its_edges_with_it_and_brings_them_back(memory: Memory) -> None:
    saved(memory, "Ferries leave the north pier at every full hour in summer")
    ref = memory.save_node("Ferries leave the south pier at every half hour in summer").target
    before = memory.node_stats()
    result = memory.delete_node(ref)
    after = memory.node_stats()

    assert len(result.data["edges"]) == 1  # type: ignore[arg-type]
    assert (after.nodes, after.edges) == (before.nodes - 1, before.edges - 1)
    assert all(ref not in (s.record.fields["from"], s.record.fields["to"]) for s in edges(memory))
    memory.restore(ref)
    assert memory.node_stats() == before


def test_a_node_that_is_gone_forever_leaves_no_edge(memory: Memory) -> None:
    saved(memory, "Trams to the east run until midnight on every working day")
    ref = memory.save_node("Trams to the west run until midnight on every other day").target
    edge = memory.delete_node(ref, is_forever=True).data["edges"][0]  # type: ignore[index]

    for name in (ref, edge):
        with pytest.raises(ConflictError):
            memory.show(str(name))
    assert all(ref not in (s.record.fields["from"], s.record.fields["to"]) for s in edges(memory))


def edges(memory: Memory) -> list:  # type: ignore[type-arg]
    return list(memory.list_records(kinds=["edge"]))
