"""Vectors of runs: a line a run, made anew for another model, and never needed (C25, C26)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from memfs.errors import IndexUnavailableError
from memfs.model.authority import Sensitivity
from memfs.model.packet import ScoredRecord
from memfs.model.record import Record
from memfs.model.settings import RankSettings, RecallSettings, Settings
from memfs.services.ports import Workspace
from memfs.services.recall import search
from memfs.services.vectors import (
    VECTORS_FILE,
    VectorCounts,
    drop_vectors,
    read_vectors,
    refresh_vectors,
)
from tests.support.memory import SteppedClock
from tests.support.recall_stores import BOT, commit, question, workspace_with
from tests.support.work import run_id, run_of

TOPICS = ("rain", "snow", "wind")


@dataclass
class CountedTopics:
    """An embedder whose vectors count words; ``asked`` holds every text that it was given."""

    name: str = "topics-1"
    is_remote: bool = False
    is_broken: bool = False
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Returns for each text how often each topic stands in it."""
        if self.is_broken:
            raise IndexUnavailableError("away", code="embedder.unreachable")
        self.asked += texts
        return tuple(tuple(float(text.count(topic)) + 0.01 for topic in TOPICS) for text in texts)


RUNS = (
    run_of(1, "The umbrella was bought for rain rain.", task="Buy it"),
    run_of(2, "The umbrella was bought for snow snow.", task="Buy it"),
    run_of(3, "The umbrella was bought for wind wind.", task="Buy it"),
)


@contextmanager
def runs(
    tmp_path: Path, embedder: CountedTopics | None, *records: Record, weight: float = 1.0
) -> Iterator[Workspace]:
    settings = Settings(
        store_id="store_01kb8x3v6yq4m9t2r7w5000000",
        project="demo",
        recall=RecallSettings(rank=RankSettings(vector=weight)),
    )
    with workspace_with(tmp_path, *(records or RUNS), settings=settings) as workspace:
        yield replace(workspace, embedder=embedder)


def found(workspace: Workspace, text: str) -> list[ScoredRecord]:
    at_once = replace(workspace, clock=SteppedClock())
    return list(search(at_once, question(text, BOT, kinds=("run",))).hits)


def first(workspace: Workspace, text: str) -> str:
    return found(workspace, text)[0].stored.record.id


def test_there_is_one_line_a_run_with_its_id_the_model_and_the_vector(tmp_path: Path) -> None:
    with runs(tmp_path, CountedTopics()) as workspace:
        assert refresh_vectors(workspace) == VectorCounts(embedded=3)
        lines = (workspace.cache_dir / VECTORS_FILE).read_text().splitlines()

    values = [json.loads(line) for line in lines]
    assert [(value["run"], value["model"]) for value in values] == [
        (run_id(number), "topics-1") for number in (1, 2, 3)
    ]
    assert values[0]["vector"] == [2.01, 0.01, 0.01]
    assert "umbrella" not in "".join(lines)


def test_another_model_is_seen_and_every_run_embedded_again(tmp_path: Path) -> None:
    with runs(tmp_path, CountedTopics()) as workspace:
        refresh_vectors(workspace)
        assert refresh_vectors(workspace) == VectorCounts(kept=3)
        other = CountedTopics(name="topics-2")
        moved = replace(workspace, embedder=other)

        assert not [hit for hit in found(moved, "umbrella snow") if "vector" in hit.components]
        assert refresh_vectors(moved) == VectorCounts(embedded=3)
        assert {item.model for item in read_vectors(moved).values()} == {"topics-2"}
        assert first(moved, "umbrella snow snow") == run_id(2)


def test_a_new_run_is_embedded_alone_and_one_that_is_gone_leaves(tmp_path: Path) -> None:
    embedder = CountedTopics()
    with runs(tmp_path, embedder) as workspace:
        refresh_vectors(workspace)
        embedder.asked.clear()
        commit(workspace.store, run_of(4, "More snow."), gone=(RUNS[0],))

        assert refresh_vectors(workspace) == VectorCounts(kept=2, embedded=1, dropped=1)
        assert len(embedder.asked) == 1
        assert set(read_vectors(workspace)) == {run_id(2), run_id(3), run_id(4)}


def test_vectors_order_what_matches_and_bring_in_nothing(tmp_path: Path) -> None:
    with runs(tmp_path, CountedTopics(), *RUNS, run_of(4, "rain rain rain")) as workspace:
        refresh_vectors(workspace)
        for topic, number in zip(TOPICS, (1, 2, 3), strict=True):
            hits = found(workspace, f"umbrella bought {topic[0]}")
            assert {hit.stored.record.id for hit in hits} == {run_id(1), run_id(2), run_id(3)}
            nearest = found(workspace, f"umbrella bought? {topic}{topic}")[0]
            assert nearest.stored.record.id == run_id(number)
            assert nearest.components["vector"] > 0.9


@pytest.mark.parametrize("embedder", [None, CountedTopics(is_broken=True)])
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_without_vectors_every_answer_is_that_of_a_store_that_never_had_them(
    embedder: CountedTopics | None, weight: float, tmp_path: Path
) -> None:
    with runs(tmp_path, None, weight=0.0) as workspace:
        never = [(hit.stored, hit.components) for hit in found(workspace, "umbrella snow")]
        there = replace(workspace, embedder=CountedTopics())
        refresh_vectors(there)
        rank = replace(workspace.settings.recall.rank, vector=weight)
        recall = replace(workspace.settings.recall, rank=rank)
        settings = replace(workspace.settings, recall=recall)
        off = replace(workspace, embedder=embedder, settings=settings)

        assert [(hit.stored, hit.components) for hit in found(off, "umbrella snow")] == never


def test_a_broken_embedder_leaves_what_was_there(tmp_path: Path) -> None:
    embedder = CountedTopics()
    with runs(tmp_path, embedder) as workspace:
        refresh_vectors(workspace)
        embedder.is_broken = True
        commit(workspace.store, run_of(4, "More snow."))

        assert refresh_vectors(workspace) == VectorCounts(kept=3, trouble="embedder.unreachable")
        assert set(read_vectors(workspace)) == {run_id(1), run_id(2), run_id(3)}


def test_what_may_not_leave_is_not_sent_away(tmp_path: Path) -> None:
    embedder = CountedTopics(is_remote=True)
    hushed = run_of(4, "The orchard is sold.", sensitivity=Sensitivity.CONFIDENTIAL)
    with runs(tmp_path, embedder, *RUNS, hushed) as workspace:
        refresh_vectors(workspace)

    assert not [text for text in embedder.asked if "orchard" in text]


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b"[]", b"{}", b"\xff", b"[" * 9000, b'{"run":"run_1","vector":"x"}'),
        b'{"run":"r","blob":"b","model":"topics-1","vector":[NaN]}',
        b'{"run":"r","blob":"b","model":"topics-1","vector":[[1]]}',
    ],
)
def test_a_damaged_line_is_none(line: bytes, tmp_path: Path) -> None:
    with runs(tmp_path, CountedTopics()) as workspace:
        refresh_vectors(workspace)
        place = workspace.cache_dir / VECTORS_FILE
        place.write_bytes(line + b"\n" + place.read_bytes())

        assert len(read_vectors(workspace)) == 3
        assert first(workspace, "umbrella snow snow") == run_id(2)


def test_what_was_withdrawn_has_no_vector(tmp_path: Path) -> None:
    with runs(tmp_path, CountedTopics()) as workspace:
        refresh_vectors(workspace)
        drop_vectors(workspace, [run_id(2), "mem_nothing"])

        assert set(read_vectors(workspace)) == {run_id(1), run_id(3)}
