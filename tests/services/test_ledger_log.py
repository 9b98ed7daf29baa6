"""The ledger in words: who did what, and nothing of what may be seen no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.model.operation import OperationKind
from memfs.services.ledger_log import VERBS
from memfs.services.reading import MayNotReadError
from tests.support.memory import AGENT, git, memory_of, new_project, store_root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


def told(project: Path, *, limit: int = 0) -> list[tuple[str, str, str]]:
    with memory_of(project) as memory:
        found = memory.log(limit=limit)
    return [(item.commit.author, item.did, item.about) for item in found]


def test_it_says_who_did_what_newest_first(project: Path) -> None:
    with memory_of(project) as memory:
        first = memory.remember("CI needs Node 20", kind="fact").target
        memory.correct(first, "CI needs Node 22")
    with memory_of(project, AGENT) as memory:
        memory.open_issue("The cache is cold")

    lines = told(project)

    assert lines[0] == ("agent:builder", "recorded", "issue opened: The cache is cold")
    assert lines[1][:2] == ("user:ana", "corrected")
    assert lines[2] == ("user:ana", "remembered", "CI needs Node 20")
    assert lines[-1][1] == "made the store"
    assert told(project, limit=1) == lines[:1]


def test_what_was_forgotten_is_named_by_its_id_alone(project: Path) -> None:
    with memory_of(project) as memory:
        kept = memory.remember("CI needs Node 20", kind="fact").target
        gone = memory.remember("The vault code is in the blue folder", kind="note").target
        memory.forget([gone])
        found = memory.log()

    assert "blue folder" not in repr(found)
    forgotten = [item for item in found if any(gone in name for name in item.commit.records)]
    assert {item.did for item in forgotten} >= {"remembered"}
    assert all(item.about == "" for item in forgotten)
    assert any(item.about == "CI needs Node 20" for item in found)
    assert any(kept in name for item in found for name in item.commit.records)


def test_a_commit_by_hand_says_that_and_no_more(project: Path) -> None:
    store = store_root(project)
    (store / "README.md").write_text("Notes of mine\n")
    git(store, "-c", "core.hooksPath=/dev/null", "commit", "-qam", "words of a person")
    with memory_of(project) as memory:
        memory.remember("CI needs Node 20", kind="fact")

    lines = told(project)

    assert ("committed by hand", "") in [line[1:] for line in lines]
    assert "words of a person" not in repr(lines)


def test_a_program_is_told_nothing(project: Path) -> None:
    with memory_of(project, AGENT) as memory, pytest.raises(MayNotReadError):
        memory.log()


def test_every_operation_has_words() -> None:
    assert set(VERBS) == set(OperationKind)
