"""Forgetting: the file goes, a content-free tombstone stays, and nothing brings it back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memfs.model.candidate import CandidateAction
from memfs.model.problem import Severity
from memfs.model.result import ResultStatus
from tests.support.memory import AGENT, memory_of, new_project, record_files, store_root
from tests.support.review import is_clean, said, tree_of, waiting

FIRST = "FastAPI for every backend"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in which one preference was forgotten and a fact is left."""
    made = new_project(tmp_path)
    with memory_of(made) as memory:
        memory.remember("CI needs Node 20", kind="fact")
        memory.remember(FIRST, kind="preference", subject="web-framework")
    forget(made, "fastapi")
    return made


def forget(project: Path, name: str) -> None:
    next(file for file in record_files(project) if name in file.name).unlink()
    with memory_of(project) as memory:
        memory.accept(None)


def test_what_was_forgotten_is_on_no_path(project: Path) -> None:
    for actor in (None, AGENT):
        with memory_of(project, *([actor] if actor else [])) as memory:
            assert [item.record.body for item in memory.list_records()] == ["CI needs Node 20\n"]
            assert memory.search("FastAPI backend") == ()
            assert "FastAPI" not in memory.recall("which web framework for the backend").text
            assert memory.search("FastAPI backend", as_of="now") == ()
    assert "FastAPI" not in (store_root(project) / "MEMORY.md").read_text()
    assert is_clean(project)


def test_a_tombstone_tells_nothing_of_the_content(project: Path) -> None:
    (name,) = tree_of(project, "tombstones")
    content = json.loads((store_root(project) / name).read_text())
    assert sorted(content) == ["at", "fingerprint", "id", "kind", "marks"]
    assert "fastapi" not in str(content).lower()


def test_rebuilding_brings_nothing_back(project: Path) -> None:
    with memory_of(project) as memory:
        memory.rebuild()
        assert memory.search("FastAPI backend") == ()
    assert said(project) == ["CI needs Node 20"]


def test_no_way_in_takes_it_again(project: Path, tmp_path: Path) -> None:
    options = {"kind": "preference", "subject": "web-framework"}
    with memory_of(project) as memory:
        stated = memory.remember(FIRST, **options)  # type: ignore[arg-type]
    with memory_of(project, AGENT) as memory:
        proposed = memory.propose(FIRST, **options)  # type: ignore[arg-type]
    for result in (stated, proposed):
        assert result.status is ResultStatus.REFUSED
        assert [reason.code for reason in result.reasons] == ["tombstone.matches"]
    folder = store_root(project) / "records" / "preference" / "2026-11"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "again.md").write_text(
        f"---\nkind: preference\nsubject: web-framework\n---\n{FIRST}\n"
    )
    assert [item.action for item in waiting(project)] == [CandidateAction.ADD]
    with memory_of(project) as memory:
        (result,) = memory.accept(None)
    assert [reason.code for reason in result.reasons] == ["tombstone.matches"]
    assert said(project) == ["CI needs Node 20"]


def test_no_heading_above_them_lets_the_words_in_again(project: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "stack.md").write_text(f"# Web framework\n\n{FIRST}\n", encoding="utf-8")
    with memory_of(project) as memory:
        imported = memory.import_path(notes, accept=True)
    assert "tombstone.matches" in str(imported.data["refused"])
    assert said(project) == ["CI needs Node 20"]


def test_forgetting_the_newest_of_a_chain_leaves_the_older_replaced(project: Path) -> None:
    with memory_of(project) as memory:
        for text in ("Flask", "Django"):
            memory.remember(text, kind="preference", subject="web-framework")
    forget(project, "django")
    with memory_of(project) as memory:
        problems = memory.check()
    assert said(project) == ["CI needs Node 20"]
    assert [item for item in problems if item.severity is Severity.ERROR] == []
