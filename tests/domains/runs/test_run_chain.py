"""Lists and chains of runs: newest first, both ways, and never more than may be seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.domains.runs.chain import ChainNode
from memfs.errors import UsageError
from memfs.model.lineage import NO_LINEAGE, Lineage
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.run import RunState
from memfs.services.reading import AmbiguousRecordError, UnknownRecordError
from tests.support.memory import (
    AGENT,
    ANA,
    CountedIds,
    SteppedClock,
    memory_of,
    new_project,
    replaced_settings,
)

OTHER = Actor(Principal.parse("agent:other"), Channel.AGENT)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Memory]:
    memory = memory_of(new_project(tmp_path), AGENT)
    memory.workspace = replace(memory.workspace, clock=SteppedClock(), ids=CountedIds(1_000))
    with memory:
        yield memory


def run_of(memory: Memory, task: str, parent: str = "", *, is_over: bool = True) -> str:
    lineage = Lineage(run=parent) if parent else NO_LINEAGE
    memory.workspace = replace(memory.workspace, lineage=lineage)
    run = memory.start_run(task, session="chat-1" if parent else "").target
    if is_over:
        memory.finish_run(run=run)
    return run


def names(node: ChainNode) -> list[str]:
    found = [node.view.task if node.view is not None else "?"]
    for child in node.children:
        found += [f"  {name}" for name in names(child)]
    return found


def test_runs_are_listed_newest_first_with_those_that_go_on(agent: Memory) -> None:
    first = run_of(agent, "First")
    going_on = run_of(agent, "Goes on", is_over=False)
    last = run_of(agent, "Last", first)

    views = agent.list_runs()
    assert [view.run for view in views] == [last, going_on, first]
    assert [view.state for view in views] == [RunState.DONE, RunState.RUNNING, RunState.DONE]
    assert views[0].summary == "Finished: Last. It said nothing about itself."
    assert [view.run for view in agent.list_runs(limit=1)] == [last]
    assert [view.run for view in agent.list_runs(states=["running"])] == [going_on]
    assert [view.run for view in agent.list_runs(session="chat-1")] == [last]
    with pytest.raises(UsageError):
        agent.list_runs(states=["fine"])


def test_a_limit_counts_by_dispatch_and_not_by_end(agent: Memory) -> None:
    slow = run_of(agent, "Slow", is_over=False)
    quick = run_of(agent, "Quick")
    agent.finish_run(run=slow)

    assert [view.run for view in agent.list_runs(limit=1)] == [quick]


def test_a_chain_is_the_same_tree_from_every_run_in_it(agent: Memory) -> None:
    root = run_of(agent, "Root")
    left = run_of(agent, "Left", root)
    leaf = run_of(agent, "Leaf", left)
    right = run_of(agent, "Right", root, is_over=False)
    other = run_of(agent, "Other")

    for run in (root, left, leaf, right):
        assert names(agent.run_chain(run).tree) == ["Root", "  Left", "    Leaf", "  Right"]
    chain = agent.run_chain(left)
    assert (chain.root, chain.ancestors, chain.descendants) == (root, (root,), (leaf,))
    assert (chain.previous, chain.following) == (root, (leaf,))
    assert agent.run_chain(root).descendants == (left, leaf, right)
    assert agent.run_chain(leaf).ancestors == (left, root)
    assert agent.run_chain(right).following == (other,)
    assert agent.run_chain(other).tree.children == ()


def test_a_replaced_run_and_the_one_in_its_place_are_one_node(agent: Memory) -> None:
    root = run_of(agent, "Root")
    child = run_of(agent, "Child", root)
    newer = agent.finish_run("error", corrects=root, summary="Otherwise then.").target

    for run in (root, newer, child):
        chain = agent.run_chain(run)
        assert (chain.root, names(chain.tree)) == (newer, ["Root", "  Child"])
    assert agent.run_chain(newer).following == (child,)
    assert agent.show_run(root).run == newer
    again = agent.finish_run("done", corrects=root, summary="Once more.").target
    assert agent.show_run(root).replaces == (root, newer)
    assert agent.run_chain(child).root == again


def test_what_a_run_that_is_gone_started_still_stands_in_the_chain(agent: Memory) -> None:
    root = run_of(agent, "Root")
    middle = run_of(agent, "Middle", root)
    leaf = run_of(agent, "Leaf", middle)
    with memory_of(agent.workspace.store.root.parent, ANA) as person:
        person.forget([middle])

    assert names(agent.run_chain(leaf).tree) == ["Root", "  ?", "    Leaf"]
    assert names(agent.run_chain(root).tree) == ["Root", "  ?", "    Leaf"]


def test_lineage_that_goes_in_a_circle_ends(agent: Memory) -> None:
    first = "run_01kb8x3v6yq4m9t2r7w5z1c0df"
    second = "run_01kb8x3v6yq4m9t2r7w5z1c0dg"
    agent.finish_run(run=first, task="First", parent=second)
    agent.finish_run(run=second, task="Second", parent=first)

    chain = agent.run_chain(first)
    assert set(chain.ancestors) <= {first, second}
    assert chain.run == first


def test_a_long_chain_costs_no_stack(agent: Memory) -> None:
    runs = [f"run_01kb8x3v6yq4m9t2r7w5z1{number:04d}" for number in range(30)]
    for run, parent in zip(runs, ["", *runs], strict=False):
        agent.finish_run(run=run, task="Step", parent=parent)

    chain = agent.run_chain(runs[15])
    assert (len(chain.ancestors), len(chain.descendants)) == (15, 14)
    assert chain.root == runs[0]


def test_a_run_is_meant_by_the_end_of_its_id_unless_two_are(agent: Memory) -> None:
    one, two = "run_01kb8x3v6yq4m9t2r7w5z1c0df", "run_01kb8x3v6yq4m9t2r7w5z2c0df"
    for run in (one, two):
        agent.finish_run(run=run, task="Do it")

    assert agent.show_run("5z2c0df").run == two
    with pytest.raises(AmbiguousRecordError):
        agent.show_run("1c0df"[-4:])
    for reference in ("", "zzzz", "not-an-id", "mem_01kb8x3v6yq4m9t2r7w5z1c0df"):
        with pytest.raises(UnknownRecordError):
            agent.show_run(reference)


def test_the_newest_run_is_meant_where_none_is_named(agent: Memory) -> None:
    for ask in (agent.show_run, agent.run_chain):
        with pytest.raises(UnknownRecordError, match="no run was recorded here"):
            ask()
    run_of(agent, "First")
    going_on = run_of(agent, "Goes on", is_over=False)

    assert agent.show_run().run == going_on
    assert agent.run_chain().run == going_on


def test_nothing_is_seen_of_runs_whose_source_is_switched_off(agent: Memory) -> None:
    project = agent.workspace.store.root.parent
    root = run_of(agent, "Root")
    with memory_of(project, OTHER) as other:
        other.workspace = replace(other.workspace, lineage=Lineage(run=root))
        hidden = other.finish_run(run=other.start_run("Quietly").target).target
        going_on = other.start_run("Quietly still").target
    assert len(agent.list_runs()) == 3
    replaced_settings(project, "off: []", "off: [agent:other]")

    with memory_of(project, AGENT) as memory:
        assert [view.task for view in memory.list_runs()] == ["Root"]
        chain = memory.run_chain(root)
        assert (names(chain.tree), chain.following, chain.descendants) == (["Root"], (), ())
        for run in (hidden, going_on):
            with pytest.raises(UnknownRecordError):
                memory.show_run(run)
        assert memory.start_run("Next").data["previous"] == root
