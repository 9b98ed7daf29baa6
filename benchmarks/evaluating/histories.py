"""What every mode is given: a history of deeds, and questions whose answers are known.

A history is what happened between people, an agent and tools of one project, in order. A mode
takes it in as it would in life and hands a context to whoever asks; nothing here knows of modes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final

AGENT: Final = "builder"
"""The agent that asks every question."""
REVIEWER: Final = "reviewer"
"""Another agent, whose private matters are no business of the one that asks."""
TOOL: Final = "tool"
PEOPLE: Final = ("ana", "ben")


class Verb(StrEnum):
    """What somebody does."""

    SAY = "say"
    CORRECT = "correct"
    FORGET = "forget"
    NOTE = "note"
    ACCEPT = "accept"
    PRINT = "print"
    RELATE = "relate"
    TRY = "try"


class Rule(StrEnum):
    """How the reader gets from what was found to its answer.

    ``newest`` of all that fit, the ``first`` that has not failed, ``both`` sides, the ``when`` of
    the newest, the one ``at`` a moment or the last before it, the one ``on`` a day, and ``every``
    text, word for word.
    """

    NEWEST = "newest"
    FIRST = "first"
    BOTH = "both"
    WHEN = "when"
    AT = "at"
    ON = "on"
    EVERY = "every"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One thing that was done.

    Attributes:
        verb: What.
        name: Name of what comes of it, in this history.
        at: When.
        speaker: One of :data:`PEOPLE`, the agent or a tool.
        text: The words.
        kind: Kind of the record that it becomes.
        subject: What it is about, as the host knows; empty where it does not.
        of: Names of what it corrects, forgets, accepts, tried or was made from.
        scope: Whose it is; empty for everybody's in the project.
        since: Since when it holds, where that is told.
        ends: The two ends and the relation, of an edge.
        result: ``success`` or ``failure``, of a trial.
    """

    verb: Verb
    name: str
    at: datetime
    speaker: str = PEOPLE[0]
    text: str = ""
    kind: str = "fact"
    subject: str = ""
    of: tuple[str, ...] = ()
    scope: str = ""
    since: date | None = None
    ends: tuple[str, str, str] | None = None
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of the agent.

    Attributes:
        name: Unique in its history.
        kind: What it tries, such as ``corrected``.
        text: As asked.
        about: The thing that it is about.
        wordings: Any of these names what is asked of it.
        shape: Pattern of a value that can be the answer.
        rule: How the answer is found.
        gold: The right values; none where the right answer is to have none.
        evidence: Names of the deeds that answer it.
        stale: Values that held before.
        withdrawn: Values that were taken back.
        foreign: Values that belong to others.
        poisoned: Values that only a tool's text brought in.
        on: The day that is asked about.
    """

    name: str
    kind: str
    text: str
    about: str
    wordings: tuple[str, ...]
    shape: str
    rule: Rule = Rule.NEWEST
    gold: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    poisoned: tuple[str, ...] = ()
    on: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What happened, and what is asked afterwards."""

    seed: int
    deeds: tuple[Deed, ...]
    questions: tuple[Question, ...]
    asked_at: datetime
