"""Walks and paths against networkx, and what bounds and hides do to them (O15)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.domains.graph.paths import Path, find_path
from memfs.domains.graph.walk import walk
from memfs.model.graph import EdgeSort, Link
from tests.support.walks import GivenGraph, link

SIZE = 12
MANY = 10_000
_SORTS = {"r": EdgeSort.ASSERTED, "s": EdgeSort.DERIVED, "t": EdgeSort.ASSERTED}
_PAIRS = st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1), st.sampled_from("rst"))
GRAPHS = st.lists(_PAIRS, max_size=24).map(
    lambda pairs: [
        link(start, end, relation, sort=_SORTS[relation])
        for start, end, relation in pairs
        if start != end
    ]
)
HIDDEN = st.frozensets(st.integers(1, SIZE - 1), max_size=4)


def peer(links: list[Link], hidden: Any) -> Any:
    """Returns the graph that is left to see, as networkx has it."""
    graph = networkx.MultiGraph()
    graph.add_nodes_from(str(number) for number in range(SIZE))
    for item in links:
        if item.record not in hidden:
            graph.add_edge(item.start, item.end, item.record)
    graph.remove_nodes_from(map(str, hidden))
    return graph


@settings(deadline=None, max_examples=150)
@given(links=GRAPHS, hidden=HIDDEN, hops=st.integers(1, 3), data=st.data())
def test_a_walk_reaches_what_networkx_reaches(
    links: list[Link], hidden: frozenset[int], hops: int, data: st.DataObject
) -> None:
    records = [item.record for item in links]
    closed = data.draw(st.frozensets(st.sampled_from(records), max_size=4)) if records else ()
    graph = GivenGraph(links, {*hidden, *closed})
    expected = peer(links, {*hidden, *closed})

    found = walk(graph, "0", hops=hops, most=MANY)

    reach = networkx.single_source_shortest_path_length(expected, "0", cutoff=hops)
    assert found.hops == dict(reach)
    assert not found.is_cut
    inside = expected.subgraph(found.hops)
    assert {item.record for item in found.links} == {key for _, _, key in inside.edges(keys=True)}
    assert [item.hops for item in found.reached] == sorted(found.hops.values())


@settings(deadline=None, max_examples=150)
@given(links=GRAPHS, hidden=HIDDEN, end=st.integers(0, SIZE - 1))
def test_a_path_is_as_short_as_the_one_that_networkx_finds(
    links: list[Link], hidden: frozenset[int], end: int
) -> None:
    hidden = hidden - {end}
    graph, expected = GivenGraph(links, hidden), peer(links, hidden)

    found = find_path(graph, "0", str(end), most_hops=SIZE)

    assert not found.is_cut
    if not networkx.has_path(expected, "0", str(end)):
        assert found.nodes == ()
        return
    assert (found.nodes[0], found.nodes[-1]) == ("0", str(end))
    assert len(found.nodes) == networkx.shortest_path_length(expected, "0", str(end)) + 1
    for pair, step in zip(pairwise(found.nodes), found.steps, strict=True):
        between = expected.get_edge_data(*pair)
        assert {item.record for item in step} == set(between)


@settings(deadline=None, max_examples=100)
@given(links=GRAPHS, hops=st.integers(1, 3), most=st.integers(0, 6))
def test_a_bounded_walk_is_the_beginning_of_the_whole_one(
    links: list[Link], hops: int, most: int
) -> None:
    whole = walk(GivenGraph(links), "0", hops=hops, most=MANY)

    cut = walk(GivenGraph(links), "0", hops=hops, most=most)

    assert cut.reached == whole.reached[: most + 1]
    assert cut.is_cut or (cut.reached, cut.links) == (whole.reached, whole.links)
    assert cut.is_cut >= (len(whole.reached) > most + 1)


@settings(deadline=None, max_examples=60)
@given(links=GRAPHS, data=st.data())
def test_a_walk_does_not_depend_on_the_order_of_the_links(
    links: list[Link], data: st.DataObject
) -> None:
    other = data.draw(st.permutations(links))

    assert walk(GivenGraph(links), "0", hops=2, most=3) == walk(
        GivenGraph(other), "0", hops=2, most=3
    )
    assert find_path(GivenGraph(links), "0", "5") == find_path(GivenGraph(other), "0", "5")


def test_a_walk_stays_on_the_sorts_that_are_asked_for() -> None:
    links = [link(0, 1), link(1, 2, "derived_from", sort=EdgeSort.DERIVED), link(0, 3)]
    asserted = frozenset({EdgeSort.ASSERTED})

    found = walk(GivenGraph(links), "0", hops=3, most=9, sorts=asserted)

    assert found.hops == {"0": 0, "1": 1, "3": 1}
    assert {item.sort for item in found.links} == asserted
    assert find_path(GivenGraph(links), "0", "2", sorts=asserted).nodes == ()
    assert find_path(GivenGraph(links), "0", "2").nodes == ("0", "1", "2")


def test_a_bounded_walk_looks_at_little_more_than_it_shows() -> None:
    graph = GivenGraph([link(0, number) for number in range(1, 5_000)])

    found = walk(graph, "0", hops=2, most=20)

    assert len(found.reached) == 21
    assert found.is_cut
    assert len(graph.looked_at) <= 64


def test_what_is_hidden_does_not_cut_a_walk_short() -> None:
    graph = GivenGraph([link(0, number) for number in range(1, 200)], hidden=range(5, 200))

    found = walk(graph, "0", hops=2, most=4)

    assert list(found.hops) == ["0", "1", "2", "3", "4"]
    assert not found.is_cut


def test_a_search_that_gives_up_says_so() -> None:
    chain = [link(number, number + 1) for number in range(20)]

    assert find_path(GivenGraph(chain), "0", "20").is_cut
    assert not find_path(GivenGraph(chain), "0", "no such node").is_cut
    assert len(find_path(GivenGraph(chain), "0", "8").nodes) == 9
    star = [link(0, number) for number in range(1, 30)] + [link(30, 31)]
    assert find_path(GivenGraph(star), "0", "31", most=10).is_cut
    assert find_path(GivenGraph(star), "0", "31", most=100) == Path()


@pytest.mark.parametrize("most_hops", [0, 1])
def test_a_way_to_itself_has_no_step(most_hops: int) -> None:
    found = find_path(GivenGraph([link(0, 1)]), "0", "0", most_hops=most_hops)

    assert (found.nodes, found.steps) == (("0",), ())
