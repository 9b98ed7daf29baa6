"""A timeline comes in and goes out again field by field as it was, through any number of stores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.app.exporting import FORMATS
from memfs.domains.timeline.lines import own_id
from memfs.errors import UsageError
from memfs.interop.timeline import Timeline
from memfs.model.result import ResultStatus
from tests.support.events import Line, many, read, written
from tests.support.imports import FIXTURES, codes_of, items_of
from tests.support.memory import AGENT, memory_of, new_project

FIXTURE = FIXTURES / "timeline" / "2026-03.jsonl"


def by_title(lines: list[Line]) -> dict[str, Line]:
    return {str(line.get("title") or line["text"]): line for line in lines}


def exported(memory: Memory) -> list[Line]:
    return read(memory.export("timeline").lines)


def without_given_id(line: Line, given: Line) -> Line:
    """A line that brought no id goes out with the one that it was given."""
    return line if "id" in given else {name: line[name] for name in line if name != "id"}


def test_what_comes_in_goes_out_field_by_field(tmp_path: Path) -> None:
    said = by_title(read(FIXTURE.read_text(encoding="utf-8").splitlines()))
    with memory_of(new_project(tmp_path)) as memory:
        result = memory.import_path(FIXTURE, accept=True)
        assert result.data["format"] == "timeline"
        assert len(result.data["recorded"]) == len(said)  # type: ignore[arg-type]
        found = by_title(exported(memory))
        assert {name: without_given_id(found[name], said[name]) for name in said} == said
        # A second time, and as it went out, it says nothing new.
        assert memory.import_path(FIXTURE, accept=True).status is ResultStatus.NOTHING
        out = written(tmp_path / "out.jsonl", exported(memory))
        assert memory.import_path(out, accept=True).status is ResultStatus.NOTHING
        assert memory.audit().problems == ()
        assert memory.check() == ()
        every = memory.timeline(is_all=True)
        assert len(every) == len(said)
        assert [event.superseded_by for event in every if event.superseded_by] == [
            "event_01m3y2r5b8gk6vq0p9s7d1c4xe"
        ]
        assert len(memory.timeline()) == len(said) - 1


def test_from_store_to_store_nothing_changes_but_what_waits_is_served_to_nobody(
    tmp_path: Path,
) -> None:
    (tmp_path / "two").mkdir()
    with memory_of(new_project(tmp_path)) as memory:
        memory.import_path(written(tmp_path / "in.jsonl", many(12)), accept=True)
        first = memory.record_event("Chose Redis", at="2026-01-02", subject="queue", turns=("4",))
        memory.record_event("Chose Valkey", at="2026-01-03", subject="queue", confidence=0.5)
        lines = exported(memory)
    assert {line.get("superseded_by") for line in lines if line["id"] == first.target} != {None}
    with memory_of(new_project(tmp_path / "two", "other")) as other:
        result = other.import_path(written(tmp_path / "out.jsonl", lines))
        assert (result.status, len(result.data["waiting"])) == (  # type: ignore[arg-type]
            ResultStatus.DONE,
            len(lines),
        )
        assert other.timeline(is_all=True) == ()
        other.accept(None)
        assert exported(other) == lines


def test_an_id_that_another_record_has_is_not_taken_from_it(tmp_path: Path) -> None:
    line: Line = {"id": "e-1", "kind": "work", "title": "Moved", "event_time": "2026-01-01"}
    with memory_of(new_project(tmp_path)) as memory:
        memory.import_path(written(tmp_path / "a.jsonl", [line]), accept=True)
        other = {**line, "title": "Stayed"}
        memory.import_path(
            written(tmp_path / "b.jsonl", [other, other | {"title": "x"}]), accept=True
        )
        found = {event.title: event.id for event in memory.timeline()}
    assert found["Moved"] == own_id("e-1")
    assert len(set(found.values())) == 3


def test_what_is_no_event_is_named_with_its_line_and_the_rest_comes_in(tmp_path: Path) -> None:
    good: Line = {"id": "e-1", "kind": "work", "title": "Moved", "event_time": "2026-01-01"}
    path = written(
        tmp_path / "a.jsonl",
        [
            good,
            {**good, "id": "e-2", "kind": "party"},
            {**good, "id": "e-3", "event_time": "2026-01-01T09:00:00"},
            {**good, "id": "e-4", "title": "Allowed", "permissions": ["deploy"]},
        ],
    )
    with path.open("a", encoding="utf-8") as file:
        file.write('{"id": "e-6", "id": "e-7"}\nnot json\n[1]\n')
        file.write(json.dumps({**good, "id": "e-5", "title": "half a pair \ud800"}) + "\n")
    items = items_of(path)
    assert sum(item.draft is not None for item in items) == 2
    assert {"import.bad-kind", "import.no-time", "import.grants-action"} <= set(codes_of(items))
    kept = next(item.draft for item in items if item.draft and item.draft.title == "Allowed")
    assert "permissions" not in str(kept.unknown)


def test_a_program_takes_out_what_is_current_and_is_told_nothing_of_the_rest(
    tmp_path: Path,
) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.record_event("Chose Redis", at="2026-01-02", subject="queue")
        memory.record_event("Chose Valkey", at="2026-01-03", subject="queue")
        waiting = memory.record_event("Met the bank", at="2026-01-04", sensitivity="confidential")
        memory.accept([waiting.target])
    with memory_of(project, AGENT) as agent:
        out = agent.export("timeline")
        assert ([line["title"] for line in read(out.lines)], out.left_out) == (["Chose Valkey"], 0)


def test_every_format_of_the_table_is_made_and_no_other(tmp_path: Path) -> None:
    with memory_of(new_project(tmp_path)) as memory:
        for name in FORMATS:
            out = memory.export(name)
            assert (out.format, out.lines, out.left_out) == (name, (), 0)
        with pytest.raises(UsageError) as caught:
            memory.export("csv")
    assert "timeline" in caught.value.message


@pytest.mark.parametrize("kind", [["work"], {"a": 1}, None, 1.5])
def test_a_kind_that_is_no_word_is_no_timeline_and_no_bug(tmp_path: Path, kind: object) -> None:
    line = {"kind": kind, "title": "x", "event_time": "2026-03-01"}
    (tmp_path / "lines.jsonl").write_text(json.dumps(line))
    assert Timeline().detect(tmp_path / "lines.jsonl") == 0.0
