"""Nodes out of a store and into another, field by field."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memfs.app.container import Memory
from memfs.model.graph import EdgeSort
from memfs.model.result import ResultStatus
from memfs.services.catalogue import open_catalogue
from tests.support.imports import FIXTURES
from tests.support.memory import AGENT, memory_of, new_project

NODES = FIXTURES / "node-json" / "nodes.json"


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes stores by name."""
    root = tmp_path_factory.mktemp("nodes")
    return lambda name: new_project(root, name)


def exported(memory: Memory) -> list[dict[str, Any]]:
    text = "\n".join(memory.export("node-json").lines)
    return sorted(json.loads(text or "[]"), key=lambda node: str(node.get("id")))


def edges_of(memory: Memory) -> set[tuple[str, str, str]]:
    catalogue = open_catalogue(memory.workspace, memory.workspace.store.snapshot())
    try:
        links = catalogue.all_links(sorts=(EdgeSort.ASSERTED,))
    finally:
        catalogue.close()
    return {(link.start, link.relation, link.end) for link in links}


def titles(memory: Memory, ends: set[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    names = {stored.record.id: stored.record.title[:12] for stored in memory.list_nodes()}
    return {(names[start], label, names[end]) for start, label, end in ends}


def test_nodes_of_another_system_go_out_as_they_came(stores: Callable[[str], Path]) -> None:
    with memory_of(stores("foreign")) as memory:
        result = memory.import_path(NODES, accept=True)
        assert result.status is ResultStatus.DONE, result.message

        assert exported(memory) == json.loads(NODES.read_text(encoding="utf-8"))


def test_their_relations_become_edges_once_both_ends_are_there(
    stores: Callable[[str], Path],
) -> None:
    with memory_of(stores("related")) as memory:
        memory.import_path(NODES)
        assert edges_of(memory) == set()
        memory.accept(None)
        for stored in memory.list_nodes():
            memory.link_node(stored.record.id)

        assert titles(memory, edges_of(memory)) == {
            ("The sync mus", "related", "Reporting co"),
            ("Reporting co", "related", "The sync mus"),
            ("Parked batch", "follows", "Retries use "),
        }
        assert exported(memory) == json.loads(NODES.read_text(encoding="utf-8"))


def test_our_own_nodes_come_back_under_their_ids(
    stores: Callable[[str], Path], tmp_path: Path
) -> None:
    with memory_of(stores("here")) as memory:
        first = memory.save_node(
            "The importer resumes at the last whole row",
            abstract="It writes its offset after every block.",
            content="## Why\n\n  Power cuts.\n\n",
            importance=9,
            tags=["importer"],
            entities=["Heron"],
            session="ses-1",
            session_name="Power",
        ).target
        second = memory.save_node("Blocks are read one by one").target
        memory.relate(first, second, "depends on")
        memory.relate(second, first)
        before = exported(memory)
        edges = edges_of(memory)
    file = tmp_path / "nodes.json"
    file.write_text(json.dumps(before), encoding="utf-8")
    with memory_of(stores("there")) as other:
        other.import_path(file, accept=True)
        after = exported(other)
        back = other.show(first).record

        assert after == before
        assert edges_of(other) == edges
        assert (back.body, back.importance) == ("## Why\n\n  Power cuts.\n", 9)
        assert back.fields == {"session": "ses-1", "session_name": "Power"}
        assert other.import_path(file, accept=True).status is ResultStatus.NOTHING


def test_what_was_changed_or_taken_away_since_goes_out_as_it_is(
    stores: Callable[[str], Path],
) -> None:
    with memory_of(stores("changed")) as memory:
        memory.import_path(NODES, accept=True)
        by_id = {node["id"]: node for node in exported(memory)}
        ids = {stored.record.title[:9]: stored.record.id for stored in memory.list_nodes()}
        memory.update_node(ids["Retries u"], importance=2)
        memory.unrelate(ids["Parked ba"], ids["Retries u"], relation="follows")
        memory.relate(ids["Retries u"], ids["Parked ba"], "precedes")
        after = {node["id"]: node for node in exported(memory)}

        assert after["n-002"]["importance"] == 2
        assert after["n-002"]["relations"] == [{"target": ids["Parked ba"], "type": "precedes"}]
        assert after["n-002"]["timestamp"] == by_id["n-002"]["timestamp"]
        assert "relations" not in after["n-003"]
        assert after["n-001"] == by_id["n-001"]


def test_what_may_not_leave_is_left_out(stores: Callable[[str], Path]) -> None:
    with memory_of(stores("kept")) as memory:
        kept = memory.save_node("The quokka ledger is under the stairs", sensitivity="secret")
        memory.accept([kept.target])
        memory.save_node("Orders are kept in Postgres")

        told = memory.export("node-json")
        assert (len(told.lines), told.left_out) == (1, 1)
        memory.actor = AGENT
        assert "quokka" not in str(memory.export("node-json"))
        assert memory.export("node-json").left_out == 0


def test_an_empty_store_hands_out_nothing(stores: Callable[[str], Path]) -> None:
    with memory_of(stores("empty")) as memory:
        assert memory.export("node-json").lines == ()
