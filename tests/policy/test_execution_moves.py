"""The table of moves: each row refuses what it is about, and nothing else (A64)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memfs.model.execution import (
    Compress,
    Finish,
    Grow,
    Maintain,
    Move,
    Revise,
    Step,
    Task,
    TaskState,
    Turn,
    TurnSaid,
    Wish,
    move_of,
)
from memfs.model.execution_tree import Tree
from memfs.policy.execution_moves import (
    ROWS,
    TABLE,
    MoveCase,
    answered_calls,
    is_about_head_alone,
    refusal,
)
from memfs.policy.reasons import SENTENCES

RUN, OTHER = "run_a", "run_b"


def step(name: str, *before: str, **fields: object) -> Step:
    values = {"move": Move.GROW, "turn": Turn.NOTE, **fields}
    return Step(id=name, before=before, **values)  # type: ignore[arg-type]


STEPS = (
    step("n", effects=(RUN,)),
    step("c", "n", turn=Turn.CALL),
    step("r", "c", "n", turn=Turn.RESULT, answers="c"),
    step("m", "r", "c", "n"),
    step("s", "m", "r", "c", "n", move=Move.COMPRESS, turn=None, first="c", last="m",
         sources=("c", "r", "m")),
    step("w", "s", "m", "r", "c", "n", turn=Turn.CALL),
    step("f", "n", turn=Turn.CALL),
    step("x", "n", move=Move.REVISE, turn=None, failed="f"),
)  # fmt: skip
TREE = Tree(
    task=Task(id="task", goal="Reach it", head="w", before=("s", "m", "r", "c", "n")),
    steps={item.id: item for item in STEPS},
    lineage={item.id: item.before for item in STEPS},
)
CLOSED = replace(TREE, task=replace(TREE.task, state=TaskState.DONE))


def said(turn: Turn, **fields: object) -> TurnSaid:
    return TurnSaid(turn=turn, text="x", **fields)  # type: ignore[arg-type]


def grow(*turns: TurnSaid) -> Grow:
    return Grow(turns=turns)


def compress(first: str, last: str) -> Compress:
    return Compress(first=first, last=last, objective="x", result="x")


CLOSE = Finish(state=TaskState.ABANDONED)
NOTE = grow(said(Turn.NOTE))
REFUSED: tuple[tuple[str, Tree, Wish], ...] = (
    *(
        ("execution.closed", CLOSED, wish)
        for wish in (
            NOTE,
            compress("n", "n"),
            Maintain(name="a", value="b"),
            Revise(to="n", reason="x"),
            CLOSE,
        )
    ),
    ("execution.no-call", TREE, grow(said(Turn.RESULT, answers="f"))),
    ("execution.no-call", TREE, grow(said(Turn.RESULT, answers="nowhere"))),
    ("execution.no-call", TREE, grow(said(Turn.RESULT), said(Turn.RESULT))),
    ("execution.answered", TREE, grow(said(Turn.RESULT, answers="c"))),
    ("execution.effect", TREE, grow(said(Turn.NOTE, effects=("mem_a",)))),
    ("execution.compensation", TREE, grow(said(Turn.NOTE, compensates=RUN))),
    ("execution.compensation", TREE, grow(said(Turn.NOTE, compensates=RUN, effects=(RUN,)))),
    ("execution.compensation", TREE, grow(said(Turn.NOTE, compensates="run_c", effects=(OTHER,)))),
    ("execution.off-path", TREE, compress("f", "f")),
    ("execution.off-path", TREE, compress("n", "s")),
    ("execution.off-path", TREE, compress("", "n")),
    ("execution.off-path", TREE, Revise(to="f", reason="x")),
    ("execution.backwards", TREE, compress("c", "n")),
    ("execution.open-call", TREE, compress("n", "w")),
    ("execution.split-pair", TREE, compress("n", "c")),
    ("execution.split-pair", TREE, compress("r", "m")),
    ("execution.crossing", TREE, compress("m", "m")),
    ("execution.crossing", TREE, compress("n", "r")),
    ("execution.nothing-left", TREE, Revise(to="w", reason="x")),
    ("execution.not-closing", TREE, Finish(state=TaskState.OPEN)),
)


@pytest.mark.parametrize(("code", "tree", "wish"), REFUSED)
def test_what_the_table_does_not_allow_is_refused_by_its_row(
    code: str, tree: Tree, wish: Wish
) -> None:
    denial = refusal(MoveCase(tree=tree, wish=wish, linkable=frozenset({RUN, OTHER})))
    assert denial is not None
    assert denial.code == code
    assert move_of(wish) in ROWS[code].moves


@pytest.mark.parametrize(
    "wish",
    [
        NOTE,
        grow(said(Turn.RESULT)),
        grow(said(Turn.RESULT, answers="w")),
        grow(said(Turn.CALL), said(Turn.CALL), said(Turn.RESULT), said(Turn.RESULT)),
        grow(said(Turn.NOTE, effects=(OTHER,), compensates=RUN)),
        compress("n", "n"),
        compress("c", "m"),
        compress("n", "m"),
        Maintain(name="a", value="b"),
        Revise(to="n", reason="x"),
        Revise(to="", reason="x"),
        CLOSE,
    ],
)
def test_what_no_row_speaks_against_is_allowed(wish: Wish) -> None:
    case = MoveCase(tree=TREE, wish=wish, linkable=frozenset({RUN, OTHER}))
    assert refusal(case) is None


def test_every_row_is_reached_and_has_its_sentence() -> None:
    assert [row.code for row in TABLE] == list(dict.fromkeys(code for code, _, _ in REFUSED))
    assert {code for code in SENTENCES if code.startswith("execution.")} == set(ROWS)


def test_what_is_about_the_head_alone_is_decided_the_same_without_the_steps() -> None:
    bare = replace(TREE, steps={}, lineage={})
    alone = 0
    for tree, wish in [
        *((tree, wish) for _, tree, wish in REFUSED),
        (TREE, grow(said(Turn.CALL), said(Turn.RESULT))),
        (TREE, grow(said(Turn.NOTE), said(Turn.CALL))),
        (TREE, NOTE),
        (TREE, CLOSE),
    ]:
        if is_about_head_alone(wish):
            alone += 1
            empty = replace(bare, task=tree.task)
            cases = [MoveCase(tree=item, wish=wish) for item in (tree, empty)]
            assert refusal(cases[0]) == refusal(cases[1])
            if isinstance(wish, Grow):
                assert answered_calls(tree, wish) == answered_calls(empty, wish)
    assert alone > 6
    assert not is_about_head_alone(grow(said(Turn.RESULT), said(Turn.CALL)))


def test_a_result_belongs_to_the_call_of_its_wish_in_their_order_or_to_the_one_that_waits() -> None:
    calls = grow(said(Turn.CALL), said(Turn.CALL), said(Turn.RESULT), said(Turn.RESULT))
    assert answered_calls(TREE, calls) == ("", "", 0, 1)
    assert answered_calls(TREE, grow(said(Turn.NOTE), said(Turn.RESULT))) == ("", "w")
    both = grow(said(Turn.CALL), said(Turn.RESULT, answers="w"), said(Turn.RESULT))
    assert answered_calls(TREE, both) == ("", "w", 0)
