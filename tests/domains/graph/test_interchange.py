"""Entities and edges as JSON lines: in, out, and the same field by field (O8, O9)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.domains.graph.lines import draft_from, line_of, own_line
from memfs.errors import MemfsError
from memfs.formats.foreign_line import LineError
from memfs.model.result import ResultStatus
from tests.conftest import ROOT
from tests.support.memory import AGENT, ANA, memory_of, new_project

FIXTURE = ROOT / "fixtures" / "imports" / "graph"


def lines_of(*files: Path) -> list[dict[str, Any]]:
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    return [json.loads(line) for line in text.splitlines()]


GIVEN = lines_of(FIXTURE / "entities.jsonl", FIXTURE / "edges.jsonl")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the fixture imported and accepted."""
    made = new_project(tmp_path_factory.mktemp("graph"))
    with memory_of(made) as memory:
        result = memory.import_path(FIXTURE, accept=True)
        assert result.status is ResultStatus.DONE, result
        assert result.data["format"] == "graph"
    return made


def exported(project: Path) -> list[dict[str, Any]]:
    with memory_of(project) as memory:
        found = memory.export("graph")
    assert found.left_out == 0
    return [json.loads(line) for line in found.lines]


def test_what_came_in_goes_out_field_by_field(project: Path) -> None:
    found = exported(project)

    def key(line: dict[str, Any]) -> str:
        return str(line.get("name") or (line["from"], line["relation"], line["to"]))

    came, went = {key(line): line for line in GIVEN}, {key(line): line for line in found}
    assert came.keys() == went.keys()
    made = {"id", "ingestion_time", "scope", "provenance"}
    for name, line in came.items():
        # What was not said is made up here: an id, and when and where it was learned.
        more = {field for field in went[name] if field not in line}
        assert more <= made
        assert {field: went[name].get(field) for field in line} == line


def test_ends_are_hung_on_what_they_are_called_here(project: Path) -> None:
    with memory_of(project) as memory:
        around = memory.neighbors("Harbour", hops=1)
        run = memory.neighbors("nightly", hops=1, valid_at="2026-02-01")

    assert {node.title for node in around.nodes} == {"depot proxy", "night run", "upload worker"}
    assert {node.title for node in run.nodes} == {"upload worker"}


def test_what_went_out_comes_in_again_and_nothing_twice(project: Path, tmp_path: Path) -> None:
    lines = exported(project)
    file = tmp_path / "graph.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    other = new_project(tmp_path, "other")
    with memory_of(other) as memory:
        assert memory.import_path(file, accept=True).status is ResultStatus.DONE
        known = {item.record.id for item in memory.list_records(kinds=["entity", "edge"])}
    # Ids that were none of ours follow from the project: the order does too, and nothing else.
    assert sorted(exported(other), key=json.dumps) == sorted(lines, key=json.dumps)

    with memory_of(other) as memory:
        memory.import_path(file, accept=True)
        memory.import_path(FIXTURE, accept=True)
        again = {item.record.id for item in memory.list_records(kinds=["entity", "edge"])}
    assert again == known


def test_what_gave_way_comes_in_as_what_gave_way_and_its_name_is_its_heirs(
    tmp_path: Path,
) -> None:
    first, second = new_project(tmp_path), new_project(tmp_path, "other")
    with memory_of(first) as memory:
        for name in ("Postgres", "PG", "Postgres DB"):
            memory.add_entity(name)
        memory.merge("Postgres DB", "PG")
        memory.merge("Postgres", "Postgres DB")
    lines = exported(first)
    # Marks that lead nowhere, or in a circle, are none: what bears them stands.
    circle = [
        {"id": "left", "name": "Left", "aliases": [], "superseded_by": "right"},
        {"id": "right", "name": "Right", "aliases": [], "superseded_by": "left"},
        {"id": "lost", "name": "Lost", "aliases": [], "superseded_by": "nobody"},
    ]
    file = tmp_path / "graph.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in [*lines, *circle]))
    with memory_of(second) as memory:
        assert memory.import_path(file, accept=True).status is ResultStatus.DONE
        memory.import_path(file, accept=True)
        assert {memory.entity(name).names[0] for name in ("PG", "Postgres DB")} == {"Postgres"}
        assert {item.record.title for item in memory.entities()} == {
            *("Postgres", "Left", "Right", "Lost")
        }
        assert memory.check() == ()
        assert memory.audit().problems == ()
    again = [line for line in exported(second) if line["name"] in {"PG", "Postgres", "Postgres DB"}]
    assert again == lines


