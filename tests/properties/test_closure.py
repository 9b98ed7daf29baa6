"""The closure in the catalogue is the closure of policy, whatever the graph (A37, A38)."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.index.catalogue import Catalogue
from memfs.model.record import Record, StoredRecord
from memfs.model.relation import Relation, RelationKind
from memfs.policy.closure import descendants
from memfs.services.catalogue import entry_from
from tests.policy.test_closure import GRAPHS, reachable, records_from
from tests.support.policy import identifier


def fill(catalogue: Catalogue, records: list[Record], *, was: str, now: str) -> None:
    stored = [
        StoredRecord(record=record, path=f"records/note/{record.id}.md", blob=f"{number:040x}")
        for number, record in enumerate(records)
    ]
    assert catalogue.apply(
        expected_stamp=was, stamp=now, removed=(), added=map(entry_from, stored), is_rebuild=not was
    )


@settings(max_examples=150, deadline=None)
@given(graph=GRAPHS, data=st.data())
def test_the_catalogue_reaches_what_brute_force_reaches(
    graph: list[frozenset[int]], data: st.DataObject, tmp_path_factory: object
) -> None:
    root = data.draw(st.integers(0, len(graph) - 1))
    records = records_from(graph)
    folder = tmp_path_factory.mktemp("catalogue")  # type: ignore[attr-defined]
    catalogue = Catalogue(Path(folder))
    try:
        fill(catalogue, records, was="", now="a")
        found = {row.id for row in catalogue.descendants([identifier(root)])}
        assert found == descendants([identifier(root)], records)
        assert found == {identifier(node) for node in reachable(graph, root)}
        # Links that only mean something, and records that go, change nothing and leave nothing.
        linked = Record(
            kind="note",
            id=identifier(99),
            subject="s",
            conflicts=(identifier(root),),
            supersedes=(identifier(root),),
            relations=(Relation(RelationKind.RELATED, identifier(root), "see"),),
        )
        fill(catalogue, [linked], was="a", now="b")
        assert {row.id for row in catalogue.descendants([identifier(root)])} == found
        gone = [f"records/note/{identifier(number)}.md" for number in range(len(graph))]
        catalogue.apply(expected_stamp="b", stamp="c", removed=gone, added=())
        assert catalogue.descendants([identifier(root)]) == ()
        assert catalogue.dependents([identifier(root)]) == ()
    finally:
        catalogue.close()
