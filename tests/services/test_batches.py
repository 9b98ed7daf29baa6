"""Batches: one commit for many claims, each judged on its own and every one counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from memfs.app import importing
from memfs.app.importing import MayNotAcceptImportError, StoreIsNoSourceError
from memfs.model.authority import Authority
from memfs.model.result import Result, ResultStatus
from tests.support.memory import AGENT, git, memory_of, new_project, store_root
from tests.support.review import NO_HOOKS, edit, inbox_files, is_clean, places_with, said, waiting

TOKEN = "AKIA" + "IOSFODNN7EXAMPL" + "Q"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with an empty memory."""
    return new_project(tmp_path)


def nodes(folder: Path, *texts: str) -> Path:
    path = folder / "nodes.json"
    path.write_text(
        json.dumps(
            [
                {"id": f"n{number}", "content": text, "importance": 5}
                for number, text in enumerate(texts)
            ]
        )
    )
    return path


def head(project: Path) -> str:
    return git(store_root(project), "rev-parse", "main")


def count(project: Path) -> int:
    return int(git(store_root(project), "rev-list", "--count", "main"))


def run_import(project: Path, path: Path, *, accept: bool = False) -> Result:
    with memory_of(project) as memory:
        return memory.import_path(path, accept=accept)


def test_what_is_imported_waits_unverified_and_is_served_to_nobody(
    project: Path, tmp_path: Path
) -> None:
    before = head(project)
    result = run_import(project, nodes(tmp_path, "The build is slow", "The port is 8000"))
    assert (result.status, result.message) == (ResultStatus.DONE, "2 wait for review")
    assert (said(project), said(project, AGENT), head(project)) == ([], [], before)
    assert {str(item.origin.origin_class) for item in waiting(project)} == {"imported"}


def test_a_batch_accepted_by_a_person_is_one_commit(project: Path, tmp_path: Path) -> None:
    run_import(project, nodes(tmp_path, "The build is slow", "The port is 8000"))
    before = count(project)
    with memory_of(project) as memory:
        (result,) = memory.accept(None)
        records = [stored.record for stored in memory.list_records()]
    assert result.message == "2 recorded"
    assert count(project) == before + 1
    assert {record.authority for record in records} == {Authority.UNVERIFIED}
    assert inbox_files(project) == []
    assert is_clean(project)


def test_importing_twice_brings_nothing_twice(project: Path, tmp_path: Path) -> None:
    path = nodes(tmp_path, "The build is slow", "The port is 8000")
    run_import(project, path)
    run_import(project, path)
    assert len(inbox_files(project)) == 2
    with memory_of(project) as memory:
        memory.accept(None)
    before = head(project)
    again = run_import(project, path, accept=True)
    assert (again.status, again.message) == (ResultStatus.NOTHING, "2 known already")
    assert head(project) == before


def test_one_bad_item_keeps_no_other_out_and_is_named(
    project: Path, tmp_path: Path, home: Path
) -> None:
    path = nodes(tmp_path, "The build is slow", f"the key is {TOKEN}", "The port is 8000")
    result = run_import(project, path, accept=True)
    assert (result.status, result.message) == (
        ResultStatus.PROBLEMS,
        "2 recorded, 1 refused",
    )
    (refused,) = cast("list[object]", result.data["refused"])
    assert "n1" in str(refused) or "#1" in str(refused) or "#2" in str(refused)
    assert TOKEN not in str(result)
    assert said(project) == ["The build is slow", "The port is 8000"]
    assert places_with(TOKEN, store_root(project), home) == []


def test_a_broken_member_stays_and_the_others_are_recorded(project: Path, tmp_path: Path) -> None:
    run_import(project, nodes(tmp_path, "The build is slow", "The port is 8000"))
    broken = next(file for file in inbox_files(project) if "port" in file.name)
    head_part, proposed = broken.read_text().split("## Proposed", 1)
    broken.write_text(f"{head_part}## Proposed{proposed.replace('kind: ', 'kind: x', 1)}")
    with memory_of(project) as memory:
        (result,) = memory.accept(None)
    assert result.status is ResultStatus.PROBLEMS
    assert result.message == "1 recorded, 1 refused, 1 still wait"
    assert said(project) == ["The build is slow"]
    assert inbox_files(project) == [broken]


