"""Links in the catalogue are what the records say: by any way there, and step by step."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.index.catalogue import Catalogue
from memfs.model.graph import EdgeSort
from memfs.model.naming import entity_key
from memfs.model.record import Record, StoredRecord
from memfs.model.status import Status
from memfs.policy.conflicts import is_answering
from memfs.policy.withdrawal import is_withdrawn
from memfs.services.catalogue import entry_from
from tests.support.graphs import claim, edge, entity, named

NAMES = tuple("abcdefg")
SPOKEN = (*NAMES, "A alias", "b-alias", "nobody")
Triple = tuple[str, str, str]


@st.composite
def graphs(draw: st.DrawFn) -> list[Record]:
    """Entities, some merged into others, edges in every state, and notes that name them."""
    records: list[Record] = []
    for at, name in enumerate(NAMES):
        page = entity(name, aliases=[f"{name} alias"])
        later = NAMES[at + 1 :]
        is_merged: bool = draw(st.booleans())
        if later and is_merged:
            heir = named(draw(st.sampled_from(later)))
            page = replace(page, status=Status.SUPERSEDED, superseded_by=heir)
        elif draw(st.integers(0, 5)) == 0:
            page = replace(page, status=Status.RETRACTED)
        records.append(page)
    pairs = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from("uv"))
    statuses = st.sampled_from((Status.ACTIVE, Status.ACTIVE, Status.SUPERSEDED, Status.RETRACTED))
    for (start, end, relation), status in draw(
        st.lists(st.tuples(pairs, statuses), max_size=12, unique_by=lambda item: item[0])
    ):
        records.append(edge(start, end, relation, status=status))
    for number, spoken in enumerate(draw(st.lists(st.sampled_from(SPOKEN), max_size=6))):
        records.append(claim(f"note {number}", entities=(spoken,)))
    return records


def brute(records: Sequence[Record]) -> set[Triple]:
    """Returns the asserted links and mentions of a graph, read off in the plainest way."""
    heirs = {item.id: item.superseded_by for item in records if item.kind == "entity"}

    def now(identifier: str) -> str:
        while heirs.get(identifier):
            identifier = heirs[identifier]
        return identifier

    bearers: dict[str, set[str]] = {}
    for item in records:
        if item.kind == "entity" and not is_withdrawn(item):
            for name in (item.title, f"{item.title} alias"):
                bearers.setdefault(entity_key(name), set()).add(now(item.id))
    found: set[Triple] = set()
    for item in records:
        if item.kind == "edge" and is_answering(item):
            ends = [now(str(item.fields[end])) for end in ("from", "to")]
            found.add((ends[0], str(item.fields["relation"]), ends[1]))
        for spoken in item.entities:
            found.update((item.id, "mentions", end) for end in bearers.get(entity_key(spoken), ()))
    return {link for link in found if link[0] != link[2]}


def rows(records: Sequence[Record]) -> Iterator[StoredRecord]:
    return (StoredRecord(record=item, path=f"{item.id}.x", blob="") for item in records)


def asked(catalogue: Catalogue) -> set[Triple]:
    wanted = (EdgeSort.ASSERTED, EdgeSort.MENTIONS)
    whole = {(it.start, it.relation, it.end) for it in catalogue.all_links(sorts=wanted)}
    for name in {end for link in whole for end in (link[0], link[2])}:
        touching = {
            (it.start, it.relation, it.end) for it in catalogue.links_of([name], sorts=wanted)
        }
        assert touching == {link for link in whole if name in (link[0], link[2])}
    return whole


@settings(max_examples=40)
@given(graphs(), st.data())
def test_links_are_what_the_records_say_however_they_came(
    records: list[Record], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(records))
    with tempfile.TemporaryDirectory() as folder, closing(Catalogue(Path(folder))) as catalogue:
        stamp = ""
        # First something else stood at each path: what replaces it leaves nothing of it.
        old = [replace(item, superseded_by="", entities=("a",)) for item in order]
        for number, batch in enumerate((old, order[:3], order[3:])):
            added = [entry_from(item) for item in rows(batch)]
            assert catalogue.apply(
                expected_stamp=stamp,
                stamp=str(number),
                removed=[row.path for row in added],
                added=added,
            )
            stamp = str(number)
        assert asked(catalogue) == brute(records)