def test_no_two_things_get_one_id_and_nothing_is_replaced_in_a_circle(tmp_path: Path) -> None:
    entities: list[dict[str, object]] = [
        {"id": "x", "name": name, "aliases": []} for name in ("First", "Second")
    ]
    events = [
        {"id": own, "kind": "work", "title": own, "event_time": "2026-01-01", "superseded_by": by}
        for own, by in (("one", "two"), ("two", "one"), ("self", "self"))
    ]
    with memory_of(new_project(tmp_path)) as memory:
        for name, lines in (("graph", entities), ("timeline", events)):
            file = tmp_path / f"{name}.jsonl"
            file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
            assert memory.import_path(file, format_name=name, accept=True).status is (
                ResultStatus.DONE
            )
        assert {item.record.title for item in memory.entities()} == {"First", "Second"}
        assert len(memory.timeline()) == 3
        assert memory.check() == ()
        assert memory.audit().problems == ()


def test_an_import_waits_for_a_person(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        assert memory.import_path(FIXTURE).status is ResultStatus.DONE
        assert memory.entities() == ()
        assert len(memory.candidates()) == len(GIVEN)
        memory.accept(None)
        assert len(memory.entities()) == 4
        assert len(memory.neighbors("Hafen", hops=1).nodes) == 3


def test_a_program_takes_out_what_it_may_read(project: Path) -> None:
    with memory_of(project, AGENT) as memory:
        # All but the edge that held last year.
        assert len(memory.export("graph").lines) == len(GIVEN) - 1
    with memory_of(project, ANA) as memory, pytest.raises(MemfsError):
        memory.export("drawing")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ({"from": "a", "to": "a", "relation": "is"}, "import.bad-field"),
        ({"from": "a", "to": "", "relation": "is"}, "import.missing-field"),
        ({"from": ["a"], "to": {}, "relation": "is"}, "import.missing-field"),
        ({"name": "", "aliases": []}, "import.bad-field"),
        ({"name": "x", "aliases": "y"}, "import.bad-field"),
        ({"name": "x", "attributes": [1]}, "import.bad-field"),
        ({"name": "x", "ingestion_time": "2026-01-01T00:00:00"}, "import.no-time"),
        ({"name": "x" * 500}, "import.bad-field"),
        ({"name": "x", "type": "a\x1b[2J"}, "import.bad-field"),
        ({"name": 7, "aliases": []}, "import.unknown-line"),
        ({"name": "x", "sensitivity": "top"}, "import.bad-field"),
    ],
)
def test_a_line_that_is_none_is_refused_with_its_reason(line: dict[str, Any], code: str) -> None:
    with pytest.raises(LineError) as told:
        draft_from(line)
    assert told.value.code == code


_PLAIN = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(0, 1) | st.text(max_size=12)
_VALUES = st.recursive(
    _PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=5,
)
_FIELDS = st.sampled_from(
    ("id", "type", "name", "aliases", "attributes", "text", "summary", "scope", "event_time",
     "ingestion_time", "importance", "confidence", "sensitivity", "tags", "superseded_by",
     "from", "to", "relation", "valid_from", "provenance", "other")
)  # fmt: skip


@given(st.dictionaries(_FIELDS, _VALUES, max_size=9))
def test_any_line_is_refused_or_goes_out_as_it_came(line: dict[str, Any]) -> None:
    try:
        draft = draft_from(line)
    except LineError:
        return
    assert own_line(draft)["id" if draft.id else next(iter(own_line(draft)))]
    assert line_of(draft) == line
