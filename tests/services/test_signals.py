"""Recall signals: what others ask counts, once; what memfs reads itself counts for nothing."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from memfs.policy.lasting import Use
from memfs.services import retrieval_log
from memfs.services.signals import FOLDER, gather, uses_of
from tests.support.memory import AGENT, memory_of, new_project, workspace_of

WORDS = "FastAPI for every Python backend"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember(WORDS, kind="preference", subject="backend")
        memory.remember("Deploys go out on Tuesdays", kind="fact", subject="deploys")
    return project


def uses(project: Path) -> Mapping[str, Use]:
    with workspace_of(project) as workspace:
        return uses_of(workspace)


def counted(project: Path) -> list[tuple[int, int]]:
    return sorted((use.recalls, use.queries) for use in uses(project).values())


def files(project: Path) -> list[Path]:
    with workspace_of(project) as workspace:
        return sorted((workspace.home_dir / FOLDER).rglob("*.json"))


def test_answers_raise_counts_and_a_question_that_is_repeated_is_one_question(
    project: Path,
) -> None:
    for actor, question in (
        (AGENT, "which Python backend"),
        (AGENT, "  Which PYTHON backend "),
        (AGENT, "FastAPI or Flask"),
    ):
        with memory_of(project, actor) as memory:
            assert len(memory.recall(question).cards) == 1
    with memory_of(project) as memory:
        memory.context(task="write a Python backend")
        memory.search("FastAPI")
        assert memory.recall("nothing of the sort").cards == ()

    (use,) = uses(project).values()

    assert (use.recalls, use.queries, use.nearness) == (5, 4, 5.0)
    assert use.last is not None


def test_what_memfs_reads_itself_counts_for_nothing(project: Path) -> None:
    with memory_of(project, AGENT) as memory:
        memory.recall("which Python backend")
    before = uses(project)
    with memory_of(project) as memory:
        memory.sleep()
        memory.core()
        memory.rebuild()
        memory.reconcile()
        # The canary asks every read path for what is taken back.
        (deploys,) = (it for it in memory.list_records() if "Tuesdays" in it.record.title)
        memory.retract(deploys.record.id)
    with memory_of(project, AGENT) as memory:
        # A start that asks nothing is given what is important, not what was looked for.
        memory.context(is_session_start=True)
        memory.core()

    assert uses(project) == before


def test_of_a_search_only_the_first_places_count(project: Path) -> None:
    with memory_of(project) as memory:
        for number in range(8):
            memory.remember(f"Backend number {number} is in use", kind="note")
        hits = memory.search("which backend is in use", limit=20)
    assert len(hits) > 5
    assert len(uses(project)) == 5


def test_each_answer_is_counted_once_also_where_the_log_was_put_aside(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieval_log, "MOST_BYTES", 2_000)
    with memory_of(project, AGENT) as memory:
        for number in range(9):
            memory.recall(f"which Python backend {number % 3}")
            if number % 2:
                gather(memory.workspace)
    with workspace_of(project) as workspace:
        folder = workspace.cache_dir / "log"
        kept = sum(len(path.read_bytes().splitlines()) for path in folder.glob("recall*.jsonl"))
    assert kept < 9, "some lines are gone by now"
    assert counted(project) == counted(project) == [(9, 3)]


def test_without_the_key_of_the_log_no_question_is_counted_as_a_new_one(project: Path) -> None:
    for _ in range(2):
        with memory_of(project, AGENT) as memory:
            memory.recall("which Python backend")
            memory.recall("FastAPI or Flask")
        assert counted(project)[0][1] == 2
        with workspace_of(project) as workspace:
            retrieval_log.purge_log(workspace)
    assert counted(project) == [(4, 2)]


def test_counts_hold_no_word_and_are_their_owners_alone(project: Path) -> None:
    with memory_of(project, AGENT) as memory:
        memory.recall("which Python backend")
    assert counted(project) == [(1, 1)]
    (place,) = files(project)
    text = place.read_text(encoding="ascii").lower()
    assert not any(word in text for word in ("fastapi", "python", "backend", "builder"))
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700


def test_what_is_erased_is_counted_no_more(project: Path) -> None:
    with memory_of(project, AGENT) as memory:
        (card,) = memory.recall("which Python backend").cards
    with memory_of(project) as memory:
        memory.erase([card.hit.stored.record.id])
    assert counted(project) == []
    assert all(card.hit.stored.record.id not in it.read_text() for it in files(project))


@pytest.mark.parametrize("damage", [b"", b"{", b'{"v":1}', b"[" * 9_000, b'{"v":9,"records":{}}'])
def test_counts_that_do_not_read_are_begun_anew(project: Path, damage: bytes) -> None:
    with memory_of(project, AGENT) as memory:
        memory.recall("which Python backend")
    assert counted(project) == [(1, 1)]
    (place,) = files(project)
    place.write_bytes(damage)
    assert counted(project) == [(1, 1)]


def test_where_counts_cannot_be_written_nothing_else_fails(project: Path) -> None:
    with workspace_of(project) as workspace:
        (workspace.home_dir / FOLDER).mkdir(parents=True)
        (workspace.home_dir / FOLDER / str(workspace.store_id)).symlink_to("/nowhere")
    with memory_of(project, AGENT) as memory:
        memory.recall("which Python backend")
    with memory_of(project) as memory:
        memory.sleep()
    assert uses(project) == {}
