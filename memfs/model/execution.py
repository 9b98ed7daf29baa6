"""Execution state: a task, the steps that were taken in it, and what is asked of it (A64).

A step is never changed. A task has one head, the step that it stands at; what leads to the head
is what counts, and every other step belongs to a branch that was left behind.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias

from memfs.model.evidence import Check
from memfs.model.frozen import frozen

TASK_KIND: Final = "task"
STEP_KIND: Final = "step"
TASK_PREFIX: Final = "task"
STEP_PREFIX: Final = "step"
EXECUTION_KINDS: Final = frozenset({TASK_KIND, STEP_KIND})
MOVED_FIELDS: Final = ("state", "head", "before")
"""What moves change in the file of a task, and nobody else."""
KNOWN_BEFORE: Final = 8
"""So many of the steps before it a step names: the way goes on where a few of them are gone."""


class Move(StrEnum):
    """What can be done to a task that is open; all but ``finish`` add steps."""

    GROW = "grow"
    COMPRESS = "compress"
    MAINTAIN = "maintain"
    REVISE = "revise"
    FINISH = "finish"


class Turn(StrEnum):
    """What a step that was grown is."""

    NOTE = "note"
    CALL = "call"
    RESULT = "result"


class TaskState(StrEnum):
    """How a task stands."""

    OPEN = "open"
    DONE = "done"
    ABANDONED = "abandoned"

    @property
    def is_closed(self) -> bool:
        """Whether no step can follow."""
        return self is not TaskState.OPEN


class Standing(StrEnum):
    """How far the value of a field can be relied on."""

    VERIFIED = "verified"
    """A deterministic verifier finds it so now."""
    UNVERIFIED = "unverified"
    """Somebody said so."""
    CONFLICTING = "conflicting"
    """A verifier finds it otherwise, or a verified value says otherwise."""


@frozen
class Step:
    """One step of a task.

    Attributes:
        id: ``step_…``.
        move: What added it.
        title: One line.
        text: Its words: of a turn the exact text, of a summary the result, of a revision why
            the branch failed.
        before: Ids of the steps before it, nearest first, at most eight; empty for the first.
        turn: What a grown step is; ``None`` for the others.
        tool: Which tool was called.
        answers: The call that a result belongs to.
        effects: Ids of records that tell what was done outside; never how that ended.
        compensates: The effect that the effects of this step make up for.
        commit: Commit of the project that was checked out; empty when unknown.
        run: The run in which it was taken; empty for none.
        first: First step of a range that was compressed.
        last: Last step of it.
        sources: Every step of it, in order.
        objective: What those steps were to reach.
        questions: What they left open.
        name: Field that is maintained.
        value: Its value.
        checks: What can be looked up of it.
        evidence: Observations that it cites.
        failed: Tip of the branch that was left behind; empty for none.
        label: What that branch is called.
        at: When it was taken.
        by: Who took it.
    """

    id: str
    move: Move
    title: str = ""
    text: str = ""
    before: tuple[str, ...] = ()
    turn: Turn | None = None
    tool: str = ""
    answers: str = ""
    effects: tuple[str, ...] = ()
    compensates: str = ""
    commit: str = ""
    run: str = ""
    first: str = ""
    last: str = ""
    sources: tuple[str, ...] = ()
    objective: str = ""
    questions: tuple[str, ...] = ()
    name: str = ""
    value: str = ""
    checks: tuple[Check, ...] = ()
    evidence: tuple[str, ...] = ()
    failed: str = ""
    label: str = ""
    at: datetime | None = None
    by: str = ""


@frozen
class Task:
    """What is to be reached, and where that stands.

    Attributes:
        id: ``task_…``.
        goal: One line.
        detail: Further words.
        constraints: What has to hold: words, or the id of a record that says it.
        state: How it stands.
        head: The step that it stands at; empty before the first.
        before: Steps before the head, nearest first, at most eight.
    """

    id: str
    goal: str
    detail: str = ""
    constraints: tuple[str, ...] = ()
    state: TaskState = TaskState.OPEN
    head: str = ""
    before: tuple[str, ...] = ()


@frozen
class TurnSaid:
    """One turn that somebody adds.

    Attributes:
        turn: What it is.
        text: Its exact words.
        tool: Which tool a call is of.
        answers: The call that a result belongs to; empty for the one that waits for a result.
        effects: Ids of records that tell what was done outside.
        compensates: The effect that these make up for.
    """

    turn: Turn
    text: str
    tool: str = ""
    answers: str = ""
    effects: tuple[str, ...] = ()
    compensates: str = ""


@frozen
class Grow:
    """Adds turns behind the head, all of them or none."""

    turns: tuple[TurnSaid, ...]


@frozen
class Compress:
    """Puts a summary in the place of a range of turns; they stay where they are.

    Attributes:
        first: First step of the range.
        last: Last step of it.
        objective: What those steps were to reach.
        result: What came of them.
        questions: What they left open.
    """

    first: str
    last: str
    objective: str
    result: str
    questions: tuple[str, ...] = ()


@frozen
class Maintain:
    """Says what the value of a field is, and what can be looked up of it."""

    name: str
    value: str
    checks: tuple[Check, ...] = ()
    evidence: tuple[str, ...] = ()


@frozen
class Revise:
    """Goes back to an earlier step; what came after it failed, is labelled and stays.

    Attributes:
        to: The step to go back to; empty for before the first.
        reason: Why the branch failed.
        label: What it is called.
    """

    to: str
    reason: str
    label: str = ""


@frozen
class Finish:
    """Closes a task."""

    state: TaskState


Wish: TypeAlias = Grow | Compress | Maintain | Revise | Finish


def move_of(wish: Wish) -> Move:
    """Returns which move a wish asks for."""
    match wish:
        case Grow():
            return Move.GROW
        case Compress():
            return Move.COMPRESS
        case Maintain():
            return Move.MAINTAIN
        case Revise():
            return Move.REVISE
        case Finish():
            return Move.FINISH
