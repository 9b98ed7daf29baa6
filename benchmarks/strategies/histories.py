"""Seeded histories of tasks: the tree that memfs keeps of one, and the log that anybody keeps.

Made with the generator that the tests of execution use, with words of ordinary length: calls and
results, values of fields, summaries with open questions, effects, and branches that failed. What
is so in the end is known from that generator's simple model, not from what is measured.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from memfs.model.execution import (
    Compress,
    Grow,
    Maintain,
    Move,
    Revise,
    Step,
    Turn,
    TurnSaid,
    Wish,
)
from memfs.model.execution_tree import Tree
from memfs.model.ids import derived_id
from memfs.policy.execution_moves import MoveCase, refusal
from tests.support.execution_trees import Committed, founded, moved, tree_from

FIELDS: Final = ("target", "cause", "version", "owner")
_WORDS: Final = (
    "export", "resume", "nightly", "cursor", "retry", "queue", "schema", "offset", "worker",
    "timeout", "index", "batch", "harbour", "signal", "ledger", "mirror", "socket", "buffer",
    "parser", "token", "record", "lock", "merge", "branch", "cache", "header", "stream",
)  # fmt: skip
_TOOLS: Final = ("shell", "editor", "search")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One entry of a log: what was said, and by which step."""

    step: str
    text: str
    call: str = ""
    """The call that a result belongs to, or the call itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """One task: its tree, the log of it, and what is so in the end.

    Attributes:
        seed: Of the history.
        tree: As memfs keeps it.
        log: Everything that was said, in the order in which it was.
        fields: Value of each field that has one, as the current branch says.
        failed_values: Values that only failed branches say.
        questions: Those that current summaries leave open.
        effects: Those of current turns.
        constraints: What has to hold.
        failed: The word of each step that was left behind.
        pairs: Whole text of each call, and of its results: of one that counts, those that count.
    """

    seed: int
    tree: Tree
    log: tuple[Said, ...]
    fields: dict[str, str]
    failed_values: frozenset[str]
    questions: frozenset[str]
    effects: frozenset[str]
    constraints: tuple[str, ...]
    failed: frozenset[str]
    pairs: tuple[tuple[str, frozenset[str]], ...]


def history(seed: int, *, moves: int) -> History:
    """Returns one history; the same for the same seed and number of moves."""
    constraints = tuple(f"rule{seed}x{number} {_filler(f'{seed}/c{number}', 6)}" for number in "12")
    now = founded(seed, constraints=constraints)
    log = [Said(step="", text=f"Task: {tree_from(now.files).task.goal}")]
    log += [Said(step="", text=f"has to hold: {rule}") for rule in constraints]
    known: set[str] = set()
    for number in range(moves):
        tree = tree_from(now.files)
        chosen = random.Random(f"strategies/{seed}/{number}")
        wish = _wish(tree, chosen)
        now = moved(seed, number, tree, wish, now, worded=_worder(seed, number))
        after = tree_from(now.files)
        fresh = [step for step in after.steps.values() if step.id not in known]
        known |= {step.id for step in fresh}
        for step in sorted(fresh, key=lambda step: _place(step, after)):
            log += _entries(step, after)
    return _history(seed, now, tuple(log), constraints)


def _place(step: Step, tree: Tree) -> int:
    """Steps of one move stand behind each other on the way to the head."""
    return tree.way.index(step.id) if step.id in tree.way else -1


def word_of(step: str) -> str:
    """Returns the word that stands in one step and in no other."""
    return f"w{step[-10:]}"


def _worder(seed: int, number: int) -> Callable[[Wish, Callable[[int], str]], Wish]:
    def worded(wish: Wish, named: Callable[[int], str]) -> Wish:
        word = word_of(named(0))
        filler = _filler(f"{seed}/{number}", 24)
        match wish:
            case Grow(turns=turns):
                said = (
                    replace(turn, text=_turn_text(turn, word_of(named(place)), seed, number, place))
                    for place, turn in enumerate(turns)
                )
                return Grow(turns=tuple(said))
            case Compress():
                question = f"why does q{named(0)[-10:]} {_filler(f'{seed}/{number}/q', 4)}?"
                return replace(
                    wish, objective=f"{word} {filler[:30]}", result=filler, questions=(question,)
                )
            case Maintain():
                return replace(wish, value=word)
            case _:
                return wish

    return worded


def _turn_text(turn: TurnSaid, word: str, seed: int, number: int, place: int) -> str:
    words = {Turn.NOTE: 14, Turn.CALL: 6, Turn.RESULT: 30}[turn.turn]
    return f"{word} {_filler(f'{seed}/{number}/{place}', words)}"


def _filler(key: str, count: int) -> str:
    chosen = random.Random(key)
    return " ".join(chosen.choice(_WORDS) for _ in range(count))


def _wish(tree: Tree, chosen: random.Random) -> Wish:
    """Chooses a move that the tree allows."""
    draw = chosen.random()
    if draw < 0.15 and len(tree.path) > 6:
        back = chosen.choice(tree.path[len(tree.path) // 2 : -1]).id
        reason = f"it led nowhere: {_filler(str(chosen.random()), 5)}"
        return Revise(to=back, reason=reason, label=f"attempt {chosen.randrange(1000)}")
    if draw < 0.30 and (wish := _compression(tree)) is not None:
        return wish
    if draw < 0.50 and tree.path:
        return Maintain(name=chosen.choice(FIELDS), value="x")
    if draw < 0.60 and tree.open_calls:
        waiting = chosen.choice(tree.open_calls).id
        return Grow(turns=(TurnSaid(turn=Turn.RESULT, text="x", answers=waiting),))
    tool = chosen.choice(_TOOLS)
    has_effect = chosen.random() < 0.3
    effects = (derived_id("run", str(chosen.random())),) if has_effect else ()
    note = TurnSaid(turn=Turn.NOTE, text="x")
    call = TurnSaid(turn=Turn.CALL, text="x", tool=tool, effects=effects)
    result = TurnSaid(turn=Turn.RESULT, text="x")
    return Grow(turns=chosen.choice([(note,), (call,), (call, result), (note, call, result)]))


def _compression(tree: Tree) -> Wish | None:
    """Sums up the oldest turns that no summary stands for, all but the last few."""
    turns = [step.id for step in tree.turns if step.id not in tree.covered]
    for last in reversed(turns[3:-4]):
        wish = Compress(first=turns[0], last=last, objective="x", result="x")
        if refusal(MoveCase(tree=tree, wish=wish)) is None:
            return wish
    return None


def _entries(step: Step, tree: Tree) -> Iterator[Said]:
    """Yields what a log has of a step: the words, in the order in which they were said."""
    match step.move:
        case Move.GROW:
            call = step.answers or (step.id if step.turn is Turn.CALL else "")
            lines = [f"{step.turn}{f' {step.tool}' if step.tool else ''}: {step.text}"]
            lines += [f"effect: {name}" for name in step.effects]
            yield Said(step=step.id, text="\n".join(lines), call=call)
        case Move.COMPRESS:
            asked = "".join(f"\nopen: {question}" for question in step.questions)
            yield Said(step=step.id, text=f"summary: {step.objective}\n{step.text}{asked}")
        case Move.MAINTAIN:
            yield Said(step=step.id, text=f"{step.name} = {step.value}")
        case Move.REVISE:
            # A log says at this place alone that something failed; which entries, it says by name.
            back = tree.steps[step.before[0]].title if step.before else "the beginning"
            yield Said(
                step="", text=f"went back to: {back[:40]}\nfailed: {step.label}: {step.text}"
            )
        case Move.FINISH:
            return


def _history(
    seed: int, now: Committed, log: tuple[Said, ...], constraints: tuple[str, ...]
) -> History:
    tree = tree_from(now.files)
    current = [tree.steps[name] for name in now.current]
    said = {step.name: step.value for step in current if step.move is Move.MAINTAIN}
    values = frozenset(s.value for s in tree.steps.values() if s.move is Move.MAINTAIN)
    asked = (q for step in tree.summaries for q in step.questions)
    left = [tree.steps[name] for name in now.failed]
    return History(
        seed=seed,
        tree=tree,
        log=log,
        fields=said,
        failed_values=values - {s.value for s in current if s.move is Move.MAINTAIN},
        questions=frozenset(question.split()[2] for question in asked),
        effects=frozenset(name for step in current for name in step.effects),
        constraints=constraints,
        failed=frozenset(word_of(step.id) for step in left if step.move is not Move.REVISE),
        pairs=tuple(_pairs(tree, frozenset(now.current))),
    )


def _pairs(tree: Tree, current: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yields each call that was answered: a call that counts by a result that does."""
    answers: dict[str, list[Step]] = {}
    for step in tree.steps.values():
        if step.turn is Turn.RESULT:
            answers.setdefault(step.answers, []).append(step)
    for call, results in answers.items():
        counting = [step for step in results if call not in current or step.id in current]
        if counting and call in tree.steps:
            yield tree.steps[call].text, frozenset(step.text for step in counting)
