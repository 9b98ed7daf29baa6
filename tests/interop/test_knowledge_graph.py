"""A knowledge graph becomes one claim an observation, and a note a relation."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from tests.support.imports import FIXTURES, codes_of, drafts_of, foreign, items_of, real_source

GRAPH = FIXTURES / "knowledge-graph" / "memory.jsonl"


def test_an_observation_is_one_claim_about_its_entity() -> None:
    record = drafts_of(items_of(GRAPH))[0]
    assert record.kind == "note"
    assert record.subject == "datasync"
    assert record.entities == ("datasync",)
    assert record.tags == ("service",)
    assert record.title.startswith("datasync: Copies customer tables")
    assert record.body.startswith("Copies customer tables")


def test_observations_that_are_objects_carry_their_time() -> None:
    record = next(r for r in drafts_of(items_of(GRAPH)) if r.subject == "orders table")
    assert record.event_time == datetime(2026, 1, 15, 10, 20, tzinfo=UTC)
    assert foreign(record, "version") == "1.0"


def test_a_relation_is_a_note_that_keeps_its_three_parts() -> None:
    record = next(r for r in drafts_of(items_of(GRAPH)) if "relation" in r.tags)
    assert record.title == "datasync writes to warehouse"
    assert record.entities == ("datasync", "warehouse")
    assert [foreign(record, key) for key in ("from", "relation", "to")] == [
        "datasync",
        "writes_to",
        "warehouse",
    ]


def test_an_entity_without_observations_is_not_lost() -> None:
    record = next(r for r in drafts_of(items_of(GRAPH)) if r.subject == "lag check")
    assert record.body == "lag check (component)\n"


def test_the_same_words_about_two_entities_are_two_claims(tmp_path: Path) -> None:
    lines = [
        {"type": "entity", "name": name, "entityType": "person", "observations": ["Has a PhD"]}
        for name in ("Ada", "Bob")
    ]
    path = tmp_path / "graph.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    items = items_of(path)
    assert [draft.title for draft in drafts_of(items)] == ["Ada: Has a PhD", "Bob: Has a PhD"]
    assert len({item.digest for item in items}) == 2


def test_each_bad_line_is_named_kept_and_does_not_hide_the_next() -> None:
    path = FIXTURES / "hostile" / "streams" / "graph.jsonl"
    items = items_of(path, "knowledge-graph")
    places = [(p.line, p.code) for item in items for p in item.problems]
    assert places == [
        (2, "import.malformed"),
        (3, "import.duplicate-key"),
        (4, "import.not-an-object"),
        (5, "import.unknown-line"),
        (6, "import.missing-field"),
        (7, "import.missing-field"),
        (7, "import.missing-field"),
        (8, "import.missing-field"),
        (9, "import.not-utf8"),
    ]
    lines = path.read_bytes().splitlines()
    for item in items:
        if item.is_malformed:
            assert item.draft is None
            assert item.raw == lines[item.problems[0].line - 1]
    assert [draft.body for draft in drafts_of(items)] == ["This line can be read\n", "kept\n"]


def test_a_real_graph_file_is_read_without_a_loss() -> None:
    path = real_source("server-memory/think-tank.jsonl")
    items = items_of(path)
    expected = sum(
        len(json.loads(line)["observations"]) for line in path.read_text("utf-8").splitlines()
    )
    assert codes_of(items) == []
    assert len(drafts_of(items)) == expected == 313
    assert all(draft.event_time is not None for draft in drafts_of(items))
