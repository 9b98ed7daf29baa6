"""Any wish at all, allowed or not, in any order: a refused one changes nothing (A64, A66)."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from memfs.model.execution import Compress, Grow, Maintain, Revise, Turn, TurnSaid, Wish
from memfs.policy.execution_moves import ROWS, MoveCase, refusal
from tests.support.execution_trees import Committed, founded, moved, tree_from

_TURNS = st.lists(st.sampled_from(Turn), min_size=1, max_size=4)


class Execution(RuleBasedStateMachine):
    """One task, and beside it a list of what counts and a set of what was left behind."""

    now: Committed
    number = 0

    @initialize(seed=st.integers(0, 9))
    def found(self, seed: int) -> None:
        self.now = founded(seed)

    @rule(turns=_TURNS, data=st.data())
    def grow(self, turns: list[Turn], data: st.DataObject) -> None:
        self.ask(
            Grow(
                turns=tuple(
                    TurnSaid(turn=turn, text="x", answers=self.step(data, may_be_none=True))
                    if turn is Turn.RESULT
                    else TurnSaid(turn=turn, text="x")
                    for turn in turns
                )
            )
        )

    @rule(data=st.data())
    def compress(self, data: st.DataObject) -> None:
        wish = Compress(first=self.step(data), last=self.step(data), objective="x", result="x")
        self.ask(wish)

    @rule(name=st.sampled_from("ab"))
    def maintain(self, name: str) -> None:
        self.ask(Maintain(name=name, value="x"))

    @rule(data=st.data())
    def revise(self, data: st.DataObject) -> None:
        self.ask(Revise(to=self.step(data, may_be_none=True), reason="failed", label="a try"))

    def step(self, data: st.DataObject, *, may_be_none: bool = False) -> str:
        """Draws any step that there is, current or not."""
        there = sorted(name for name in self.now.files if name.startswith("step_"))
        none = [""] if may_be_none or not there else []
        return data.draw(st.sampled_from([*none, *there]))

    def ask(self, wish: Wish) -> None:
        tree = tree_from(self.now.files)
        denial = refusal(MoveCase(tree=tree, wish=wish))
        if denial is not None:
            assert denial.code in ROWS
            return
        self.number += 1
        self.now = moved(1, self.number, tree, wish, self.now)

    @invariant()
    def what_counts_is_what_was_not_left_behind(self) -> None:
        tree = tree_from(self.now.files)
        assert tuple(step.id for step in tree.path) == self.now.current
        assert {step.id for step in tree.left_behind} == self.now.failed
        assert tree.apart == ()
        assert set(tree.covered) <= set(self.now.current)
        shown = [step.id for unit in tree.tail for step in unit]
        assert sorted([*shown, *tree.covered]) == sorted(step.id for step in tree.turns)


TestExecution = Execution.TestCase
TestExecution.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)
