"""The graph through the read gate: what is hidden is not there, whatever the graph (O13, A38)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import networkx
import pytest

from memfs.domains.graph.paths import find_path
from memfs.domains.graph.seen_graph import SeenGraph
from memfs.domains.graph.surroundings import expand, neighbors, path_between
from memfs.domains.graph.walk import walk
from memfs.errors import ConflictError
from memfs.model.authority import Sensitivity
from memfs.model.graph import EdgeSort
from memfs.model.moment import NOW, Moment
from memfs.model.origin import Actor, Channel
from memfs.model.record import Record
from memfs.model.scope import GLOBAL_SCOPE, Scope
from memfs.model.settings import Settings
from memfs.model.status import Status
from memfs.policy.access import may_read
from memfs.policy.graph_links import links_of_record
from memfs.services.catalogue import open_catalogue
from memfs.services.ports import Workspace
from tests.support.graphs import claim, edge, entity, named
from tests.support.memory import memory_of, new_project
from tests.support.recall_stores import ANA, BOT, OWN, SAID, STATED, commit, path_of, workspace_with

OTHERS = Scope.parse("agent:somebody-else")
FAR = Scope.parse("project:another")
COUNT = 40


def random_records(seed: int) -> list[Record]:
    """Returns a graph of every sort of link, with all that keeps a record from a reader."""
    rng = random.Random(seed)
    hidden: list[dict[str, object]] = [
        {"scope": OTHERS},
        {"scope": FAR},
        {"record_class": "clinical"},
        {"sensitivity": Sensitivity.CONFIDENTIAL},
        {"status": Status.RETRACTED},
        {"expires": SAID},
        {"valid_from": datetime(2027, 1, 1, tzinfo=UTC)},
    ]

    def some() -> dict[str, object]:
        return rng.choice(hidden) if rng.random() < 0.2 else {}

    names = [f"node {number}" for number in range(COUNT)]
    made = [
        entity(name, **some())
        if number % 2
        else claim(
            name,
            derived_from=tuple(named(f"node {rng.randrange(COUNT)}", "mem") for _ in range(2)),
            evidence=(named(f"node {rng.randrange(COUNT)}"),),
            entities=(f"Node_{rng.randrange(COUNT)}", named(f"node {rng.randrange(COUNT)}")),
            **some(),
        )
        for number, name in enumerate(names)
    ]
    ids = [record.id for record in made]
    for number in range(60):
        start, end = rng.sample(ids, 2)
        made.append(edge(start, end, f"relation {number}", **some()))
    return list({record.id: record for record in made}.values())


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return random_records(7)


@pytest.fixture(scope="module")
def workspace(
    records: list[Record], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workspace]:
    with workspace_with(tmp_path_factory.mktemp("graph"), *records) as opened:
        yield opened


@contextmanager
def seen(workspace: Workspace, actor: Actor = ANA, **options: object) -> Iterator[SeenGraph]:
    with SeenGraph(workspace, actor, **options) as graph:  # type: ignore[arg-type]
        yield graph


def brute_force(workspace: Workspace, records: list[Record], actor: Actor) -> networkx.MultiGraph:
    """Returns what ``actor`` may see of the graph: no record hidden, no end missing."""
    with seen(workspace, actor) as graph:
        request = graph.request
    served = {record.id: record for record in records if may_read(record, request).allowed}
    by_name = {f"node_{number}": named(f"node {number}") for number in range(COUNT)}
    open_graph = networkx.MultiGraph()
    open_graph.add_nodes_from(served)
    for record in served.values():
        places = [(link.start, link.end, link.relation) for link in links_of_record(record)]
        places += [
            (record.id, by_name[name.lower()], "mentions")
            for name in record.entities
            if name.lower() in by_name
        ]
        for start, end, relation in places:
            if start in served and end in served and start != end:
                open_graph.add_edge(start, end, f"{record.id} {relation} {end}")
    return open_graph


@pytest.mark.parametrize("actor", [ANA, BOT], ids=["person", "program"])
def test_walks_and_paths_find_what_brute_force_finds(
    workspace: Workspace, records: list[Record], actor: Actor
) -> None:
    expected = brute_force(workspace, records, actor)
    assert 10 < len(expected) < len(records)
    hidden = {record.id for record in records} - set(expected)
    starts = [record.id for record in records if record.kind != "edge"]
    with seen(workspace, actor) as graph:
        for start in starts:
            if start in hidden:
                with pytest.raises(ConflictError):
                    graph.find(start)
                continue
            for hops in (1, 2, 3):
                found = walk(graph, start, hops=hops, most=1_000)
                reach = networkx.single_source_shortest_path_length(expected, start, cutoff=hops)
                assert found.hops == dict(reach)
                inside = expected.subgraph(found.hops)
                keys = {f"{it.record} {it.relation} {it.end}" for it in found.links}
                assert keys == {key for _, _, key in inside.edges(keys=True)}
            end = starts[-1] if starts[-1] not in hidden else starts[-2]
            way = find_path(graph, start, end, most_hops=20).nodes
            is_way = end in expected and networkx.has_path(expected, start, end)
            length = networkx.shortest_path_length(expected, start, end) + 1 if is_way else 0
            assert len(way) == length
            assert not set(way) & hidden


def test_a_second_question_reads_nothing(
    workspace: Workspace, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    start = next(it.id for it in records if it.kind == "entity" and it.status is Status.ACTIVE)
    with seen(workspace) as graph:
        first = neighbors(graph, start, hops=2, most=50)

    def refuse(*_: object) -> None:
        raise AssertionError("the catalogue was asked again")

    monkeypatch.setattr("memfs.domains.graph.seen_graph.open_catalogue", refuse)
    monkeypatch.setattr("memfs.domains.graph.adjacency.read_paths", refuse)
    with seen(workspace) as graph:
        assert neighbors(graph, start, hops=2, most=50) == first


GATE = (
    entity("Heron", aliases=["grey heron", "Fischreiher"], entity_type="service"),
    entity("Sluice", summary="Keeps the water"),
    entity("Gate"),
    edge("Heron", "Sluice", "feeds"),
    edge("Sluice", "Gate", "part of"),
    claim("It stalls", entities=("GREY-HERON",), abstract="It stalls at night"),
)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_with(tmp_path, *GATE) as opened:
        yield opened


def names(graph: SeenGraph, reference: str, hops: int = 2) -> list[tuple[str, int]]:
    around = neighbors(graph, reference, hops=hops, most=20)
    return [(node.title, node.hops) for node in around.nodes]


def test_a_node_is_found_by_id_name_alias_end_and_file(small: Workspace) -> None:
    with seen(small) as graph:
        heron = named("Heron")
        for reference in (heron, "heron", "Fischreiher", heron[-6:], path_of(GATE[0])):
            assert graph.find(reference).record.id == heron
        for reference in ("", "heronry", heron[:-1] + "z", "../etc/passwd", "\x00", "@1"):
            with pytest.raises(ConflictError) as told:
                graph.find(reference)
            assert told.value.code == "conflict.unknown-record"


def test_neighbours_come_nearest_first_and_asserted_first(small: Workspace) -> None:
    with seen(small) as graph:
        assert names(graph, "Heron") == [("Sluice", 1), ("It stalls", 1), ("Gate", 2)]
        assert names(graph, "Heron", hops=1) == [("Sluice", 1), ("It stalls", 1)]
        around = neighbors(graph, "Heron", hops=2, most=20)

    assert (around.center.title, around.center.type) == ("Heron", "service")
    assert around.nodes[0].preview == "Keeps the water"
    assert around.parents[named("Gate")] == named("Sluice")
    assert {(it.relation, it.sort) for it in around.links} == {
        ("feeds", EdgeSort.ASSERTED),
        ("part of", EdgeSort.ASSERTED),
        ("mentions", EdgeSort.MENTIONS),
    }


def test_an_expansion_is_whole_inside_and_short_at_its_rim(small: Workspace) -> None:
    with seen(small) as graph:
        one = expand(graph, "Heron", hops=1, most=20)
        two = expand(graph, "Heron", hops=2, most=20)

    assert [item.record.title for item in one.inner] == ["Heron"]
    assert [node.title for node in one.leaves] == ["Sluice", "It stalls"]
    assert [item.record.title for item in two.inner] == ["Heron", "Sluice", "It stalls"]
    assert [node.title for node in two.leaves] == ["Gate"]
    assert two.inner[2].record.abstract == "It stalls at night"


def test_a_way_between_two_names_is_the_shortest_with_its_steps(small: Workspace) -> None:
    with seen(small) as graph:
        found = path_between(graph, named("It stalls", "mem"), "gate")

    assert [node.title for node in found.nodes] == ["It stalls", "Heron", "Sluice", "Gate"]
    assert [[it.relation for it in step] for step in found.steps] == [
        ["mentions"],
        ["feeds"],
        ["part of"],
    ]


def test_two_entities_of_one_name_are_named_both(small: Workspace) -> None:
    twin = entity("Heron", id=named("twin"), scope=GLOBAL_SCOPE)
    commit(small.store, twin)
    with seen(small) as graph, pytest.raises(ConflictError) as told:
        graph.find("heron")
    assert told.value.code == "conflict.ambiguous-record"
    assert named("twin") in told.value.message
    with seen(small, scopes=(GLOBAL_SCOPE,)) as graph:
        assert graph.find("heron").record.id == named("twin")


def test_a_change_is_seen_by_the_next_question(small: Workspace) -> None:
    with seen(small) as graph:
        assert ("Gate", 2) in names(graph, "Heron")
    commit(small.store, replace(GATE[4], status=Status.RETRACTED))
    with seen(small) as graph:
        assert ("Gate", 2) not in names(graph, "Heron")
    commit(small.store, replace(GATE[1], summary="Holds it back", version=2))
    with seen(small) as graph:
        assert neighbors(graph, "Heron", hops=1, most=9).nodes[0].preview == "Holds it back"
    commit(small.store, gone=[GATE[1]])
    with seen(small) as graph:
        assert names(graph, "Heron") == [("It stalls", 1)]


def test_another_moment_has_another_graph(tmp_path: Path) -> None:
    july = datetime(2026, 7, 1, tzinfo=UTC)
    old = edge("Heron", "Sluice", "runs on", valid_until=july)
    new = edge("Heron", "Gate", "runs on", valid_from=july)
    before, after = july - timedelta(seconds=1), july
    with workspace_with(tmp_path, *GATE[:3], old) as workspace:
        commit(workspace.store, new, at=SAID + timedelta(days=1))
        with seen(workspace, moment=Moment(valid_at=before)) as graph:
            assert names(graph, "Heron") == [("Sluice", 1)]
        with seen(workspace, moment=Moment(valid_at=after)) as graph:
            assert names(graph, "Heron") == [("Gate", 1)]


def test_as_of_a_moment_what_was_known_then_and_nothing_taken_back_since(tmp_path: Path) -> None:
    first, second, third = (SAID + timedelta(days=day) for day in (1, 2, 3))
    with workspace_with(tmp_path, claim("Nothing yet")) as workspace:
        commit(workspace.store, *GATE[:3], GATE[3], at=first)
        commit(workspace.store, GATE[4], at=second)
        commit(workspace.store, replace(GATE[3], status=Status.RETRACTED), at=third)
        known = {}
        for name, moment in (("first", first), ("second", second), ("third", third)):
            with seen(workspace, moment=Moment(as_of=moment)) as graph:
                known[name] = names(graph, "Sluice")
        # What was retracted since is not shown of any moment; what was not yet known is not there.
        assert known == {"first": [], "second": [("Gate", 1)], "third": [("Gate", 1)]}
        long_ago = Moment(as_of=datetime(2000, 1, 1, tzinfo=UTC))
        with seen(workspace, moment=long_ago) as graph, pytest.raises(ConflictError):
            graph.find("Heron")
        with seen(workspace) as graph:
            assert names(graph, "Sluice") == [("Gate", 1)]
        head = workspace.store.snapshot()
        open_catalogue(workspace, head).close()  # the past left the catalogue where it was


def test_now_is_no_other_moment() -> None:
    assert NOW.is_now


def test_what_is_seen_in_part_is_no_way_to_its_name(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.add_entity("Heron", aliases=["Reiher"], scope="team:ward")
        memory.add_entity("Gate")
        memory.accept(None)
        heron = memory.neighbors("Heron").center.id
        memory.relate("Heron", "Gate", "feeds")
        note = memory.remember("It stalls", kind="note", entities=["reiher"]).target
        opened = {"scopes": ["team:ward"], "kinds": ["entity"], "shown_fields": ["entity_type"]}
        memory.grant("agent:bot", **opened)  # type: ignore[arg-type]
        assert {node.id for node in memory.neighbors("Heron", hops=1).nodes} >= {note}
    with memory_of(project, BOT) as memory:
        for name in ("Heron", "reiher"):
            with pytest.raises(ConflictError):
                memory.neighbors(name)
        # By its id it is there, without its name, and what names it is not told.
        around = memory.neighbors(heron, hops=2)
        assert (around.center.title, around.center.preview) == ("", "")
        assert [node.title for node in around.nodes] == ["Gate"]
        assert {node.kind for node in memory.neighbors(note, hops=3).nodes} == {"evidence"}


def test_what_came_from_a_source_that_is_off_is_no_part_of_a_programs_graph(
    tmp_path: Path,
) -> None:
    origin = replace(STATED, source="import:old")
    off = entity("Weir", origin=replace(origin, channel=Channel.IMPORT))
    records = (
        *GATE,
        off,
        edge("Heron", "Weir", "over"),
        claim("Rests on it", derived_from=(off.id,)),
    )
    switched = Settings(
        store_id="store_01kb8x3v6yq4m9t2r7w5000000",
        project="demo",
        sources_off=frozenset({"channel:import"}),
    )
    with workspace_with(tmp_path, *records, settings=switched) as workspace:
        with seen(workspace, BOT) as graph:
            assert ("Weir", 1) not in names(graph, "Heron")
            for name in ("Weir", named("Rests on it", "mem")):
                with pytest.raises(ConflictError):
                    graph.find(name)
        with seen(workspace, ANA) as graph:
            assert ("Weir", 1) in names(graph, "Heron")


def test_of_two_that_became_one_the_past_knows_two(tmp_path: Path) -> None:
    merged = replace(GATE[1], status=Status.SUPERSEDED, superseded_by=named("Gate"))
    before, after = SAID + timedelta(days=1), SAID + timedelta(days=2)
    with workspace_with(tmp_path, claim("Nothing yet")) as workspace:
        commit(workspace.store, *GATE, at=before)
        commit(workspace.store, merged, at=after)
        with seen(workspace) as graph:
            assert graph.find(named("Sluice")).record.title == "Gate"
            assert graph.find("sluice").record.title == "Gate"
            assert ("Gate", 1) in names(graph, "Heron")
        with seen(workspace, moment=Moment(as_of=before)) as graph:
            assert graph.find("sluice").record.title == "Sluice"
            assert names(graph, "Heron", hops=1) == [("Sluice", 1), ("It stalls", 1)]


def test_many_ask_while_the_store_changes(tmp_path: Path) -> None:
    records = [entity(f"n{number}") for number in range(30)]
    chain = [edge(f"n{number}", f"n{number + 1}") for number in range(29)]
    with workspace_with(tmp_path, *records, *chain) as workspace:
        ended: list[int] = []

        def ask() -> None:
            for _ in range(15):
                with seen(workspace, BOT) as graph:
                    ended.append(len(neighbors(graph, "n10", hops=3, most=50).nodes))

        threads = [Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        for number in range(5):
            commit(workspace.store, entity(f"more {number}"))
        for thread in threads:
            thread.join()
    assert ended == [6] * 45


def test_what_happened_later_is_no_neighbour_of_an_earlier_moment(tmp_path: Path) -> None:
    late = SAID + timedelta(days=10)
    moved = Record(
        kind="event", id=named("moved", "event"), title="Moved", body="", scope=OWN, observed=SAID,
        origin=STATED, event_time=late, entities=("Web",), fields={"event_kind": "work"},
    )  # fmt: skip
    with workspace_with(tmp_path, entity("Web"), moved) as workspace:
        for moment, expected in ((late - timedelta(1), []), (late, [moved.id])):
            with seen(workspace, moment=Moment(valid_at=moment)) as graph:
                assert sorted(graph.nodes([moved.id])) == expected
