"""Seeded trees of execution, with failed branches, beside a model that is too simple to be wrong.

Each move is chosen from the tree alone and a number, so that a tree that is read again from its
files goes on exactly as the one that was never read. The model keeps a list and a set.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memfs.app.registry import REGISTRY
from memfs.domains.execution.records import (
    before_of,
    step_from,
    step_record,
    task_fields,
    task_from,
)
from memfs.domains.execution.steps import Setting, steps_for
from memfs.formats.record_codec import encode_record, read_record
from memfs.model.execution import (
    TASK_KIND,
    Compress,
    Finish,
    Grow,
    Maintain,
    Revise,
    Step,
    Task,
    TaskState,
    Turn,
    TurnSaid,
    Wish,
)
from memfs.model.execution_tree import Tree
from memfs.model.ids import derived_id
from memfs.model.record import Record
from memfs.policy.execution_moves import MoveCase, refusal
from tests.support.policy import AGENT, NOW, PROJECT, origin_of

Worder = Callable[[Wish, Callable[[int], str]], Wish]
"""Gives a move its words; from the ids that its steps get, by their place."""
Files = Mapping[str, bytes]
"""What a commit holds: the bytes of the task and of each step, by id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """One commit of a tree, and what the simple model says of it.

    Attributes:
        files: Everything that is in it.
        current: Ids of the steps that count, oldest first.
        failed: Ids of all that was left behind.
        refused: Codes of what was refused before it.
    """

    files: Files
    current: tuple[str, ...]
    failed: frozenset[str]
    refused: tuple[str, ...] = ()


def history(seed: int, *, moves: int = 9) -> tuple[Committed, ...]:
    """Returns the commits of one tree."""
    return tuple(continued(seed, founded(seed), moves=moves))


def continued(seed: int, start: Committed, *, moves: int, since: int = 0) -> Iterator[Committed]:
    """Yields a commit for each move from ``since`` on; the first is the start itself."""
    now = start
    yield now
    for number in range(since, moves):
        tree = tree_from(now.files)
        chosen = random.Random(f"{seed}/{number}")
        refused = tuple(_refused(tree, chosen, now))
        now = replace(moved(seed, number, tree, _wish(tree, chosen), now), refused=refused)
        yield now


def tree_from(files: Files, *, order: random.Random | None = None) -> Tree:
    """Reads a tree from its files, in any order."""
    names = list(files)
    if order is not None:
        order.shuffle(names)
    read = [_read(files[name]) for name in names]
    task = next(task_from(record) for record in read if record.kind == TASK_KIND)
    steps = [step_from(record) for record in read if record.kind != TASK_KIND]
    lineage = {record.id: before_of(record) for record in read if record.kind != TASK_KIND}
    return Tree(task=task, steps={step.id: step for step in steps if step}, lineage=lineage)


_KNOWN: dict[bytes, Record] = {}


def _read(content: bytes) -> Record:
    if content not in _KNOWN:
        _KNOWN[content] = read_record(content, path="work/x.md", registry=REGISTRY)
    return _KNOWN[content]


def word_of(step: Step) -> str:
    """Returns the word that stands in this step and in no other."""
    return f"w{step.id[-8:]}"


def founded(seed: int, *, constraints: tuple[str, ...] = ()) -> Committed:
    """Returns a task without steps."""
    name = derived_id("task", str(seed))
    task = Task(id=name, goal=f"Reach goal {seed}", constraints=constraints)
    return Committed(files={task.id: _task_bytes(task)}, current=(), failed=frozenset())


def moved(
    seed: int,
    number: int,
    tree: Tree,
    wish: Wish,
    before: Committed,
    *,
    worded: Worder | None = None,
) -> Committed:
    """Returns the commit of an allowed move, and what the simple model makes of it.

    Args:
        seed: Of the tree.
        number: Of the move.
        tree: As it is before.
        wish: The move.
        before: The commit before.
        worded: Gives each step its words; by default one that stands in no other step.
    """
    turns = wish.turns if isinstance(wish, Grow) else ()
    linkable = frozenset(name for turn in turns for name in turn.effects)
    denial = refusal(MoveCase(tree=tree, wish=wish, linkable=linkable))
    if denial is not None:
        raise AssertionError(f"{seed}/{number}: {denial}")

    def named(place: int) -> str:
        return derived_id("step", str(seed), str(number), str(place))

    setting = Setting(at=_at(number))
    said = (worded or _worded)(wish, named)
    made = [item.step for item in steps_for(tree, said, setting, named)]
    current, failed = before.current, before.failed
    if isinstance(wish, Revise):
        kept = current.index(wish.to) + 1 if wish.to else 0
        current, failed = current[:kept], failed | set(current[kept:])
    task = replace(tree.task, head=made[-1].id, before=made[-1].before)
    files = {step.id: _step_bytes(step, task.id) for step in made}
    return Committed(
        files={**before.files, **files, task.id: _task_bytes(task)},
        current=(*current, *(step.id for step in made)),
        failed=failed,
    )


