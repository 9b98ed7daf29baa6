"""The tree of a task: the way to its head past what is gone, and how its fields stand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memfs.model.evidence import Check, CheckKind
from memfs.model.execution import KNOWN_BEFORE, Move, Standing, Step, Task, Turn
from memfs.model.execution_tree import Tree, field_state, known_before, way_to

NAMES = tuple(f"s{number}" for number in range(40))


def line(length: int) -> dict[str, tuple[str, ...]]:
    """Returns the lineage of so many steps in a line."""
    lineage: dict[str, tuple[str, ...]] = {}
    before: tuple[str, ...] = ()
    for name in NAMES[:length]:
        lineage[name] = before
        before = known_before(name, before)
    return lineage


@given(st.integers(1, 40), st.sets(st.integers(0, 39)))
def test_the_way_goes_on_past_steps_that_are_gone(length: int, gone: set[int]) -> None:
    lineage = line(length)
    head = NAMES[length - 1]
    before = lineage[head]
    left = {name: known for name, known in lineage.items() if NAMES.index(name) not in gone}
    longest = run = 0
    for number in range(length):
        run = run + 1 if number in gone else 0
        longest = max(longest, run)
    way = way_to(head, before, left)
    if longest < KNOWN_BEFORE:
        assert way == NAMES[:length]
    assert way == tuple(name for name in NAMES[:length] if name in way)


def test_a_step_that_says_it_comes_before_itself_ends_the_way() -> None:
    assert way_to("a", ("b",), {"a": ("b",), "b": ("a",)}) == ("b", "a")
    assert way_to("a", (), {"a": ("a",)}) == ("a",)


def test_a_step_names_at_most_eight_before_it() -> None:
    assert len(line(40)[NAMES[39]]) == KNOWN_BEFORE
    assert known_before("", ("a",)) == ()


def test_a_result_whose_call_may_not_be_seen_is_not_shown() -> None:
    steps = (
        Step(id="r", move=Move.GROW, turn=Turn.RESULT, answers="c", before=("c",)),
        Step(id="n", move=Move.GROW, turn=Turn.NOTE, before=("r", "c")),
    )
    tree = Tree(
        task=Task(id="t", goal="x", head="n", before=("r", "c")),
        steps={step.id: step for step in steps},
        lineage={"c": (), "r": ("c",), "n": ("r", "c")},
    )
    assert [[step.id for step in unit] for unit in tree.tail] == [["n"]]


def test_a_task_without_steps_has_no_way() -> None:
    tree = Tree(task=Task(id="t", goal="x"), steps={}, lineage={})
    assert (tree.way, tree.path, tree.tail, tree.failed) == ((), (), (), ())


def said(name: str, value: str, *checks: str) -> Step:
    found = tuple(Check(CheckKind.PATH, check) for check in checks)
    return Step(id=name, move=Move.MAINTAIN, name="entry", value=value, checks=found)


def test_a_field_is_verified_by_what_is_found_and_by_nothing_that_is_said() -> None:
    checked, told, same = said("a", "x.py", "x.py"), said("b", "y.py"), said("c", "x.py")
    cases: tuple[tuple[list[Step], dict[str, bool], Standing, Step | None], ...] = (
        ([told], {}, Standing.UNVERIFIED, None),
        ([checked], {"a": True}, Standing.VERIFIED, None),
        ([checked], {"a": False}, Standing.CONFLICTING, None),
        ([checked], {}, Standing.CONFLICTING, None),
        ([checked, told], {"a": True}, Standing.CONFLICTING, checked),
        ([checked, told], {"a": False}, Standing.UNVERIFIED, None),
        ([checked, same], {"a": True}, Standing.VERIFIED, None),
        ([told, checked], {"a": True}, Standing.VERIFIED, None),
    )
    for steps, holds, standing, against in cases:
        state = field_state(steps, holds)
        assert (state.step, state.standing, state.against) == (steps[-1], standing, against)
