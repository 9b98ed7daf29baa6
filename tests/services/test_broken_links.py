"""Links in prose are links of the graph, and those that lead nowhere are told with their place."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from memfs.domains.graph.seen_graph import SeenGraph
from memfs.model.authority import Sensitivity
from memfs.model.graph import EdgeSort
from memfs.model.origin import Actor
from memfs.model.problem import Severity
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.services.catalogue import open_catalogue
from memfs.services.check import check
from memfs.services.ports import Workspace
from memfs.services.withdraw import retract
from tests.support.graphs import claim, edge, entity, named
from tests.support.recall_stores import ANA, BOT, STATED, path_of, workspace_with


def test_a_link_in_prose_mentions_what_it_names(tmp_path: Path) -> None:
    note = claim("note", body=f"See [[pg]], [[zebra]] and [[{named('Web')}|the web]].\n")
    things = (entity("PostgreSQL", aliases=["PG"]), entity("Web"))
    with workspace_with(tmp_path, note, *things) as workspace:
        snapshot = workspace.store.snapshot()
        with closing(open_catalogue(workspace, snapshot)) as catalogue:
            links = catalogue.links_of([note.id], sorts=[EdgeSort.MENTIONS])
        assert {link.end for link in links} == {named("PostgreSQL"), named("Web")}


def test_a_broken_link_is_told_with_its_line_and_without_its_words(tmp_path: Path) -> None:
    note = claim("note", body="Fine: [[Web]].\n\n  Not: [[zebra]], `[[code]]`.\n")
    short = claim("short", body="Nothing.\n", summary="By [[zebra]].")
    gone = replace(claim("gone", body="[[zebra]]\n"), status=Status.RETRACTED)
    loose = edge("Web", named("lost"), "knows")
    with workspace_with(tmp_path, note, short, gone, loose, entity("Web")) as workspace:
        found = check(workspace)
    told = [(item.path, item.line, item.column, item.code) for item in found]
    text = (tmp_path / "store" / path_of(note)).read_text().split("\n")
    line = next(number for number, words in enumerate(text, 1) if "zebra" in words)
    assert told == [
        (path_of(loose), 0, 0, "link.dangling-edge"),
        (path_of(note), line, 8, "link.broken"),
        (path_of(short), 0, 0, "link.broken"),
    ]
    assert all(item.severity is Severity.WARNING for item in found)
    assert "zebra" not in " ".join(map(str, found))


def imported(name: str, file: str, **changes: object) -> Record:
    """Returns a note that came from a file of another system's memory."""
    origin = replace(STATED, source=f"import:agent-memory/{file}")
    return claim(name, origin=origin, **changes)


def meant(workspace: Workspace, record: Record, actor: Actor = ANA) -> set[str]:
    """Returns the ids to which the links of a record lead for ``actor``."""
    with SeenGraph(workspace, actor) as graph:
        links = graph.links_of([record.id])[record.id]
        return {link.end for link in graph.open_links(links) if link.start == record.id}


def broken(workspace: Workspace) -> list[str]:
    return [item.path for item in check(workspace) if item.is_broken_link]


def test_a_link_leads_to_what_was_imported_from_the_file_that_it_names(tmp_path: Path) -> None:
    deck = imported("Decks are ordered", "sub/project_deck-order v1.2.md")
    board = imported("The board is a frame", "board.md", unknown={"foreign_fields": {"name": "pf"}})
    part = imported("Commands", "MEMORY.md#21")
    links = "[[project-deck_order_v1.2]] and [[PF]], [[project_deck_order_v1.2.md]]"
    note = claim("note", body=f"{links}, [[the board is a frame]] and [[a-{deck.id[-6:]}]].\n")
    lost = claim("lost", body="[[memory]] and [[21]] are parts of files.\n")
    with workspace_with(tmp_path, deck, board, part, note, lost) as workspace:
        assert meant(workspace, note) == {deck.id, board.id}
        assert meant(workspace, note, BOT) == {deck.id, board.id}
        assert meant(workspace, lost) == set()
        assert broken(workspace) == [path_of(lost), path_of(lost)]
        retract(workspace, board.id, ANA)
        assert meant(workspace, note) == {deck.id}
        assert broken(workspace).count(path_of(note)) == 2


def test_an_entity_wins_then_a_file_name_and_of_two_none_is_meant(tmp_path: Path) -> None:
    thing, called = entity("Deck order"), claim("deck-order")
    file, titled = imported("Decks", "bone_yard.md"), claim("Bone yard")
    twins = (imported("One", "a/twin.md"), imported("Two", "b/twin.md"))
    own = [
        claim("first", body="[[deck_order]]\n"),
        claim("second", body="[[bone yard]]\n"),
        claim("third", body="[[twin]]\n"),
    ]
    fourth = claim("fourth", body="[[Bone yard]], [[b-twin]]\n", entities=("Decks",))
    with workspace_with(tmp_path, thing, called, file, titled, *twins, *own, fourth) as workspace:
        assert [meant(workspace, note) for note in own] == [{thing.id}, {file.id}, set()]
        assert meant(workspace, fourth) == {file.id}, "a field names entities alone"
        assert broken(workspace) == sorted([path_of(own[2]), path_of(fourth)])
        retract(workspace, thing.id, ANA)
        retract(workspace, file.id, ANA)
        retract(workspace, twins[0].id, ANA)
        assert [meant(workspace, note) for note in own] == [
            {called.id},
            {titled.id},
            {twins[1].id},
        ]


def test_whom_a_reader_does_not_see_is_no_rival_and_is_not_linked(tmp_path: Path) -> None:
    closed = Sensitivity.CONFIDENTIAL
    secret = entity("Deck order", sensitivity=closed)
    seen = claim("deck-order")
    hidden, twin = claim("twin", sensitivity=closed), imported("Other", "x_twin.md")
    titled = replace(twin, id=named("open twin", "mem"), title="Twin", origin=STATED)
    note = claim("note", body="[[Deck order]] and [[twin]] and [[hidden only]].\n")
    alone = claim("hidden only", sensitivity=closed)
    with workspace_with(tmp_path, secret, seen, hidden, titled, note, alone) as workspace:
        assert meant(workspace, note, ANA) == {secret.id, alone.id}
        assert meant(workspace, note, BOT) == {seen.id, titled.id}
