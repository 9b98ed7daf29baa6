"""Causal closure against brute force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memfs.model.record import Record
from memfs.model.relation import Relation, RelationKind
from memfs.policy.closure import closure, dependents, descendants, inputs_of, is_supported
from tests.support.policy import identifier

GRAPHS = st.integers(1, 12).flatmap(
    lambda size: st.lists(
        st.frozensets(st.integers(0, size - 1), max_size=4), min_size=size, max_size=size
    )
)


def records_from(graph: list[frozenset[int]]) -> list[Record]:
    """Returns one record a node, each derived from the nodes that its set names."""
    return [
        Record(
            kind="note",
            id=identifier(number),
            derived_from=tuple(f"{identifier(source)}@1" for source in sorted(sources)[::2]),
            evidence=tuple(identifier(source) for source in sorted(sources)[1::2]),
        )
        for number, sources in enumerate(graph)
    ]


def reachable(graph: list[frozenset[int]], root: int) -> set[int]:
    """Repeats one step until nothing changes."""
    reached = {root}
    while True:
        more = {node for node, sources in enumerate(graph) if sources & reached} | reached
        if more == reached:
            return reached - {root}
        reached = more


@given(GRAPHS, st.data())
def test_closure_equals_brute_force(graph: list[frozenset[int]], data: st.DataObject) -> None:
    root = data.draw(st.integers(0, len(graph) - 1))
    found = descendants([identifier(root)], records_from(graph))
    assert found == {identifier(node) for node in reachable(graph, root)}


def test_semantic_links_carry_nothing() -> None:
    linked = Record(
        kind="note",
        id=identifier(2),
        subject="backend",
        conflicts=(identifier(1),),
        supersedes=(identifier(1),),
        relations=(Relation(RelationKind.RELATED, identifier(1), "see"),),
    )
    assert descendants([identifier(1)], [linked]) == frozenset()


def test_inputs_are_named_without_versions_and_once() -> None:
    record = Record(kind="note", derived_from=(f"{identifier(1)}@3", identifier(1)))
    assert inputs_of(record) == (identifier(1),)
    assert dependents([Record(kind="note", id=identifier(1), evidence=(identifier(1),))]) == {}
    assert closure(["a"], {"a": ["b"], "b": ["a"]}) == {"a", "b"}


def test_evidence_is_alternative_and_derivation_is_not() -> None:
    gone = frozenset({identifier(1)})
    either = Record(kind="note", evidence=(identifier(1), identifier(2)))
    both = Record(kind="note", derived_from=(identifier(1), identifier(2)))
    alone = Record(kind="note", evidence=(identifier(1),))
    assert is_supported(either, gone)
    assert not is_supported(both, gone)
    assert not is_supported(alone, gone)
    assert is_supported(Record(kind="note"), gone)
