"""Which moves a task allows: one table, the first row that refuses decides (A64, A66).

The code of a row is the code of the refusal. Nothing here looks at who asks: that is settled by
the door, and no row can be skipped by anybody. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from memfs.model.decision import Reason
from memfs.model.execution import Compress, Finish, Grow, Move, Revise, Step, Turn, Wish, move_of
from memfs.model.execution_tree import Tree
from memfs.model.frozen import frozen
from memfs.policy.reasons import reason

_ALL: Final = frozenset(Move)


@frozen
class MoveCase:
    """One wish as the table sees it.

    Attributes:
        tree: The task at its present head.
        wish: What is asked.
        linkable: Ids of records that whoever asks may link as effects.
    """

    tree: Tree
    wish: Wish
    linkable: frozenset[str] = frozenset()


Check = Callable[[MoveCase], str | None]
"""Returns an id or a number where the row refuses, ``None`` where it does not."""


@frozen(kw_only=False)
class MoveRow:
    """One row: the moves that it is about, and what it asks."""

    code: str
    moves: frozenset[Move]
    check: Check


def refusal(case: MoveCase) -> Reason | None:
    """Returns why a wish is refused, by the first row that does; ``None`` where it is not."""
    move = move_of(case.wish)
    for row in TABLE:
        detail = row.check(case) if move in row.moves else None
        if detail is not None:
            return reason(row.code, detail)
    return None


def answered_calls(tree: Tree, wish: Grow) -> tuple[int | str, ...]:
    """Returns for each turn the call that it is the result of, in order.

    Returns:
        The number of a call in the same wish, the id of a current one, or an empty string for
        what is no result or belongs to no call.
    """
    waiting: list[int | str] = [step.id for step in tree.open_calls]
    found: list[int | str] = []
    for number, turn in enumerate(wish.turns):
        call: int | str = ""
        if turn.turn is Turn.CALL:
            waiting.append(number)
        elif turn.turn is Turn.RESULT:
            call = _call_for(turn.answers, waiting)
            if call != "":
                waiting.remove(call)
        found.append(call)
    return tuple(found)


def _call_for(named: str, waiting: list[int | str]) -> int | str:
    if named:
        return named if named in waiting else ""
    # Without a name it is the first call of the same wish, or the one call that waits.
    own = [item for item in waiting if isinstance(item, int)]
    if own:
        return own[0]
    return waiting[0] if len(waiting) == 1 else ""


def is_about_head_alone(wish: Wish) -> bool:
    """Tells whether no row has to look at the steps before: all are asked on an empty tree.

    Notes, and calls with their results, follow any head; and any task can be closed.
    """
    if isinstance(wish, Finish):
        return True
    if not isinstance(wish, Grow):
        return False
    waiting = 0
    for turn in wish.turns:
        waiting += (turn.turn is Turn.CALL) - (turn.turn is Turn.RESULT)
        if waiting < 0 or turn.answers or turn.compensates:
            return False
    return True


def sources_of(tree: Tree, wish: Compress) -> tuple[Step, ...]:
    """Returns the turns of a range, in order; empty where it is none."""
    ids = [step.id for step in tree.turns]
    if wish.first not in ids or wish.last not in ids:
        return ()
    return tree.turns[ids.index(wish.first) : ids.index(wish.last) + 1]


def _closed(case: MoveCase) -> str | None:
    state = case.tree.task.state
    return str(state) if state.is_closed else None


def _unanswered(case: MoveCase) -> str | None:
    if not isinstance(case.wish, Grow):
        return None
    for turn, call in zip(case.wish.turns, answered_calls(case.tree, case.wish), strict=True):
        if turn.turn is Turn.RESULT and call == "" and turn.answers not in case.tree.results:
            return turn.answers or f"{len(case.tree.open_calls)} calls wait"
    return None


def _answered(case: MoveCase) -> str | None:
    if not isinstance(case.wish, Grow):
        return None
    for turn, call in zip(case.wish.turns, answered_calls(case.tree, case.wish), strict=True):
        if turn.turn is Turn.RESULT and call == "":
            return turn.answers
    return None


def _unlinkable(case: MoveCase) -> str | None:
    if not isinstance(case.wish, Grow):
        return None
    linked = (name for turn in case.wish.turns for name in turn.effects)
    return next((name for name in linked if name not in case.linkable), None)


def _no_compensation(case: MoveCase) -> str | None:
    """What makes up for an effect is another effect; the one that it makes up for is linked."""
    if not isinstance(case.wish, Grow):
        return None
    linked = {name for step in case.tree.steps.values() for name in step.effects}
    for turn in case.wish.turns:
        name = turn.compensates
        if name and (name not in linked or not turn.effects or name in turn.effects):
            return name
    return None


def _off_path(case: MoveCase) -> str | None:
    turns = {step.id for step in case.tree.turns}
    visible = {step.id for step in case.tree.path}
    match case.wish:
        case Compress(first=first, last=last):
            return next((name or "none" for name in (first, last) if name not in turns), None)
        case Revise(to=to) if to and to not in visible:
            return to
        case _:
            return None


def _backwards(case: MoveCase) -> str | None:
    if isinstance(case.wish, Compress) and not sources_of(case.tree, case.wish):
        return case.wish.first
    return None


def _open_call(case: MoveCase) -> str | None:
    waiting = {step.id for step in case.tree.open_calls}
    return next((step.id for step in _sources(case) if step.id in waiting), None)


def _split_pair(case: MoveCase) -> str | None:
    sources = {step.id for step in _sources(case)}
    for call, result in case.tree.results.items():
        if (call in sources) != (result.id in sources):
            return call
    return None


def _crossing(case: MoveCase) -> str | None:
    """A range takes in a summary whole, or nothing of what it stands for."""
    sources = {step.id for step in _sources(case)}
    for summary in case.tree.summaries:
        if sources & set(summary.sources) and not sources >= set(summary.sources):
            return summary.id
    return None


def _sources(case: MoveCase) -> Iterator[Step]:
    if isinstance(case.wish, Compress):
        yield from sources_of(case.tree, case.wish)


def _nothing_left(case: MoveCase) -> str | None:
    is_same = isinstance(case.wish, Revise) and case.wish.to == case.tree.task.head
    return (case.tree.task.head or "none") if is_same else None


def _not_closing(case: MoveCase) -> str | None:
    is_open = isinstance(case.wish, Finish) and not case.wish.state.is_closed
    return str(case.tree.task.state) if is_open else None


TABLE: Final[tuple[MoveRow, ...]] = (
    MoveRow("execution.closed", _ALL, _closed),
    MoveRow("execution.no-call", frozenset({Move.GROW}), _unanswered),
    MoveRow("execution.answered", frozenset({Move.GROW}), _answered),
    MoveRow("execution.effect", frozenset({Move.GROW}), _unlinkable),
    MoveRow("execution.compensation", frozenset({Move.GROW}), _no_compensation),
    MoveRow("execution.off-path", frozenset({Move.COMPRESS, Move.REVISE}), _off_path),
    MoveRow("execution.backwards", frozenset({Move.COMPRESS}), _backwards),
    MoveRow("execution.open-call", frozenset({Move.COMPRESS}), _open_call),
    MoveRow("execution.split-pair", frozenset({Move.COMPRESS}), _split_pair),
    MoveRow("execution.crossing", frozenset({Move.COMPRESS}), _crossing),
    MoveRow("execution.nothing-left", frozenset({Move.REVISE}), _nothing_left),
    MoveRow("execution.not-closing", frozenset({Move.FINISH}), _not_closing),
)
"""The rows in order."""

ROWS: Final[Mapping[str, MoveRow]] = MappingProxyType({row.code: row for row in TABLE})
