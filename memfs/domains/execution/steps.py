"""From a wish to the steps that it adds: words as they may be kept, each behind the one before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, assert_never

from memfs.domains.execution.records import title_of
from memfs.model.execution import (
    Compress,
    Finish,
    Grow,
    Maintain,
    Move,
    Revise,
    Step,
    Turn,
    TurnSaid,
    Wish,
)
from memfs.model.execution_tree import Tree, known_before
from memfs.model.limits import BODY_BYTES, LINE_CHARS
from memfs.policy.execution_moves import answered_calls, sources_of
from memfs.services.word_screen import NOT_KEPT, WordScreen

QUESTIONS: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where and when steps are taken, the same for all of one wish.

    Attributes:
        at: When.
        commit: Commit of the project that is checked out; empty when unknown.
        run: The run that takes them; empty for none.
        is_person: A person takes them on a channel where people decide.
    """

    at: datetime
    commit: str = ""
    run: str = ""
    is_person: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStep:
    """A step that is to be written, and what was left out of its words."""

    step: Step
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Words(WordScreen):
    """Keeps what may be kept of a step, and counts the rest."""

    def text(self, text: str) -> str:
        """Returns the lines of a text that may be kept."""
        # A line feed is put behind it, and the whole has to be within the limit of a body.
        return self.kept(text).encode("utf-8")[: BODY_BYTES - 1].decode("utf-8", "ignore")

    def lines(self, texts: Iterable[str], most: int = QUESTIONS) -> tuple[str, ...]:
        """Returns the lines that may be kept."""
        kept = (self.line(text, LINE_CHARS) for text in texts)
        return tuple(line for line in kept if line)[:most]


def steps_for(
    tree: Tree, wish: Wish, setting: Setting, new_id: Callable[[int], str]
) -> tuple[NewStep, ...]:
    """Returns the steps that an allowed wish adds, in order; none for one that only closes.

    Args:
        tree: The task at its head.
        wish: What is asked; the table has nothing against it.
        setting: Where and when.
        new_id: Gives the id of the step of that number.
    """
    words = Words(setting.is_person)
    made: tuple[Step, ...]
    match wish:
        case Grow():
            return _grown(tree, wish, setting, new_id)
        case Compress():
            made = (_summary(tree, wish, words),)
        case Maintain():
            made = (_field(wish, words),)
        case Revise():
            made = (_revision(tree, wish, words),)
        case Finish():
            made = ()
        case _:
            assert_never(wish)
    before = known_before(tree.task.head, tree.task.before)
    if isinstance(wish, Revise):
        before = known_before(wish.to, tree.lineage.get(wish.to, ()))
    placed = (
        replace(_placed(step, setting), id=new_id(number), before=before)
        for number, step in enumerate(made)
    )
    return tuple(NewStep(step=step, notes=words.notes) for step in placed)


def without_words(new: NewStep, code: str) -> NewStep:
    """Returns a step of whose words nothing is kept, with the code that says why."""
    step = new.step
    bare = replace(
        step,
        title=NOT_KEPT,
        text="",
        tool="",
        objective=NOT_KEPT if step.objective else "",
        questions=(),
        value=NOT_KEPT if step.value else "",
        checks=(),
        label=NOT_KEPT if step.label else "",
    )
    return NewStep(step=bare, notes=(*new.notes, f"{code}: 1 left out"))


def _grown(
    tree: Tree, wish: Grow, setting: Setting, new_id: Callable[[int], str]
) -> tuple[NewStep, ...]:
    calls = answered_calls(tree, wish)
    before = known_before(tree.task.head, tree.task.before)
    made: list[NewStep] = []
    for number, (said, call) in enumerate(zip(wish.turns, calls, strict=True)):
        words = Words(setting.is_person)
        answers = made[call].step.id if isinstance(call, int) else call
        step = _turn(said, answers, words)
        step = replace(_placed(step, setting), id=new_id(number), before=before)
        made.append(NewStep(step=step, notes=words.notes))
        before = known_before(step.id, before)
    return tuple(made)


def _turn(said: TurnSaid, answers: str, words: Words) -> Step:
    text, tool = words.text(said.text), words.line(said.tool, 100)
    title = title_of(text) or NOT_KEPT
    return Step(
        id="",
        move=Move.GROW,
        turn=said.turn,
        title=title_of(f"{tool}: {title}") if tool else title,
        text=text,
        tool=tool if said.turn is Turn.CALL else "",
        answers=answers,
        effects=tuple(dict.fromkeys(said.effects)),
        compensates=said.compensates,
    )


def _summary(tree: Tree, wish: Compress, words: Words) -> Step:
    """Every effect of the range is named by its summary, whatever the summary says."""
    sources = sources_of(tree, wish)
    objective = words.line(wish.objective, LINE_CHARS) or NOT_KEPT
    return Step(
        id="",
        move=Move.COMPRESS,
        title=title_of(objective),
        text=words.text(wish.result),
        first=wish.first,
        last=wish.last,
        sources=tuple(step.id for step in sources),
        objective=objective,
        questions=words.lines(wish.questions),
        effects=tuple(dict.fromkeys(name for step in sources for name in step.effects)),
    )


def _field(wish: Maintain, words: Words) -> Step:
    name, value = (
        words.line(wish.name, 100) or NOT_KEPT,
        words.line(wish.value, LINE_CHARS) or NOT_KEPT,
    )
    return Step(
        id="",
        move=Move.MAINTAIN,
        title=title_of(f"{name} = {value}"),
        name=name,
        value=value,
        checks=wish.checks,
        evidence=wish.evidence,
    )


def _revision(tree: Tree, wish: Revise, words: Words) -> Step:
    why = words.text(wish.reason)
    label = words.line(wish.label, 100) or title_of(why) or NOT_KEPT
    return Step(
        id="",
        move=Move.REVISE,
        title=title_of(label),
        text=why,
        failed=tree.task.head,
        label=label,
    )


def _placed(step: Step, setting: Setting) -> Step:
    return replace(step, at=setting.at, commit=setting.commit, run=setting.run)
