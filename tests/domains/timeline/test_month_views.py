"""A month of events is one file beside the ledger: only added to, and the same however made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memfs.domains.timeline.month_views import refresh_timeline_views
from memfs.model.instants import parse_instant
from memfs.services.ports import Workspace
from memfs.services.projection_source import write_projection
from tests.support.events import many, read, written
from tests.support.memory import memory_of, new_project, store_root

Files = dict[str, bytes]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("months")
    project = new_project(folder)
    with memory_of(project) as memory:
        memory.import_path(written(folder / "timeline.jsonl", many(40)), accept=True)
    return project


def files(project: Path) -> Files:
    folder = store_root(project) / "views" / "timeline"
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def made_anew(project: Path) -> Files:
    with memory_of(project) as memory:
        refresh_timeline_views(memory.workspace, is_anew=True)
    return files(project)


def told(project: Path, text: str, at: str, **options: object) -> str:
    with memory_of(project) as memory:
        return memory.record_event(text, at=at, **options).target  # type: ignore[arg-type]


def test_an_event_stands_in_the_file_of_the_month_in_which_it_happened(project: Path) -> None:
    with memory_of(project) as memory:
        events = {event.id: event for event in memory.timeline()}
    found = {}
    for name, content in files(project).items():
        for line in read(content.decode().split("\n")):
            assert str(line["event_time"]).startswith(name.removesuffix(".jsonl"))
            assert parse_instant(str(line["event_time"])) == events[str(line["id"])].at
            found[line["id"]] = line
    assert found.keys() == events.keys()
    assert len(files(project)) > 12


def test_what_is_told_later_is_added_at_the_end_and_marks_keep_their_line(project: Path) -> None:
    first = told(project, "The crane came", "2024-02-20T12:00:00Z", subject="crane")
    before = files(project)["2024-02.jsonl"].decode()
    second = told(project, "The crane left", "2024-02-10T12:00:00Z")
    assert files(project)["2024-02.jsonl"].decode().startswith(before)
    third = told(project, "A crane came", "2024-03-01T00:00:00+14:00", subject="crane")
    after = read(files(project)["2024-02.jsonl"].decode().split("\n"))
    assert [line["id"] for line in after] == [first, second, third]
    marked = json.loads(before)
    assert after[0] == {**marked, "superseded_by": third}


def test_brought_up_event_by_event_or_made_anew_the_bytes_are_the_same(project: Path) -> None:
    gone = told(project, "The mast fell", "2024-05-05T00:00:00Z")
    kept = told(project, "The mast stands", "2024-05-06T00:00:00Z")
    assert files(project) == made_anew(project)
    with memory_of(project) as memory:
        memory.retract(gone)
    assert files(project) == made_anew(project)
    assert [line["id"] for line in read(files(project)["2024-05.jsonl"].decode().split("\n"))] == [
        kept
    ]
    with memory_of(project) as memory:
        memory.forget([kept])
    assert "2024-05.jsonl" not in files(project)
    with memory_of(project) as memory:
        memory.restore(gone)
    assert files(project) == made_anew(project)
    assert gone.encode() in files(project)["2024-05.jsonl"]


def test_a_month_that_somebody_wrote_in_or_took_away_comes_back(project: Path) -> None:
    told(project, "The buoy sank", "2024-07-05T00:00:00Z")
    whole = files(project)
    month = store_root(project) / "views" / "timeline" / "2024-07.jsonl"
    for spoil in (b"", b"no json\n", month.read_bytes() * 2):
        month.write_bytes(spoil)
        told(project, "The buoy rose", "2024-07-06T00:00:00Z", key="once")
        with memory_of(project) as memory:
            memory.rebuild()
        assert files(project)["2024-07.jsonl"].startswith(whole["2024-07.jsonl"])
    month.unlink()
    with memory_of(project) as memory:
        memory.timeline()
    assert files(project)["2024-07.jsonl"].startswith(whole["2024-07.jsonl"])


def test_a_writer_that_ends_between_two_months_loses_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written_so_far: list[str] = []

    def ends(workspace: Workspace, path: str, text: str) -> None:
        if written_so_far:
            raise KeyboardInterrupt
        written_so_far.append(path)
        write_projection(workspace, path, text)

    with memory_of(project) as memory:
        for month in (10, 11):
            memory.record_event("The lock jammed", at=f"2024-{month}-15")
        with monkeypatch.context() as patch:
            patch.setattr("memfs.domains.timeline.month_views.write_projection", ends)
            with pytest.raises(KeyboardInterrupt):
                refresh_timeline_views(memory.workspace)
    assert len(written_so_far) == 1
    assert files(project) == made_anew(project)
    assert {"2024-10.jsonl", "2024-11.jsonl"} <= files(project).keys()


def test_nothing_confidential_stands_there(project: Path) -> None:
    with memory_of(project) as memory:
        waiting = memory.record_event(
            "Met the harbour bank", at="2024-09-09", sensitivity="confidential"
        )
        memory.accept([waiting.target])
        assert memory.timeline(since="2024-09-09", until="2024-09-10")
    assert "2024-09.jsonl" not in files(project)
    assert not any(b"bank" in content for content in files(project).values())


def test_nothing_is_read_or_written_where_nothing_changed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with memory_of(project) as memory:
        memory.timeline()

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("the views were made again")

    monkeypatch.setattr("memfs.domains.timeline.month_views.refresh_timeline_views", fail)
    before = files(project)
    with memory_of(project) as memory:
        memory.remember("The harbour opens at six", kind="fact")
    assert files(project) == before
