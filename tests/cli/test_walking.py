"""``memfs neighbors``, ``expand``, ``path``, ``similar`` and ``graph`` as a script calls them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memfs.app.container import Memory
from memfs.errors import UsageError
from memfs.services.similarity import SimilarityMode
from tests.support.memory import AGENT, memory_of, new_project
from tests.support.processes import Ended, command_folder, run_memfs, run_on_terminal

PERSON = ("--as", "user:ana", "--yes")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A heron with what it feeds, and notes that are like each other."""
    made = new_project(tmp_path_factory.mktemp("walks"))
    with memory_of(made) as memory:
        memory.add_entity("Heron", entity_type="service", about="Lifts the nightly upload.")
        memory.add_entity("Sluice", about="Keeps the water in its bed.")
        memory.add_entity("Gate")
        memory.add_entity("Island")
        memory.relate("Heron", "Sluice", "feeds")
        memory.relate("Sluice", "Gate", "part of")
        for text in ("near the quay", "near the mole", "near the pier"):
            memory.remember(f"The nightly upload of the heron stalls {text}", kind="note")
        memory.remember("Bread is baked on Thursdays", kind="note")
    return made


def said(project: Path, *words: str) -> Ended:
    return run_memfs(*words, *PERSON, cwd=project)


def value(project: Path, *words: str) -> Any:
    ended = said(project, *words, "--json")
    assert ended.status == 0, ended.errors
    return json.loads(ended.output)


def test_neighbours_are_listed_with_how_they_are_linked(project: Path) -> None:
    ended = said(project, "neighbors", "heron")
    assert [line.split("  ", 2)[2] for line in ended.output.splitlines()] == [
        "entity  Sluice  Heron — feeds → Sluice",
        "entity  Gate  Sluice — part of → Gate",
    ]
    found = value(project, "neighbors", "heron", "--hops", "1")
    assert [node["title"] for node in found["nodes"]] == ["Sluice"]
    assert (found["center"]["type"], found["is_cut"]) == ("service", False)
    assert "there is more" in said(project, "neighbors", "heron", "--limit", "1").errors
    alone = said(project, "neighbors", "island")
    assert (alone.status, alone.output, alone.errors) == (0, "", "nothing is linked to it\n")


def test_an_expansion_counts_what_it_shows(project: Path) -> None:
    ended = said(project, "expand", "Heron", "--hops", "2")
    assert ended.errors == "2 nodes whole, 1 node in short, 2 links\n"
    assert "Lifts the nightly upload." in ended.output
    assert "Keeps the water in its bed." in ended.output
    found = value(project, "expand", "Heron")
    assert found["counts"] == {"inner": 1, "leaves": 1, "links": 1}
    assert [item["title"] for item in found["inner"]] == ["Heron"]
    assert found["leaves"][0]["preview"] == "Keeps the water in its bed."


def test_a_way_is_told_step_by_step_and_none_ends_with_1(project: Path) -> None:
    ended = said(project, "path", "Gate", "heron")
    assert [line.split("  ")[0] for line in ended.output.splitlines() if line[0] != " "] == [
        "Gate",
        "Sluice",
        "Heron",
    ]
    assert [line.strip() for line in ended.output.splitlines() if line[0] == " "] == [
        "← part of",
        "← feeds",
    ]
    assert value(project, "path", "Gate", "heron")["is_cut"] is False
    none = said(project, "path", "Heron", "Island")
    assert (none.status, none.errors) == (1, "there is no way between them\n")
    assert said(project, "path", "Heron", "nobody").status == 40


def test_a_picture_is_drawn_in_the_format_that_is_asked_for(project: Path) -> None:
    tree = said(project, "graph", "--around", "heron")
    assert [line[:15] for line in tree.output.splitlines()] == [
        "Heron  service ",
        "└── feeds → Slu",
        "    └── part of",
    ]
    assert said(project, "graph", "--around", "heron", "--format", "mermaid").output.startswith(
        'graph LR\n  n0["Heron"]\n'
    )
    assert (
        "digraph memory {" in said(project, "graph", "--around", "heron", "--format", "dot").output
    )
    drawn = json.loads(said(project, "graph", "--around", "heron", "--format", "json").output)
    assert [node["title"] for node in drawn["nodes"]] == ["Heron", "Sluice", "Gate"]


def test_a_person_at_a_terminal_sees_a_tree(project: Path, tmp_path: Path) -> None:
    tools = command_folder(tmp_path / "bin")
    env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "NO_COLOR": "1", "TERM": "dumb"}
    ended = run_on_terminal("memfs graph --around Heron", cwd=project, env=env)
    assert "└── feeds → Sluice" in ended.output
    assert "\x1b" not in ended.output


def notes(memory: Memory) -> list[str]:
    found = [item.record for item in memory.list_records(kinds=["note"])]
    return [record.id for record in found if "stalls" in record.body]


def test_what_is_similar_is_no_neighbour_and_reaches_the_threshold(project: Path) -> None:
    with memory_of(project) as memory:
        own, other, third = notes(memory)
        found = memory.similar(own)
        assert found.mode is SimilarityMode.LEXICAL
        assert {node.id for node, _ in found.found} == {other, third}
        assert all(score >= 0.40 for _, score in found.found)
        assert len(memory.similar(own, limit=1).found) == 1

        memory.relate(own, other, "same as")
        assert {node.id for node, _ in memory.similar(own).found} == {third}
        assert {node.id for node, _ in memory.similar(other).found} == {third}
        memory.unrelate(own, other)
    with memory_of(project, AGENT) as memory:
        assert len(memory.similar(own).found) == 2
    listed = said(project, "similar", own)
    scores = [float(line.split()[0]) for line in listed.output.splitlines()]
    assert len(scores) == 2
    assert min(scores) >= 0.4
    bread = next(
        item["id"] for item in value(project, "list", "--kind", "note") if "Bread" in item["title"]
    )
    assert said(project, "similar", bread).output == ""


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (lambda it: it.neighbors("Heron", hops=4), "1 to 3 hops, got 4"),
        (lambda it: it.expand("Heron", hops=-1), "1 to 3 hops, got -1"),
        (lambda it: it.neighbors("Heron", limit=1_001), "1 to 1000, got 1001"),
        (lambda it: it.neighbors("Heron", sorts=["likes"]), "asserted"),
        (lambda it: it.graph_around("Heron", picture="png"), "mermaid, dot, json, got 'png'"),
        (lambda it: it.path("Heron", "Gate", scopes=["nowhere"]), "scope"),
        (lambda it: it.neighbors("Heron", as_of="someday"), "someday"),
    ],
)
def test_what_is_asked_wrongly_is_refused(project: Path, ask: Any, expected: str) -> None:
    with memory_of(project) as memory, pytest.raises(UsageError) as told:
        ask(memory)
    assert expected in told.value.message
