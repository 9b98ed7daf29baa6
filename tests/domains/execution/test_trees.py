"""500 seeded trees: what failed is never current, and a kill changes nothing (A64, A66)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest

from memfs.domains.execution.reading import TaskView
from memfs.domains.execution.sections import HINTS, context_sections
from memfs.model.execution import Move, Turn
from memfs.model.execution_tree import Tree
from memfs.model.record import Record, StoredRecord
from memfs.policy.execution_moves import ROWS
from tests.support.execution_trees import Committed, continued, history, tree_from, word_of

TREES = 500
MOVES = 5


@cache
def histories() -> tuple[tuple[Committed, ...], ...]:
    return tuple(history(seed, moves=MOVES) for seed in range(TREES))


def each_commit() -> Iterator[tuple[Committed, Tree]]:
    for commits in histories():
        for committed in commits:
            yield committed, tree_from(committed.files)


def view_of(tree: Tree) -> TaskView:
    stored = StoredRecord(record=Record(kind="task", id=tree.task.id), path="", blob="")
    return TaskView(stored=stored, tree=tree, effects={}, holds={})


@pytest.mark.invariant("A66")
def test_of_500_trees_no_failed_branch_is_ever_current() -> None:
    branches = 0
    for committed, tree in each_commit():
        assert tuple(step.id for step in tree.path) == committed.current
        assert {step.id for step in tree.left_behind} == committed.failed
        labelled = {step.id for branch in tree.failed for step in branch.steps}
        assert labelled == committed.failed
        branches += len(tree.failed)
    assert branches > TREES // 2


@pytest.mark.invariant("A66")
def test_what_failed_stands_in_the_context_as_a_labelled_hint_and_nowhere_else() -> None:
    left_behind, failed = 0, 0
    for commits in histories():
        tree = tree_from(commits[-1].files)
        sections = context_sections(view_of(tree))
        current = "\n".join(
            entry.text for section in sections if section.name != HINTS for entry in section.entries
        )
        hints = "\n".join(
            entry.text for section in sections if section.name == HINTS for entry in section.entries
        )
        for step in tree.left_behind:
            assert word_of(step) not in current
            assert word_of(step) not in hints
        for branch in tree.failed:
            assert branch.revision.label in hints
            assert branch.revision.label not in current
        left_behind += len(tree.left_behind)
        failed += len(tree.failed)
    assert min(left_behind, failed) > TREES // 2


def test_a_tree_reads_the_same_after_a_kill_and_goes_on_the_same() -> None:
    for seed, commits in enumerate(histories()):
        chosen = random.Random(f"kill {seed}")
        killed = chosen.randrange(len(commits))
        assert tree_from(commits[killed].files, order=chosen) == tree_from(commits[killed].files)
        resumed = tuple(continued(seed, commits[killed], moves=MOVES, since=killed))
        assert resumed[-1].files == commits[-1].files
        assert tree_from(resumed[-1].files, order=chosen) == tree_from(commits[-1].files)


def test_no_context_parts_a_call_from_its_result() -> None:
    pairs = open_calls = 0
    for _, tree in each_commit():
        for unit in tree.tail:
            if unit[0].turn is Turn.CALL:
                answer = tree.results.get(unit[0].id)
                assert unit == ((unit[0],) if answer is None else (unit[0], answer))
                pairs, open_calls = pairs + len(unit) - 1, open_calls + (len(unit) == 1)
            else:
                assert [step.turn for step in unit] == [Turn.NOTE]
        shown = [step.id for unit in tree.tail for step in unit]
        assert sorted([*shown, *tree.covered]) == sorted(step.id for step in tree.turns)
    assert min(pairs, open_calls) > TREES // 2


def test_summaries_that_are_shown_share_no_step_and_cover_what_is_current() -> None:
    shown = 0
    for _, tree in each_commit():
        covered = [name for step in tree.summaries for name in step.sources]
        assert len(covered) == len(set(covered))
        assert set(covered) <= {step.id for step in tree.turns}
        assert all(step.move is Move.COMPRESS for step in tree.summaries)
        shown += len(tree.summaries)
    assert shown > TREES // 4


def test_what_a_tree_does_not_allow_is_refused_by_a_row_of_the_table() -> None:
    codes = {code for commits in histories() for item in commits for code in item.refused}
    assert codes <= set(ROWS)
    assert len(codes) >= 6
