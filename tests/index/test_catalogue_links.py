"""The graph in the catalogue: links both ways, names, and what became one."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memfs.index.catalogue import FILE_NAME, Catalogue
from memfs.model.graph import EdgeSort
from memfs.model.ids import derived_id
from memfs.model.naming import entity_key
from memfs.model.record import Record, StoredRecord
from memfs.model.status import Status
from memfs.services.catalogue import entry_from

WHEN = datetime(2026, 5, 1, tzinfo=UTC)


def ref(name: str, prefix: str = "ent") -> str:
    return derived_id(prefix, name)


def entity(name: str, *aliases: str, into: str = "") -> Record:
    record = Record(
        kind="entity",
        id=ref(name),
        title=name,
        subject=entity_key(name),
        fields={"aliases": list(aliases)} if aliases else {},
    )
    return replace(record, status=Status.SUPERSEDED, superseded_by=ref(into)) if into else record


def edge(start: str, end: str, relation: str = "uses") -> Record:
    fields = {"from": ref(start), "to": ref(end), "relation": relation}
    return Record(kind="edge", id=ref(f"{start} {relation} {end}", "edge"), fields=fields)


def note(name: str, **fields: object) -> Record:
    return replace(Record(kind="note", id=ref(name, "mem"), title=name), **fields)  # type: ignore[arg-type]


def filled(folder: Path, records: Iterable[Record]) -> Catalogue:
    catalogue = Catalogue(folder)
    rows = [
        entry_from(StoredRecord(record=record, path=f"{record.id}.md", blob=""))
        for record in records
    ]
    assert catalogue.apply(expected_stamp="", stamp="1", removed=(), added=rows)
    return catalogue


def shape(catalogue: Catalogue, *ids: str, **options: object) -> list[tuple[str, str, str]]:
    found = catalogue.links_of(ids, **options)  # type: ignore[arg-type]
    return [(link.start, link.relation, link.end) for link in found]


def test_a_link_is_found_from_both_ends_and_tells_who_says_it(tmp_path: Path) -> None:
    said = edge("api", "db")
    with closing(filled(tmp_path, [entity("api"), entity("db"), said])) as catalogue:
        assert catalogue.links_of([ref("api")]) == catalogue.links_of([ref("db")])
        (link,) = catalogue.links_of([ref("api"), ref("db")])
        assert (link.record, link.path, link.sort) == (said.id, f"{said.id}.md", EdgeSort.ASSERTED)
        assert link.other_end(ref("api")) == ref("db")


def test_structural_links_are_never_returned_where_asserted_ones_were_asked_for(
    tmp_path: Path,
) -> None:
    run = replace(note("run"), kind="run", id=ref("run", "run"), fields={"parent": ref("p", "run")})
    rests = note("n", derived_from=(f"{ref('m', 'mem')}@2",), evidence=(ref("e", "ev"),))
    rests = replace(rests, supersedes=(ref("old", "mem"),), entities=(ref("api"),))
    records = [entity("api"), entity("db"), edge("api", "db"), rests, run]
    with closing(filled(tmp_path, records)) as catalogue:
        assert shape(catalogue, ref("api"), sorts=[EdgeSort.ASSERTED]) == [
            (ref("api"), "uses", ref("db"))
        ]
        assert {(link.relation, link.end) for link in catalogue.links_of([rests.id])} == {
            ("derived_from", ref("m", "mem")),
            ("evidence", ref("e", "ev")),
            ("supersedes", ref("old", "mem")),
            ("mentions", ref("api")),
        }
        (lineage,) = catalogue.links_of([run.id])
        assert (lineage.sort, lineage.relation) == (EdgeSort.LINEAGE, "parent")
        structural = catalogue.all_links(sorts=[sort for sort in EdgeSort if sort.is_structural])
        assert len(structural) == 5


@pytest.mark.parametrize("name", ["Data Sync", "DATA-SYNC", "datasync service", "ds"])
def test_a_mention_by_any_name_leads_to_the_entity(tmp_path: Path, name: str) -> None:
    thing = entity("Data-Sync", "datasync service", "DS")
    told = note("told", entities=(name, "somebody else"))
    with closing(filled(tmp_path, [thing, told])) as catalogue:
        assert [row.id for row in catalogue.entities_named(entity_key(name))] == [thing.id]
        assert shape(catalogue, thing.id) == [(told.id, "mentions", thing.id)]
        assert shape(catalogue, told.id) == [(told.id, "mentions", thing.id)]


def test_what_was_merged_stands_for_what_it_became(tmp_path: Path) -> None:
    records = [
        entity("a", into="b"),
        entity("b", into="c"),
        entity("c"),
        entity("x"),
        edge("a", "x"),
        edge("b", "c"),
        edge("c", "x", "runs on"),
        note("n", entities=("a",), derived_from=(ref("a"),)),
    ]
    with closing(filled(tmp_path, records)) as catalogue:
        assert catalogue.resolve_merged(ref("a")) == ref("c")
        assert catalogue.resolve_merged(ref("x")) == ref("x")
        assert catalogue.merged_into(ref("c")) == tuple(sorted((ref("a"), ref("b"))))
        assert [row.id for row in catalogue.entities_named("a")] == [ref("c")]
        # No edge to itself, and what rests on the old one rests on the old one.
        assert sorted(shape(catalogue, ref("c"))) == sorted(
            [
                (ref("c"), "uses", ref("x")),
                (ref("c"), "runs on", ref("x")),
                (ref("n", "mem"), "mentions", ref("c")),
                (ref("n", "mem"), "derived_from", ref("a")),
                (ref("b"), "supersedes", ref("a")),
                (ref("c"), "supersedes", ref("b")),
            ]
        )


def test_a_circle_of_merges_ends(tmp_path: Path) -> None:
    with closing(filled(tmp_path, [entity("a", into="b"), entity("b", into="a")])) as catalogue:
        assert catalogue.resolve_merged(ref("a")) in (ref("a"), ref("b"))
        assert catalogue.entities_named("a")


def test_what_was_taken_back_links_nothing_and_bears_no_name(tmp_path: Path) -> None:
    gone = [
        replace(entity("api"), status=Status.RETRACTED),
        replace(edge("api", "db"), status=Status.RETRACTED),
        replace(edge("api", "db", "owns"), status=Status.SUPERSEDED),
        edge("api", "api"),
        replace(edge("x", "y"), fields={"from": "nobody", "to": ref("y"), "relation": "uses"}),
    ]
    with closing(filled(tmp_path, gone)) as catalogue:
        assert catalogue.all_links() == ()
        assert catalogue.entities_named("api") == ()


def test_a_replaced_edge_answers_until_its_successor_begins(tmp_path: Path) -> None:
    old = replace(edge("api", "db"), status=Status.SUPERSEDED, superseded_from=WHEN)
    with closing(filled(tmp_path, [old])) as catalogue:
        (link,) = catalogue.links_of([ref("api")])
        assert link.until == WHEN
        assert not link.holds_at(WHEN)
        assert link.holds_at(WHEN.replace(year=2025))


def test_a_removed_file_takes_its_links_and_names_with_it(tmp_path: Path) -> None:
    records = [entity("a", into="b"), entity("b"), edge("b", "c")]
    with closing(filled(tmp_path, records)) as catalogue:
        paths = [f"{record.id}.md" for record in records]
        assert catalogue.apply(expected_stamp="1", stamp="2", removed=paths, added=())
        assert catalogue.all_links() == ()
        assert catalogue.resolve_merged(ref("a")) == ref("a")


def test_the_file_holds_no_name(tmp_path: Path) -> None:
    secretive = replace(entity("zzyzx harbour", "quoin"), subject="", title="zzyzx harbour")
    catalogue = filled(tmp_path, [replace(secretive, fields={"aliases": ["quoin"]})])
    catalogue.purge()
    catalogue.close()
    assert b"quoin" not in (tmp_path / FILE_NAME).read_bytes()


def test_whoever_takes_long_keeps_nobody_from_overwriting(tmp_path: Path) -> None:
    filled(tmp_path, [entity("a"), entity("b")]).close()
    with closing(Catalogue(tmp_path)) as long, closing(Catalogue(tmp_path)) as other:
        assert long.pin("1")
        long.detach()
        assert other.apply(expected_stamp="1", stamp="2", removed=[f"{ref('a')}.md"], added=())
        other.purge()
        assert (tmp_path / f"{FILE_NAME}-wal").stat().st_size == 0
        assert (long.stamp(), other.stamp()) == ("1", "2")
        assert [len(long.by_id(ref("a"))), len(other.by_id(ref("a")))] == [1, 0]
