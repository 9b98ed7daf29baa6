"""Links in prose are links of the graph, and those that lead nowhere are told with their place."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from memfs.model.graph import EdgeSort
from memfs.model.problem import Severity
from memfs.model.status import Status
from memfs.services.catalogue import open_catalogue
from memfs.services.check import check
from tests.support.graphs import claim, edge, entity, named
from tests.support.recall_stores import path_of, workspace_with


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
