"""Candidates are files that people move, edit, copy, break and leave lying."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memfs.errors import MemfsError
from memfs.services.inbox import read_inbox
from tests.support.memory import (
    AGENT,
    START,
    SteppedClock,
    git,
    memory_of,
    new_project,
    store_root,
    workspace_of,
)
from tests.support.review import edit, inbox_files, is_clean, said, waiting

TOKEN = "AKIA" + "IOSFODNN7EXAMPL" + "Q"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in which one proposal waits."""
    made = new_project(tmp_path)
    with memory_of(made, AGENT) as memory:
        memory.propose("CI needs Node 20", kind="fact")
    return made


def test_what_waits_is_a_readable_file_that_git_ignores(project: Path) -> None:
    (file,) = inbox_files(project)
    text = file.read_text()
    assert file.name.startswith("ci-needs-node-20-")
    assert file.stat().st_mode & 0o777 == 0o600
    for part in ("# CI needs Node 20", "## Why it waits", "claim.review", "## Proposed"):
        assert part in text
    assert is_clean(project)
    assert git(store_root(project), "ls-files", "inbox") == ""


def test_a_candidate_that_a_person_renamed_is_decided_all_the_same(project: Path) -> None:
    (file,) = inbox_files(project)
    file.rename(file.with_name("look at this.md"))
    with memory_of(project) as memory:
        assert memory.candidate("look at this.md")[0].title == "CI needs Node 20"
        memory.accept(None)
    assert said(project) == ["CI needs Node 20"]
    assert inbox_files(project) == []


def test_a_rejected_candidate_that_was_renamed_stands_once(project: Path) -> None:
    (file,) = inbox_files(project)
    file.rename(file.with_name("mine.md"))
    with memory_of(project) as memory:
        memory.reject(None)
    assert len(inbox_files(project)) == 1
    assert waiting(project) == ()


def test_a_candidate_whose_title_was_changed_leaves_no_file_behind(project: Path) -> None:
    edit(inbox_files(project)[0], "\ntitle: CI needs Node 20\n", "\ntitle: Something else\n")
    with memory_of(project) as memory:
        memory.accept(None)
    assert inbox_files(project) == []


def test_what_a_person_edits_in_the_file_is_what_they_accept(project: Path) -> None:
    (file,) = inbox_files(project)
    head, proposed = file.read_text().split("## Proposed", 1)
    file.write_text(head + "## Proposed" + proposed.replace("Node 20\n", "Node 22\n"))
    with memory_of(project) as memory:
        memory.accept(None)
    assert said(project) == ["CI needs Node 22"]


def test_a_copied_candidate_is_reported_and_counts_once(project: Path) -> None:
    (file,) = inbox_files(project)
    file.with_name("copy.md").write_bytes(file.read_bytes())
    with workspace_of(project, clock=SteppedClock()) as workspace:
        inbox = read_inbox(workspace)
    assert len(inbox.candidates) == 1
    assert [problem.code for problem in inbox.problems] == ["candidate.duplicate-id"]
    with memory_of(project) as memory:
        memory.accept(None)
    assert said(project) == ["CI needs Node 20"]


@pytest.mark.parametrize(
    "content", [b"just words\n", b"---\ncandidate: x\n", b"\x00\xff", b""], ids=range(4)
)
def test_a_file_that_is_no_candidate_is_reported_and_kept(project: Path, content: bytes) -> None:
    stray = store_root(project) / "inbox" / "stray.md"
    stray.write_bytes(content)
    with memory_of(project) as memory:
        assert len(memory.candidates()) == 1
        problems = memory.check()
        memory.accept(None)
    assert [problem.path for problem in problems] == ["inbox/stray.md"]
    assert stray.read_bytes() == content
    assert said(project) == ["CI needs Node 20"]


def test_a_lapsed_candidate_is_swept_and_nothing_of_it_is_served(project: Path) -> None:
    late = SteppedClock(START + timedelta(days=60))
    with workspace_of(project, clock=late) as workspace:
        assert read_inbox(workspace).candidates == ()
    assert inbox_files(project) == []
    assert said(project) == []


@pytest.mark.parametrize("reference", ["", "x", "zzzz", "cand_00000000000000000000000000"])
def test_an_unknown_candidate_is_an_error(project: Path, reference: str) -> None:
    with memory_of(project) as memory, pytest.raises(MemfsError) as caught:
        memory.candidate(reference)
    assert caught.value.code == "conflict.unknown-candidate"
    assert caught.value.exit_status == 40


def test_a_candidate_is_found_by_the_end_of_its_id(project: Path) -> None:
    (candidate,) = waiting(project)
    with memory_of(project) as memory:
        for reference in (candidate.id, candidate.id[-6:], candidate.id[-6:].upper()):
            assert memory.candidate(reference)[0].id == candidate.id


def test_a_secret_typed_into_a_candidate_is_not_kept(project: Path) -> None:
    before = inbox_files(project)[0].read_bytes()
    (candidate,) = waiting(project)
    with memory_of(project) as memory, pytest.raises(MemfsError) as caught:
        memory.edit_candidate(
            candidate.id, lambda text, _: text.replace(b"Node 20", TOKEN.encode())
        )
    assert caught.value.code == "candidate.invalid"
    assert TOKEN not in str(caught.value)
    assert inbox_files(project)[0].read_bytes() == before


def test_deleting_the_inbox_loses_proposals_and_nothing_else(project: Path) -> None:
    with memory_of(project) as memory:
        memory.remember("The build takes nine minutes", kind="fact")
    for file in inbox_files(project):
        file.unlink()
    (store_root(project) / "inbox").rmdir()
    assert waiting(project) == ()
    assert said(project) == ["The build takes nine minutes"]
    with memory_of(project, AGENT) as memory:
        memory.propose("CI needs Node 20", kind="fact")
    assert len(waiting(project)) == 1