def _worded(wish: Wish, named: Callable[[int], str]) -> Wish:
    """Gives each step its own word."""
    word = f"w{named(0)[-8:]}"
    match wish:
        case Grow(turns=turns):
            said = (replace(turn, text=f"w{named(place)[-8:]}") for place, turn in enumerate(turns))
            return Grow(turns=tuple(said))
        case Compress():
            return replace(wish, objective=word, result=word)
        case Maintain():
            return replace(wish, value=word)
        case Revise() | Finish():
            return wish


def _wish(tree: Tree, chosen: random.Random) -> Wish:
    """Chooses a move that the tree allows."""
    draw = chosen.random()
    if draw < 0.30 and len(tree.path) > 1:
        back = chosen.choice(["", *(step.id for step in tree.path[:-1])])
        return Revise(to=back, reason="failed", label=f"branch {chosen.randrange(1000)}")
    if draw < 0.45 and (ranges := tuple(_ranges(tree))):
        first, last = chosen.choice(ranges)
        return Compress(first=first, last=last, objective="x", result="x")
    if draw < 0.60 and tree.path:
        return Maintain(name=f"field{chosen.randrange(3)}", value="x")
    if draw < 0.75 and tree.open_calls:
        waiting = chosen.choice(tree.open_calls).id
        return Grow(turns=(TurnSaid(turn=Turn.RESULT, text="x", answers=waiting),))
    note, call = TurnSaid(turn=Turn.NOTE, text="x"), TurnSaid(turn=Turn.CALL, text="x")
    result = TurnSaid(turn=Turn.RESULT, text="x")
    return Grow(turns=chosen.choice([(note,), (call,), (call, result), (note, call, result)]))


def _ranges(tree: Tree) -> Iterator[tuple[str, str]]:
    turns = [step.id for step in tree.turns]
    for start, first in enumerate(turns):
        for last in turns[start:]:
            wish = Compress(first=first, last=last, objective="x", result="x")
            if refusal(MoveCase(tree=tree, wish=wish)) is None:
                yield first, last


def _refused(tree: Tree, chosen: random.Random, before: Committed) -> Iterator[str]:
    """Yields the codes with which what is not allowed is refused; each has to be."""
    wrong: list[Wish] = [Revise(to=tree.task.head, reason="x"), Finish(state=TaskState.OPEN)]
    for name in sorted(before.failed)[:2]:
        wrong += [
            Revise(to=name, reason="x"),
            Compress(first=name, last=name, objective="x", result="x"),
            Grow(turns=(TurnSaid(turn=Turn.RESULT, text="x", answers=name),)),
        ]
    for call, result in list(tree.results.items())[:1]:
        wrong.append(Compress(first=call, last=call, objective="x", result="x"))
        wrong.append(Grow(turns=(TurnSaid(turn=Turn.RESULT, text="x", answers=call),)))
        wrong.append(Compress(first=result.id, last=call, objective="x", result="x"))
    for wish in chosen.sample(wrong, k=min(3, len(wrong))):
        denial = refusal(MoveCase(tree=tree, wish=wish))
        yield denial.code if denial is not None else f"allowed: {wish}"


def _at(number: int) -> datetime:
    return NOW + timedelta(minutes=number)


def _step_bytes(step: Step, task: str) -> bytes:
    record = replace(step_record(step, task), scope=PROJECT, origin=origin_of(AGENT, step.text))
    return encode_record(record, REGISTRY)


def _task_bytes(task: Task) -> bytes:
    record = Record(
        kind=TASK_KIND,
        id=task.id,
        title=task.goal,
        scope=PROJECT,
        observed=NOW,
        origin=origin_of(AGENT, task.goal),
        fields=task_fields(task, {}),
    )
    return encode_record(record, REGISTRY)
