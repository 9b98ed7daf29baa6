"""An intention: what a person wants to be asked about later, when it is due (A70).

An intention never does anything. It says when to ask, and how it stands.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from memfs.model.frozen import frozen

INTENTION_KIND: Final = "intention"
INTENTION_FOLDER: Final = "intentions"
INTENTION_PREFIX: Final = "intent"
MOST_OCCURRENCES: Final = 1_000
"""So often one intention asks at most."""
HORIZON: Final = timedelta(days=3_660)
"""So far after its first time an intention reaches at most: ten years."""


class IntentionState(StrEnum):
    """How an intention stands."""

    PENDING = "pending"
    DUE = "due"
    BLOCKED = "blocked"
    """Its time has come, and what it waits for has not been completed."""
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"

    @property
    def is_open(self) -> bool:
        """Whether it still waits for something: its time, what it depends on, or an answer."""
        return self in (IntentionState.PENDING, IntentionState.DUE, IntentionState.BLOCKED)


OPEN_STATES: Final = frozenset(state for state in IntentionState if state.is_open)


class EventSource(StrEnum):
    """What an event that an intention waits for is one of."""

    RUN = "run"
    ISSUE = "issue"
    TIMELINE = "timeline"


class StateSource(StrEnum):
    """What a state that an intention waits for is one of."""

    PATH = "path"
    ISSUE = "issue"
    COMMIT = "commit"


@frozen
class TimeTrigger:
    """A time: one instant, or a time on the clock of a zone that may come again.

    Attributes:
        at: The instant, in UTC; ``None`` where it is said by a clock.
        local: What that clock shows, naive; ``None`` where an instant is said.
        zone: Name of its zone, such as ``Europe/Amsterdam``.
        rrule: How it comes again, as RFC 5545 writes it; empty for once.
    """

    at: datetime | None = None
    local: datetime | None = None
    zone: str = ""
    rrule: str = ""


@frozen
class EventTrigger:
    """Something that happens: every field that is named is as it says.

    Attributes:
        of: What it is an event of.
        match: Field and value, ordered by field.
        most: So many of them are asked about.
    """

    of: EventSource
    match: tuple[tuple[str, str], ...] = ()
    most: int = 1


@frozen
class StateTrigger:
    """A state that holds when somebody looks, asked about once.

    Attributes:
        of: What it is the state of.
        what: A path of the project, the id of an issue, or the id of a commit.
        holds: ``present`` or ``absent`` of a path; the state of an issue; the branch that has
            the commit.
    """

    of: StateSource
    what: str
    holds: str


Trigger = TimeTrigger | EventTrigger | StateTrigger


@frozen
class Occurrence:
    """One time at which an intention is to ask, or one event or state that it asks about.

    Attributes:
        key: What makes it this occurrence: the instant, or what the clock of the zone shows, the
            id of an event, or the state. Keys of times ascend with them.
        at: When it came or comes, UTC.
    """

    key: str
    at: datetime


@frozen
class Intention:
    """An intention as its record says it.

    Attributes:
        id: ``intent_…``.
        state: How it stands.
        trigger: When it is to ask.
        created: When it was stated.
        window: How long after it came an occurrence is worth asking about; ``None`` for always.
        ends: When it ends, whatever came of it; ``None`` for never.
        after: Ids of intentions that have to be completed, or issues that have to be closed, first.
        occurrence: The occurrence that it asks about, waits with, or was put off; empty for none.
        due_at: When that came.
        last: The newest time that was looked at; empty before the first.
        taken: The events that were looked at.
        asked: How often it asked.
        missed: How many occurrences went by without an answer.
        snoozed_until: Until when the question was put off; ``None`` where it was not.
    """

    id: str
    state: IntentionState
    trigger: Trigger
    created: datetime
    window: timedelta | None = None
    ends: datetime | None = None
    after: tuple[str, ...] = ()
    occurrence: str = ""
    due_at: datetime | None = None
    last: str = ""
    taken: tuple[str, ...] = ()
    asked: int = 0
    missed: int = 0
    snoozed_until: datetime | None = None

    @property
    def is_repeating(self) -> bool:
        """Whether it may ask more than once."""
        match self.trigger:
            case TimeTrigger(rrule=rrule):
                return bool(rrule)
            case EventTrigger(most=most):
                return most > 1
            case _:
                return False
