"""Merges and splits in a real store: against a model, taken back, and what rests on them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.domains.graph.dividing import split
from memfs.domains.graph.proposing import propose_one
from memfs.domains.graph.relating import Tie, relate, unrelate
from memfs.domains.graph.reshaped import MERGE, SPLIT
from memfs.domains.graph.reshaping import merge
from memfs.domains.graph.splitting import Part
from memfs.domains.graph.undoing import undo
from memfs.model.authority import Sensitivity
from memfs.model.graph import EdgeSort
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from memfs.model.status import Status
from memfs.policy.authority import capture_origin
from memfs.policy.invariants import check_invariants
from memfs.services.catalogue import open_catalogue
from memfs.services.correct import correct
from memfs.services.ports import Workspace
from memfs.services.reading import AmbiguousRecordError, UnknownRecordError
from memfs.services.served_records import read_path, read_records, served_places
from memfs.services.withdraw import forget
from tests.support.graphs import claim, edge, entity, named
from tests.support.recall_stores import ANA, BOT, workspace_with


def drawn(workspace: Workspace) -> list[tuple[str, str, str]]:
    """Returns the edges of the store as they are walked, sorted, repeats kept."""
    with closing(open_catalogue(workspace, workspace.store.snapshot())) as catalogue:
        links = catalogue.all_links(sorts=[EdgeSort.ASSERTED])
    return sorted((link.start, link.relation, link.end) for link in links)


def said(workspace: Workspace, identifier: str) -> Record:
    """Returns a record by its id, in any state."""
    snapshot = workspace.store.snapshot()
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        (row,) = catalogue.by_id(identifier)
    stored = read_path(workspace, snapshot, row.path)
    assert stored is not None
    return stored.record


def is_sound(workspace: Workspace) -> bool:
    """Tells whether the ledger keeps every invariant and says what it did."""
    snapshot = workspace.store.snapshot()
    records = tuple(read_records(workspace, snapshot, served_places(snapshot)))
    return not check_invariants(records, workspace.registry)


def done(result: Result) -> Result:
    """Returns a result that has to be done."""
    assert result.status is ResultStatus.DONE, result.message
    return result


# Against a model ------------------------------------------------------------------------------


class Model:
    """What the graph is for one who keeps edges as they were drawn, and who became whom."""

    def __init__(self) -> None:
        self.edges: list[tuple[str, str, str]] = []
        self.into: dict[str, str] = {}

    def root(self, name: str) -> str:
        while name in self.into:
            name = self.into[name]
        return name

    def now(self, triple: tuple[str, str, str]) -> tuple[str, str, str]:
        start, relation, end = triple
        return self.root(start), relation, self.root(end)

    def triples(self) -> list[tuple[str, str, str]]:
        found = {self.now(triple) for triple in self.edges}
        return sorted(triple for triple in found if triple[0] != triple[2])


@pytest.mark.parametrize("seed", [1, 2])
def test_a_walk_of_merges_and_their_undoing_is_what_the_model_says(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    names = ["a", "b", "c", "d", "e"]
    model = Model()
    pairs = [(x, y) for x in names for y in names if x != y]
    first = rng.sample(pairs, 8)
    records = [edge(x, y, rng.choice(["uses", "knows"])) for x, y in first]
    model.edges = [
        (named(x), str(record.fields["relation"]), named(y))
        for (x, y), record in zip(first, records, strict=True)
    ]
    with workspace_with(tmp_path, *(entity(name) for name in names), *records) as workspace:
        for _ in range(14):
            standing = [named(name) for name in names if named(name) not in model.into]
            choice = rng.random()
            if choice < 0.4 and len(standing) > 1:
                kept, other = rng.sample(standing, 2)
                done(merge(workspace, kept, other, ANA))
                model.into[other] = kept
            elif choice < 0.7 and model.into:
                undoable = [x for x, y in model.into.items() if y not in model.into]
                other = rng.choice(undoable)
                done(undo(workspace, other, ANA, operation=MERGE))
                del model.into[other]
            elif choice < 0.85 and len(standing) > 1:
                start, end = rng.sample(standing, 2)
                relate(workspace, Tie(start=start, end=end, relation="uses"), ANA)
                if (start, "uses", end) not in model.triples():
                    model.edges.append((start, "uses", end))
            elif model.triples():
                triple = rng.choice(model.triples())
                done(unrelate(workspace, triple[0], triple[2], ANA, relation=triple[1]))
                model.edges = [item for item in model.edges if model.now(item) != triple]
            assert drawn(workspace) == model.triples()
        assert is_sound(workspace)


# One merge ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """One store for what does not touch the same records."""
    records = (
        entity("PostgreSQL", aliases=["PG"], summary="A database."),
        entity("Postgres DB", aliases=["pgsql"], summary="Runs on the big box."),
        entity("Billing"),
        entity("Web"),
        edge("Billing", "PostgreSQL"),
        edge("Billing", "Postgres DB", summary="since spring"),
        edge("Web", "Postgres DB"),
        edge("PostgreSQL", "Postgres DB", "same as"),
        claim("invoices", body="Invoices are in it.\n", entities=(named("Postgres DB"),)),
        claim("backups", body="Backups run at night.\n", derived_from=(named("Postgres DB"),)),
        claim("node one", body="One says this.\n", abstract="All about one.", tags=("x",)),
        claim("node two", body="Two says that.\n", summary="Two.", abstract="All about two."),
        edge(named("node two", "mem"), "Web", "about"),
        entity("Mercury", aliases=["Hermes", "Planet"], body="A god.\n\n## Sky\n\nIt orbits.\n"),
        edge("Mercury", "Web", "seen from"),
        edge("Billing", "Mercury", "knows"),
        entity("Far away"),
        entity("Rock"),
        edge("Far away", "Rock", "orbits"),
    )
    with workspace_with(tmp_path_factory.mktemp("reshaping"), *records) as opened:
        yield opened


def test_a_merge_moves_edges_once_and_leads_the_old_names_to_what_stays(
    workspace: Workspace,
) -> None:
    before = {item for item in drawn(workspace) if named("PostgreSQL") in item[::2]}
    result = done(merge(workspace, "pg", "POSTGRES-DB", ANA, why="duplicate"))
    kept, other = named("PostgreSQL"), named("Postgres DB")
    assert result.message == (
        f"{other} is {kept} now: 2 edges moved, 1 was there already, 1 led from one to the other"
    )
    edges = [item for item in drawn(workspace) if {kept, other} & {*item}]
    assert edges == sorted([(named("Billing"), "uses", kept), (named("Web"), "uses", kept)])
    whole, absorbed = said(workspace, kept), said(workspace, other)
    assert whole.fields["aliases"] == ["PG", "Postgres DB", "pgsql"]
    assert "What is known of Postgres DB." in whole.body
    assert "Runs on the big box." in whole.body
    assert "- uses: since spring" in whole.body, "no edge says it any more"
    assert (absorbed.status, absorbed.superseded_by) == (Status.SUPERSEDED, kept)
    with closing(open_catalogue(workspace, workspace.store.snapshot())) as catalogue:
        assert catalogue.resolve_merged(other) == kept
        assert [row.id for row in catalogue.entities_named("pgsql")] == [kept]
        mentions = catalogue.links_of([kept], sorts=[EdgeSort.MENTIONS])
    assert [link.start for link in mentions] == [named("invoices", "mem")]
    assert said(workspace, named("backups", "mem")).version == 1, "nothing was withheld for it"
    assert is_sound(workspace)
    assert merge(workspace, "pgsql", "PG", ANA).status is ResultStatus.NOTHING
    done(undo(workspace, "Postgres DB", ANA, operation=MERGE))
    assert {item for item in drawn(workspace) if kept in item[::2]} == before
    assert said(workspace, other).status is Status.ACTIVE
    again = replace(said(workspace, kept), version=1)
    assert (again.body, again.fields, again.summary) == (
        "What is known of PostgreSQL.\n",
        {"aliases": ["PG"]},
        "A database.",
    )
    assert is_sound(workspace)


def test_two_notes_become_one_with_every_word_of_both(workspace: Workspace) -> None:
    first, second = named("node one", "mem"), named("node two", "mem")
    done(merge(workspace, first, second, ANA))
    whole = said(workspace, first)
    assert whole.abstract == "All about one."
    assert whole.summary == "Two."
    for words in ("One says this.", "Two says that.", "All about two.", "node two"):
        assert words in whole.body
    assert (first, "about", named("Web")) in drawn(workspace)
    done(undo(workspace, second, ANA, operation=MERGE))
    assert said(workspace, first).body == "One says this.\n"
    assert (second, "about", named("Web")) in drawn(workspace)


def test_a_split_makes_two_that_are_linked_and_inherit_every_edge(workspace: Workspace) -> None:
    first = named("Mercury")
    part = Part(title="Planet", section="Sky", summary="A planet.")
    result = done(split(workspace, "Mercury", part, ANA))
    second = result.target
    edges = {item for item in drawn(workspace) if {first, second} & {*item}}
    assert edges == {
        (first, "seen from", named("Web")),
        (second, "seen from", named("Web")),
        (named("Billing"), "knows", first),
        (named("Billing"), "knows", second),
        (first, "split into", second),
    }
    kept, new = said(workspace, first), said(workspace, second)
    assert (kept.body, kept.fields["aliases"]) == ("A god.\n", ["Hermes"])
    assert (new.title, new.body, new.summary) == ("Planet", "## Sky\n\nIt orbits.\n", "A planet.")
    assert is_sound(workspace)
    done(undo(workspace, "Planet", ANA, operation=SPLIT))
    assert said(workspace, first).body == "A god.\n\n## Sky\n\nIt orbits.\n"
    assert said(workspace, first).fields["aliases"] == ["Hermes", "Planet"]
    assert {item for item in drawn(workspace) if {first, second} & {*item}} == {
        (first, "seen from", named("Web")),
        (named("Billing"), "knows", first),
    }
    with closing(open_catalogue(workspace, workspace.store.snapshot())) as catalogue:
        assert catalogue.resolve_merged(second) == first
    assert is_sound(workspace)


def test_named_edges_move_to_the_second_and_return(workspace: Workspace) -> None:
    name = named("Far away orbits Rock", "edge")
    result = done(split(workspace, "Far away", Part(title="Moon", edges=(name[-8:],)), ANA))
    assert (result.target, "orbits", named("Rock")) in drawn(workspace)
    assert (named("Far away"), "orbits", named("Rock")) not in drawn(workspace)
    bad = split(workspace, "Far away", Part(title="Moon 2", edges=("zzzzzz",)), ANA)
    assert [item.code for item in bad.reasons] == ["split.edge"]
    taken = split(workspace, "Far away", Part(title="Billing"), ANA)
    assert [item.code for item in taken.reasons] == ["entity.name-taken"]
    done(undo(workspace, "Moon", ANA, operation=SPLIT))
    assert (named("Far away"), "orbits", named("Rock")) in drawn(workspace)


def test_a_program_only_proposes_and_nothing_moves(workspace: Workspace) -> None:
    before = drawn(workspace)
    refused = merge(workspace, "Billing", "Web", BOT)
    assert [item.code for item in refused.reasons] == ["actor.not-a-person"]
    waits = propose_one(workspace, "Billing", "Web", BOT)
    assert waits.status is ResultStatus.WAITING
    assert f"memfs merge {named('Billing')} {named('Web')}" in waits.message
    assert split(workspace, "Web", Part(title="Other"), BOT).status is ResultStatus.REFUSED
    assert undo(workspace, "Web", BOT, operation=MERGE).status is ResultStatus.REFUSED
    assert drawn(workspace) == before


def test_what_is_not_there_or_not_standing_is_told(workspace: Workspace) -> None:
    with pytest.raises(UnknownRecordError):
        merge(workspace, "Billing", "nobody", ANA)
    with pytest.raises(UnknownRecordError):
        undo(workspace, "nobody", ANA, operation=MERGE)
    result = undo(workspace, "Billing", ANA, operation=MERGE)
    assert [item.code for item in result.reasons] == ["part.not-standing"]
    secret = "password: " + "hunter2" * 3
    assert merge(workspace, "Billing", "Web", ANA, why=secret).status is ResultStatus.REFUSED
    assert named("Web") not in (item.superseded_by for item in (said(workspace, named("Web")),))


def test_of_several_merges_one_has_to_be_named(tmp_path: Path) -> None:
    records = [entity(name) for name in ("a", "b", "c")]
    with workspace_with(tmp_path, *records) as workspace:
        done(merge(workspace, "a", "b", ANA))
        done(merge(workspace, "a", "c", ANA))
        with pytest.raises(AmbiguousRecordError):
            undo(workspace, "a", ANA, operation=MERGE)
        done(undo(workspace, named("c"), ANA, operation=MERGE))
        done(undo(workspace, "a", ANA, operation=MERGE))
        assert is_sound(workspace)


def test_what_gave_way_takes_its_words_along_when_it_is_forgotten(tmp_path: Path) -> None:
    first = claim("first", body="The first stands.\n")
    second = claim("second", body="The second knows the number.\n")
    rest = claim("rest", body="The first stands.\n", derived_from=(first.id,))
    with workspace_with(tmp_path, first, second, rest) as workspace:
        done(merge(workspace, first.id, second.id, ANA))
        assert said(workspace, rest.id).version == 1
        forget(workspace, [second.id], ANA)
        assert said(workspace, first.id).status is Status.REPAIR_PENDING


def test_what_was_said_of_the_second_since_keeps_a_split_from_being_taken_back(
    tmp_path: Path,
) -> None:
    with workspace_with(tmp_path, entity("a"), entity("b")) as workspace:
        second = done(split(workspace, "a", Part(title="a2"), ANA)).target
        relate(workspace, Tie(start=second, end="b"), ANA)
        result = undo(workspace, "a2", ANA, operation=SPLIT)
        assert [item.code for item in result.reasons] == ["part.changed-since"]
        done(merge(workspace, "a", "a2", ANA))
        assert drawn(workspace) == [(named("a"), "related", named("b"))]


def test_an_edge_that_was_taken_away_since_does_not_return(tmp_path: Path) -> None:
    with workspace_with(tmp_path, entity("a"), entity("b"), entity("c"), edge("b", "c")) as opened:
        done(merge(opened, "a", "b", ANA))
        done(unrelate(opened, "a", "c", ANA))
        done(undo(opened, "b", ANA, operation=MERGE))
        assert drawn(opened) == []


def test_what_is_said_anew_of_the_one_leaves_the_other_its_own(tmp_path: Path) -> None:
    things = [entity(name) for name in ("a", "b", "x", "y")]
    with workspace_with(tmp_path, *things, edge("b", "x", "runs on")) as opened:
        done(merge(opened, "a", "b", ANA))
        done(relate(opened, Tie(start="a", end="y", relation="runs on"), ANA))
        done(undo(opened, "b", ANA, operation=MERGE))
        today = [item for item in drawn(opened) if item[0] == named("b")]
        assert today == [(named("b"), "runs on", named("x"))]
        assert (named("a"), "runs on", named("y")) in drawn(opened)


def test_a_program_learns_nothing_of_what_it_may_not_read(tmp_path: Path) -> None:
    hidden = entity("hidden", sensitivity=Sensitivity.CONFIDENTIAL)
    taken = replace(entity("taken"), status=Status.RETRACTED)
    with workspace_with(tmp_path, entity("a"), hidden, taken) as workspace:
        for name in ("hidden", hidden.id, taken.id, "taken", hidden.id[-6:], "nothing"):
            with pytest.raises(UnknownRecordError):
                propose_one(workspace, "a", name, BOT)
        done(merge(workspace, "a", "hidden", ANA))
        for name in ("hidden", hidden.id, "a"):
            with pytest.raises(UnknownRecordError):
                propose_one(workspace, name, "a", BOT)


def test_what_a_merged_record_rests_on_may_be_said_anew(tmp_path: Path) -> None:
    source = claim("source", body="The first stands.\n")
    first = claim("first", title="The first stands.", body=source.body, derived_from=(source.id,))
    second = claim("second", title="The second stands.", body="The second stands.\n")
    with workspace_with(tmp_path, source, first, second) as workspace:
        done(merge(workspace, first.id, second.id, ANA))
        correct(workspace, source.id, "The first stands. It is old.", ANA, capture_origin(ANA, "x"))
        whole = said(workspace, first.id)
        assert (whole.status, whole.version) == (Status.ACTIVE, 3)
        assert "The second stands." in whole.body
        assert whole.derived_from == (source.id, second.id)


def test_more_edges_than_one_receipt_names_are_not_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = (*map(entity, "abxyz"), edge("b", "x"), edge("b", "y"), edge("b", "z"))
    monkeypatch.setattr("memfs.domains.graph.reshaping.MOST_EDGES", 2)
    monkeypatch.setattr("memfs.domains.graph.dividing.MOST_EDGES", 2)
    with workspace_with(tmp_path, *records) as workspace:
        before = drawn(workspace)
        refused = merge(workspace, "a", "b", ANA)
        assert [item.code for item in refused.reasons] == ["merge.edges"]
        assert split(workspace, "b", Part(title="c"), ANA).status is ResultStatus.REFUSED
        assert drawn(workspace) == before
        assert merge(workspace, "b", "a", ANA).status is ResultStatus.DONE
