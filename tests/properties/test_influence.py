"""Influence runs along causal edges alone, whatever else links the records (A37, A38)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.index.catalogue import Catalogue
from memfs.model.graph import EdgeSort
from memfs.model.record import Record, StoredRecord
from memfs.policy.closure import closure, descendants
from memfs.services.catalogue import entry_from
from tests.support.graphs import claim, edge, entity, named

CAUSAL = frozenset({EdgeSort.DERIVED, EdgeSort.EVIDENCE})
SIZE = 10


def random_records(seed: int) -> tuple[list[Record], networkx.DiGraph]:
    """Returns records with links of every sort, and the graph of the causal ones alone."""
    rng = random.Random(seed)
    names = [f"n{number}" for number in range(SIZE)]
    causal = networkx.DiGraph()
    causal.add_nodes_from(named(name, "mem") for name in names)
    made: list[Record] = []
    for name in names:
        inputs = rng.sample(names, rng.randint(0, 3))
        half = rng.randint(0, len(inputs))
        ids = [named(item, "mem") for item in inputs]
        others = [named(item, "mem") for item in rng.sample(names, 3)]
        record = claim(
            name,
            derived_from=tuple(f"{item}@1" for item in ids[:half]),
            evidence=tuple(ids[half:]),
            supersedes=tuple(others[:1]),
            conflicts=tuple(others[1:2]),
            entities=(f"thing {rng.randrange(SIZE)}", others[2]),
        )
        if rng.random() < 0.3:
            fields = {"parent": named(rng.choice(names), "run")}
            record = replace(record, kind="run", fields=fields)
        made.append(record)
        causal.add_edges_from((item, record.id) for item in ids if item != record.id)
    made += [entity(f"thing {number}") for number in range(SIZE)]
    for number in range(2 * SIZE):
        start, end = rng.sample([record.id for record in made], 2)
        made.append(edge(start, end, f"causes {number}"))
    return list({record.id: record for record in made}.values()), causal


@contextmanager
def catalogue_of(records: list[Record]) -> Iterator[Catalogue]:
    with TemporaryDirectory() as folder:
        catalogue = Catalogue(Path(folder))
        rows = [
            entry_from(StoredRecord(record=record, path=f"{record.id}.md", blob=""))
            for record in records
        ]
        try:
            assert catalogue.apply(expected_stamp="", stamp="a", removed=(), added=rows)
            yield catalogue
        finally:
            catalogue.close()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), root=st.integers(0, SIZE - 1))
def test_the_closure_is_that_of_the_causal_edges_alone(seed: int, root: int) -> None:
    records, causal = random_records(seed)
    start = named(f"n{root}", "mem")
    expected = networkx.descendants(causal, start)

    with catalogue_of(records) as catalogue:
        assert {row.id for row in catalogue.descendants([start])} == expected
        links = catalogue.all_links(sorts=CAUSAL)
        edges: dict[str, list[str]] = {}
        for link in links:
            edges.setdefault(link.end, []).append(link.start)
        assert closure([start], edges) - {start} == expected
        assert {link.sort for link in links} <= CAUSAL
        asserted = catalogue.links_of([start], sorts={EdgeSort.ASSERTED})
        assert {link.sort for link in asserted} <= {EdgeSort.ASSERTED}
    assert descendants([start], records) == expected


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_without_any_semantic_edge_the_closure_is_the_same(seed: int) -> None:
    records, causal = random_records(seed)
    bare = [
        replace(record, supersedes=(), conflicts=(), entities=(), fields={})
        for record in records
        if record.kind not in ("edge", "entity")
    ]

    for start in causal:
        assert descendants([start], bare) == descendants([start], records)
