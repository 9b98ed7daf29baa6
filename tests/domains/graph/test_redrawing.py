"""Edges drawn anew, against a model that knows nothing but sets of triples (M7, M8)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.domains.graph.redrawing import (
    Redrawn,
    Triple,
    copied,
    drawn_by,
    redrawn,
    triple_of,
)
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.policy.relations import subject_of_edge
from tests.support.graphs import edge, named

NODES = tuple(named(name) for name in "abcde")
KEPT, ABSORBED = NODES[:2]
MERGED = {ABSORBED: KEPT}
YEARS = [None, *(datetime(year, 1, 1, tzinfo=UTC) for year in (2020, 2022, 2024))]


@st.composite
def graphs(draw: st.DrawFn, *, is_timed: bool = False) -> list[Record]:
    """Yields edges among five nodes, none drawn twice."""
    pairs = st.tuples(st.integers(0, 4), st.sampled_from(["uses", "Uses", "runs on"]))
    drawn = draw(st.lists(st.tuples(pairs, st.integers(0, 4)), max_size=14))
    edges = []
    for number, ((start, relation), end) in enumerate(drawn):
        if start == end:
            continue
        since, until = (draw(st.sampled_from(YEARS)) for _ in range(2)) if is_timed else (None,) * 2
        if since is not None and until is not None and until <= since:
            until = None
        made = edge(
            NODES[start],
            NODES[end],
            relation,
            id=named(f"drawn {number}", "edge"),
            valid_from=since,
            valid_until=until,
        )
        edges.append(made)
    return edges


def counted(known: Sequence[Record]) -> Callable[[], str]:
    """Returns a source of ids that nothing has yet."""
    numbers = itertools.count(len(known))
    return lambda: named(f"made {next(numbers)}", "edge")


def became(ends: Mapping[str, str]) -> Callable[[str], str]:
    """Returns what tells what each node is now."""
    return lambda name: ends.get(name, name)


def anew(edges: Sequence[Record], drawn: Sequence[str], ends: Mapping[str, str]) -> Redrawn:
    """Draws edges anew."""
    known = {item.id: item for item in edges}
    return redrawn(known, drawn, resolve=became(ends), heir=KEPT, new_id=counted(edges))


def settled(edges: Sequence[Record], what: Redrawn) -> list[Record]:
    """Returns all edges as a change leaves them."""
    gone = {
        name: {"status": Status.SUPERSEDED, "superseded_by": heir}
        for name, heir in what.heirs.items()
    }
    again = {name: {"status": Status.ACTIVE, "superseded_by": ""} for name in what.again}
    changes: dict[str, dict[str, Any]] = {**gone, **again}
    changed = [replace(item, **changes.get(item.id, {})) for item in edges]
    return [*changed, *what.made]


def active(edges: Sequence[Record]) -> list[Record]:
    """Returns the edges that are drawn."""
    return [item for item in edges if item.status is Status.ACTIVE]


def model(edges: Sequence[Record], ends: Mapping[str, str]) -> set[Triple]:
    """Returns what a merge comes to for one who only draws sets."""
    triples = {triple_of(item) for item in edges}
    drawn = {(ends.get(a, a), relation, ends.get(b, b)) for a, relation, b in triples}
    return {(a, relation, b) for a, relation, b in drawn if a != b}


@settings(max_examples=40)
@given(graphs())
def test_a_merge_draws_what_the_model_draws_and_nothing_twice(edges: list[Record]) -> None:
    what = anew(edges, [item.id for item in edges], MERGED)
    after = active(settled(edges, what))
    assert {triple_of(item) for item in after} == model(edges, MERGED)
    assert len(after) == len({triple_of(item) for item in after})


@settings(max_examples=40)
@given(graphs(is_timed=True))
def test_every_edge_that_gives_way_names_what_stands_in_its_place(edges: list[Record]) -> None:
    what = anew(edges, [item.id for item in edges], MERGED)
    left = {item.id: item for item in active(settled(edges, what))}
    for name, heir in what.heirs.items():
        (edge,) = (item for item in edges if item.id == name)
        is_inner = {*triple_of(edge)[::2]} == {KEPT, ABSORBED}
        assert (heir == KEPT) is is_inner is (name in what.inner)
        assert is_inner or name in drawn_by(left[heir])
    for made in what.made:
        assert set(made.supersedes) <= what.heirs.keys()
        assert made.subject == subject_of_edge(made)
        assert ABSORBED not in triple_of(made)


@settings(max_examples=40)
@given(graphs(is_timed=True))
def test_what_held_at_a_time_holds_then_after_the_merge(edges: list[Record]) -> None:
    what = anew(edges, [item.id for item in edges], MERGED)
    after = active(settled(edges, what))
    for year in (2019, 2020, 2021, 2022, 2023, 2024, 2025):
        moment = datetime(year, 6, 1, tzinfo=UTC)
        held = [item for item in edges if _is_held(item, moment)]
        assert {triple_of(item) for item in after if _is_held(item, moment)} == model(held, MERGED)


@settings(max_examples=40)
@given(graphs(is_timed=True), st.permutations(["b", "c", "d"]))
def test_merges_come_apart_in_any_order_to_the_same_edges(
    edges: list[Record], order: list[str]
) -> None:
    drawn = [item.id for item in edges]
    ends: dict[str, str] = {}
    standing = list(edges)
    for name in "bcd":
        ends[named(name)] = KEPT
        standing = settled(standing, anew(standing, drawn, ends))
    for name in order:
        del ends[named(name)]
        standing = settled(standing, anew(standing, drawn, ends))
        found = {triple_of(item) for item in active(standing)}
        assert found == model(edges, ends)
    first = {item.id for item in active(settled(edges, anew(edges, drawn, {})))}
    assert {triple_of(item) for item in active(standing)} == {triple_of(item) for item in edges}
    assert len(active(standing)) == len(first)


@settings(max_examples=40)
@given(graphs())
def test_a_copy_is_drawn_once_at_the_other_node_and_leaves_the_first(edges: list[Record]) -> None:
    hanging = [item for item in edges if KEPT in triple_of(item)]
    other = named("new")
    copies = copied(hanging, resolve=became({KEPT: other}), new_id=counted(edges))
    assert {triple_of(item) for item in copies} == model(hanging, {KEPT: other})
    assert len(copies) == len({triple_of(item) for item in copies})
    assert all(not item.supersedes for item in copies)
    assert all(item.status is Status.ACTIVE for item in copies)


def _is_held(item: Record, moment: datetime) -> bool:
    is_begun = item.valid_from is None or item.valid_from <= moment
    return is_begun and (item.valid_until is None or moment < item.valid_until)