def test_an_agent_imports_to_the_inbox_and_accepts_no_batch(project: Path, tmp_path: Path) -> None:
    path = nodes(tmp_path, "The build is slow")
    with memory_of(project, AGENT) as memory:
        with pytest.raises(MayNotAcceptImportError) as caught:
            memory.import_path(path, accept=True)
        assert caught.value.code == "access.import-needs-person"
        assert memory.import_path(path).message == "1 wait for review"
    assert said(project) == []


def test_a_preview_writes_nothing(project: Path, tmp_path: Path) -> None:
    path = nodes(tmp_path, "The build is slow")
    before = head(project)
    with memory_of(project) as memory:
        result = memory.import_path(path, dry_run=True)
    assert result.status is ResultStatus.NOTHING
    assert result.data["preview"] == ["The build is slow"]
    assert (head(project), inbox_files(project)) == (before, [])


def test_a_large_batch_is_one_commit_as_well(project: Path, tmp_path: Path) -> None:
    path = nodes(tmp_path, *(f"Build {number} took {number} minutes" for number in range(600)))
    before = count(project)
    result = run_import(project, path, accept=True)
    assert result.message == "600 recorded"
    assert count(project) == before + 1
    assert len(said(project)) == 600
    assert is_clean(project)


def test_a_held_record_is_not_replaced_by_a_batch(project: Path, tmp_path: Path) -> None:
    run_import(project, nodes(tmp_path, "The port is 8000"), accept=True)
    file = next((store_root(project) / "records").rglob("*.md"))
    edit(file, "8000\n", "9999\n")
    git(store_root(project), *NO_HOOKS, "commit", "-qam", "by hand")
    result = run_import(project, nodes(tmp_path, "The port is 8000", "The build is slow"))
    assert result.status is ResultStatus.DONE
    assert said(project) == ["The port is 8000"]
    assert is_clean(project)


@pytest.mark.invariant("A26")
def test_what_was_put_in_other_words_or_forgotten_since_does_not_come_in_again(
    project: Path, tmp_path: Path
) -> None:
    source = tmp_path / "old.md"
    source.write_text("---\nsubject: deploy-day\n---\nDeploys go out on Mondays.\n")
    run_import(project, source, accept=True)
    with memory_of(project) as memory:
        (came,) = memory.list_records()
        memory.correct(came.record.id, "Deploys go out on Tuesdays.")
    assert run_import(project, source, accept=True).message == "1 known already"
    with memory_of(project) as memory:
        (now,) = memory.list_records()
        assert now.record.body == "Deploys go out on Tuesdays.\n"
        assert now.record.origin is not None
        assert (str(now.record.origin.principal), now.record.origin.source) == ("user:ana", "")
        memory.forget([now.record.id])
    again = run_import(project, source, accept=True)
    assert again.data["recorded"] == again.data["waiting"] == []
    assert said(project) == []


def test_edges_that_an_import_died_before_are_made_by_the_next_one(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "nodes.json"
    source.write_text(
        json.dumps(
            [
                {"id": "a", "title": "Alpha", "content": "Alpha is first", "relations": ["b"]},
                {"id": "b", "title": "Beta", "content": "Beta is second"},
            ]
        )
    )

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(importing, "relate_imported", die)
        with pytest.raises(KeyboardInterrupt):
            run_import(project, source, accept=True)
    for _ in range(2):
        assert run_import(project, source, accept=True).message == "2 known already"
        with memory_of(project) as memory:
            alpha = next(item for item in memory.list_records() if item.record.title == "Alpha")
            links = memory.neighbors(alpha.record.id).links
        assert [link.relation for link in links] == ["related"]


def test_the_files_of_a_store_are_no_source(project: Path) -> None:
    with pytest.raises(StoreIsNoSourceError):
        run_import(project, store_root(project))
