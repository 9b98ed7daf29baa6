"""Runs among what is found: their words, their age and their chain (C22, C23, C24, C25)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.model.lineage import Lineage
from memfs.model.packet import ScoredRecord
from memfs.model.record import Record
from memfs.model.settings import RankSettings
from memfs.services.ports import Workspace
from memfs.services.ranking import recency
from memfs.services.recall import search
from tests.support.memory import START
from tests.support.recall_stores import BOT, note, question, workspace_with
from tests.support.work import issue_id, run_id, run_of


@contextmanager
def standing(
    tmp_path: Path, *records: Record, lineage: Lineage | None = None
) -> Iterator[Workspace]:
    with workspace_with(tmp_path, *records) as workspace:
        yield replace(workspace, lineage=lineage or Lineage())


def found(workspace: Workspace, text: str) -> list[ScoredRecord]:
    return list(search(workspace, question(text, BOT, kinds=("run",))).hits)


def ids(hits: list[ScoredRecord]) -> list[str]:
    return [hit.stored.record.id for hit in hits]


@pytest.mark.parametrize(
    "telling",
    [
        run_of(1, "Nothing much.", task="Do piece 1 about umbrellas"),
        run_of(1, "The umbrellas are parsed."),
        run_of(1, "Nothing much.", opened=[(issue_id(1), "Umbrellas fold the wrong way")]),
        run_of(1, "Nothing much.", next_steps=["fold the umbrellas"]),
        run_of(1, "Nothing much.", done=["folded the umbrellas"]),
        run_of(1, "Nothing much.", fields={"verdict": "umbrellas rejected"}),
    ],
    ids=["task", "summary", "issue", "next", "accomplished", "verdict"],
)
def test_a_word_of_a_run_finds_it_before_one_without_the_word(
    telling: Record, tmp_path: Path
) -> None:
    other = run_of(2, "Nothing much.")
    with standing(tmp_path, telling, other) as workspace:
        assert ids(found(workspace, "piece umbrellas"))[0] == run_id(1)
        assert ids(found(workspace, "umbrellas")) == [run_id(1)]


def test_a_long_task_is_found_by_its_last_words_and_counts_once(tmp_path: Path) -> None:
    task = "Rework the importer " + "step by step " * 60 + "for chrysanthemums"
    with standing(tmp_path, run_of(1, "Done."), run_of(2, "Done.", task=task)) as workspace:
        assert ids(found(workspace, "chrysanthemums")) == [run_id(2)]


def test_of_two_equal_runs_the_newer_is_first_and_half_a_life_halves_it(tmp_path: Path) -> None:
    older = run_of(1, "The cache is warm.", task="Warm it", at=START - timedelta(days=31))
    newer = run_of(2, "The cache is warm.", task="Warm it", at=START - timedelta(days=1))
    with standing(tmp_path, older, newer) as workspace:
        first, second = found(workspace, "cache warm")

    assert [first.stored.record.id, second.stored.record.id] == [run_id(2), run_id(1)]
    ratio = second.components["recency"] / first.components["recency"]
    assert ratio == pytest.approx(0.5, abs=1e-3)
    days = RankSettings().half_life_days
    assert recency(older, older.observed or START, days) == 1.0
    assert recency(older, (older.observed or START) + timedelta(days=days), days) == 0.5


@pytest.mark.parametrize(
    ("fields", "lineage"),
    [
        ({}, Lineage(run=run_id(9), parent=run_id(1))),
        ({"parent": run_id(9)}, Lineage(run=run_id(9))),
        ({"root": run_id(7)}, Lineage(run=run_id(9), parent=run_id(3))),
        ({"session": "chat-7"}, Lineage(session="chat-7")),
    ],
    ids=["is its parent", "is its child", "has its root", "is of its chat"],
)
def test_a_run_of_the_same_chain_or_chat_outranks_an_equal_one(
    fields: dict[str, str], lineage: Lineage, tmp_path: Path
) -> None:
    tied = run_of(1, "The cache is warm.", task="Warm it", fields=dict(fields))
    free = run_of(2, "The cache is warm.", task="Warm it")
    parent = run_of(3, "Something else.", fields={"root": run_id(7)})
    with standing(tmp_path, tied, free, parent) as workspace:
        assert ids(found(workspace, "cache warm")) == [run_id(2), run_id(1)]
        hits = found(replace(workspace, lineage=lineage), "cache warm")

    assert ids(hits) == [run_id(1), run_id(2)]
    assert [hit.components["lineage"] for hit in hits] == [RankSettings().lineage, 0.0]


def test_a_tie_brings_in_nothing_that_does_not_match(tmp_path: Path) -> None:
    lineage = Lineage(run=run_id(9), parent=run_id(1), session="chat-7")
    tied = run_of(1, "The cache is warm.", fields={"session": "chat-7"})
    with standing(tmp_path, tied, run_of(2, "Ladders."), lineage=lineage) as workspace:
        assert ids(found(workspace, "ladders")) == [run_id(2)]


def test_a_lineage_of_runs_that_nobody_recorded_changes_nothing(tmp_path: Path) -> None:
    with standing(tmp_path, run_of(1, "The cache is warm."), note(2, "The cache")) as workspace:
        lost = Lineage(run=run_id(77), parent=run_id(78), session="gone")
        (hit,) = found(replace(workspace, lineage=lost), "cache warm")

    assert (hit.stored.record.id, hit.components["lineage"]) == (run_id(1), 0.0)


def test_a_search_tells_the_parts_of_the_score_of_each_run(tmp_path: Path) -> None:
    runs = (run_of(1, "The cache is warm."), run_of(2, "The cache is cold and warm."))
    lineage = Lineage(run=run_id(9), parent=run_id(2))
    with standing(tmp_path, *runs, lineage=lineage) as workspace:
        hits = found(workspace, "cache warm")

    assert sorted(ids(hits)) == [run_id(1), run_id(2)]
    for hit in hits:
        assert hit.score == pytest.approx(sum(hit.components.values()))
        assert {"keyword", "recency", "lineage"} <= set(hit.components)
    assert {hit.stored.record.id for hit in hits if hit.components["lineage"]} == {run_id(2)}
