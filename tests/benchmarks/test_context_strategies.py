"""The comparison of context strategies tells a good context from a bad one, the same each time."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import cast

import pytest

from benchmarks.context_strategies import compared, printed
from benchmarks.strategies.contexts import strategies, whole_log
from benchmarks.strategies.histories import FIELDS, History, history
from benchmarks.strategies.reading import Score, score
from memfs.model.settings import Settings
from memfs.services.ports import Workspace

BUDGET = 1_200
WORKSPACE = cast(
    Workspace,
    SimpleNamespace(
        clock=SimpleNamespace(now=lambda: datetime(2026, 3, 1, tzinfo=UTC)),
        store_id="store_x",
        settings=Settings(store_id="store_x", project="x"),
    ),
)
"""All that the packet of a task asks of a workspace; there is no store."""


@pytest.fixture(scope="module")
def found() -> dict[str, Score]:
    return compared(WORKSPACE, range(2), moves=45, budget=BUDGET)


@pytest.fixture(scope="module")
def told() -> History:
    return history(3, moves=45)


def test_six_strategies_answer_the_same_histories(found: dict[str, Score]) -> None:
    assert len(found) == 6
    assert len(printed(found).splitlines()) == 7
    assert history(1, moves=20) == history(1, moves=20)
    assert all(item.tokens <= BUDGET for name, item in found.items() if name != "whole log")


def test_the_context_of_a_task_holds_nothing_of_a_branch_that_failed(
    found: dict[str, Score],
) -> None:
    ours, log = found["memfs"], found["whole log"]
    assert (ours.fields, ours.misled, ours.contaminated, ours.failed_steps) == (1.0, 0.0, 0.0, 0.0)
    assert (ours.pairs, ours.constraints, ours.questions) == (1.0, 1.0, 1.0)
    assert ours.effects == 1.0
    assert (log.effects, log.constraints, log.contaminated) == (1.0, 1.0, 1.0)
    assert log.fields < 1.0
    # Who follows each "went back" finds in the whole log what is so; it is all there.
    read = score(history(0, moves=45), whole_log, BUDGET, is_careful=True)
    assert (read.fields, read.misled, read.questions) == (1.0, 0.0, 1.0)


def test_half_of_the_budget_still_names_every_effect() -> None:
    told = history(9, moves=45)
    ours = score(told, strategies(WORKSPACE)["memfs"], BUDGET // 2)
    assert len(told.effects) > 4
    assert (ours.effects, ours.fields, ours.misled, ours.pairs) == (1.0, 1.0, 0.0, 1.0)


def test_a_context_that_says_nothing_and_one_that_says_all_wrong_are_told_apart(
    told: History,
) -> None:
    nothing = score(told, lambda _, __, ___: "", BUDGET)
    assert nothing.fields == sum(name not in told.fields for name in FIELDS) / len(FIELDS)
    assert (nothing.constraints, nothing.contaminated) == (0.0, 0.0)
    wrong = " ".join(sorted(told.failed))
    value = min(told.failed_values)
    text = "\n".join([wrong, *(f"{name} = {value}" for name in FIELDS)])
    misled = score(told, lambda _, __, ___: text, BUDGET)
    assert (misled.fields, misled.misled, misled.contaminated) == (0.0, 1.0, 1.0)
    right = "\n".join(f"{name} = {value}" for name, value in told.fields.items())
    assert score(told, lambda _, __, ___: right, BUDGET).fields == 1.0


def test_a_call_that_is_shown_without_its_result_is_seen(told: History) -> None:
    call, results = next(pair for pair in told.pairs if pair[1])
    assert score(told, lambda _, __, ___: call, BUDGET).pairs == 0.0
    assert score(told, lambda _, __, ___: f"{call}\n> {min(results)}", BUDGET).pairs == 1.0
    assert score(told, whole_log, BUDGET).pairs == 1.0
    assert set(strategies(WORKSPACE)) >= {"whole log", "memfs"}
