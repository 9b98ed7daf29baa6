"""How an intention moves, as one table, and what is to be done with it now (A70).

Everything here is pure: the state, what was sighted and the present decide, so that whoever
looks, and however often, comes to the same. No move does anything but say that somebody is to be
asked. What is not in the table is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memfs.model.decision import Decision, Reason, Verdict
from memfs.model.digests import content_digest
from memfs.model.frozen import frozen
from memfs.model.instants import format_instant
from memfs.model.intention import (
    EventTrigger,
    Intention,
    IntentionState,
    Occurrence,
    TimeTrigger,
)
from memfs.model.origin import Actor
from memfs.policy.authority import LIVE_CHANNELS
from memfs.policy.reasons import reason

SNOOZED: Final = "snoozed:"


class Action(StrEnum):
    """What makes an intention move."""

    ASK = "ask"
    BLOCK = "block"
    MISS = "miss"
    EXPIRE = "expire"
    DONE = "done"
    CANCEL = "cancel"
    SNOOZE = "snooze"
    REPLACE = "replace"

    @property
    def is_answer(self) -> bool:
        """Whether a person does it; the others follow from the time and what happened."""
        return self in (Action.DONE, Action.CANCEL, Action.SNOOZE, Action.REPLACE)


@frozen(kw_only=False)
class Row:
    """One legal move: from where, by what, and where to.

    ``again`` is where it goes instead while more occurrences are to come.
    """

    state: IntentionState
    action: Action
    to: IntentionState
    again: IntentionState | None = None

    @property
    def code(self) -> str:
        """The name of the row."""
        return f"{self.state}.{self.action}"


_S = IntentionState
_A = Action
TABLE: Final[tuple[Row, ...]] = (
    Row(_S.PENDING, _A.ASK, _S.DUE),
    Row(_S.PENDING, _A.BLOCK, _S.BLOCKED),
    Row(_S.PENDING, _A.MISS, _S.EXPIRED, _S.PENDING),
    Row(_S.PENDING, _A.EXPIRE, _S.EXPIRED),
    Row(_S.PENDING, _A.DONE, _S.COMPLETED, _S.PENDING),
    Row(_S.PENDING, _A.CANCEL, _S.CANCELLED),
    Row(_S.PENDING, _A.REPLACE, _S.SUPERSEDED),
    Row(_S.BLOCKED, _A.ASK, _S.DUE),
    Row(_S.BLOCKED, _A.BLOCK, _S.BLOCKED),
    Row(_S.BLOCKED, _A.MISS, _S.EXPIRED, _S.PENDING),
    Row(_S.BLOCKED, _A.EXPIRE, _S.EXPIRED),
    Row(_S.BLOCKED, _A.DONE, _S.COMPLETED, _S.PENDING),
    Row(_S.BLOCKED, _A.SNOOZE, _S.PENDING),
    Row(_S.BLOCKED, _A.CANCEL, _S.CANCELLED),
    Row(_S.BLOCKED, _A.REPLACE, _S.SUPERSEDED),
    Row(_S.DUE, _A.ASK, _S.DUE),
    Row(_S.DUE, _A.BLOCK, _S.BLOCKED),
    Row(_S.DUE, _A.MISS, _S.EXPIRED, _S.PENDING),
    Row(_S.DUE, _A.EXPIRE, _S.EXPIRED),
    Row(_S.DUE, _A.DONE, _S.COMPLETED, _S.PENDING),
    Row(_S.DUE, _A.SNOOZE, _S.PENDING),
    Row(_S.DUE, _A.CANCEL, _S.CANCELLED),
    Row(_S.DUE, _A.REPLACE, _S.SUPERSEDED),
)
"""Every legal move; a state that is not open is left by none of them."""
ROWS: Final[Mapping[tuple[IntentionState, Action], Row]] = MappingProxyType(
    {(row.state, row.action): row for row in TABLE}
)


@frozen
class Move:
    """One move, laid out.

    Attributes:
        row: The row of the table.
        after: The intention as it stands then.
        key: What makes it happen once, however many look at the same time; empty where the state
            of the record says so by itself.
    """

    row: Row
    after: Intention
    key: str = ""


def check_row(state: IntentionState, action: Action) -> Reason | None:
    """Returns why nothing moves so, with the row of the table that is missing; or ``None``."""
    if (state, action) in ROWS:
        return None
    return reason("intention.illegal-move", f"{state}.{action}")


def check_done(intention: Intention) -> Reason | None:
    """Returns why an intention cannot be said to be done: what repeats is done when it asks."""
    is_waiting = intention.state is IntentionState.PENDING and not intention.occurrence
    if is_waiting and intention.is_repeating:
        return reason("intention.not-due")
    return check_row(intention.state, Action.DONE)


def check_live(actor: Actor) -> Reason | None:
    """Returns why ``actor`` states no intention: a person who is there does; or ``None``."""
    if actor.principal.is_person and actor.channel in LIVE_CHANNELS:
        return None
    return reason("intention.live-person")


def decide_intention(decision: Decision, actor: Actor) -> Decision:
    """Returns a decision that admits an intention, unless it is accepted by nobody who is there."""
    denial = check_live(actor)
    if denial is None:
        return decision
    return Decision(
        verdict=Verdict.REJECT, rule=denial.code, reasons=(denial,), policy=decision.policy
    )


def next_move(
    intention: Intention, sighted: Sequence[Occurrence], now: datetime, *, is_free: bool
) -> Move | None:
    """Returns what is to be done with an intention now; ``None`` for nothing.

    However many occurrences were slept over, the newest that is still worth asking about is asked
    about alone; the others count as missed.

    Args:
        intention: As it stands.
        sighted: Every occurrence of a time, those to come too; of events and states what was seen.
        now: The present.
        is_free: Everything that it comes after is completed.
    """
    if not intention.state.is_open:
        return None
    if intention.ends is not None and now >= intention.ends:
        return _moved(intention, Action.EXPIRE)
    waiting = [item for item in sighted if not _is_taken(intention, item)]
    fresh = _fresh(intention, waiting, now)
    has_more = _has_more(intention, waiting, fresh)
    if fresh and _is_live(intention, fresh[-1].at, now):
        return _taken(intention, fresh, is_free=is_free)
    if not fresh:
        return _of_standing(intention, now, is_free=is_free, has_more=has_more)
    missed = _missed(_with_taken(intention, fresh), len(fresh))
    if _is_standing(intention, now):
        # What it asks about, or was put off, is worth it still: only these went by.
        return Move(row=ROWS[intention.state, Action.MISS], after=missed)
    unanswered = 1 if intention.occurrence else 0
    return _moved(_missed(missed, unanswered), Action.MISS, has_more=has_more)


def answered(
    intention: Intention,
    action: Action,
    *,
    has_more: bool = False,
    until: datetime | None = None,
) -> Move:
    """Returns the move that a person's answer is; the table has a row for it.

    Args:
        intention: As it stands.
        action: The answer.
        has_more: More occurrences are to come.
        until: Until when the question is put off.

    Raises:
        KeyError: No row allows it: a bug, :func:`check_row` was not asked.
    """
    if action is Action.SNOOZE:
        row = ROWS[intention.state, action]
        return Move(row=row, after=replace(intention, state=row.to, snoozed_until=until))
    return _moved(intention, action, has_more=has_more)


def has_more_after(intention: Intention, sighted: Sequence[Occurrence]) -> bool:
    """Tells whether occurrences are to come beyond the one that it asks about."""
    return _has_more(intention, [item for item in sighted if not _is_taken(intention, item)], ())


def occurrence_key(intention: Intention, occurrence: str) -> str:
    """Returns the key of the commit that marks an occurrence due: there is one, ever."""
    return content_digest("intention", f"{intention.id}\0{occurrence}".encode())


def _of_standing(
    intention: Intention, now: datetime, *, is_free: bool, has_more: bool
) -> Move | None:
    """Returns what becomes of the occurrence that it asks about already, or waits with."""
    if not intention.occurrence:
        return None if has_more else _moved(intention, Action.EXPIRE)
    until = intention.snoozed_until
    if until is not None and now < until:
        return None
    if not _is_standing(intention, now):
        return _moved(_missed(intention, 1), Action.MISS, has_more=has_more)
    if until is not None:
        return _asked_again(intention, until, is_free=is_free)
    if intention.state is IntentionState.BLOCKED and is_free:
        return _asked(intention)
    return None


def _fresh(
    intention: Intention, waiting: Sequence[Occurrence], now: datetime
) -> Sequence[Occurrence]:
    """Returns what came since somebody looked, in order; of events no more than it is about."""
    came = sorted((item for item in waiting if item.at <= now), key=lambda it: (it.at, it.key))
    trigger = intention.trigger
    if isinstance(trigger, EventTrigger):
        return came[: max(0, trigger.most - len(intention.taken))]
    return came


def _taken(intention: Intention, fresh: Sequence[Occurrence], *, is_free: bool) -> Move:
    """Asks about the newest of what came, or waits with it."""
    newest = fresh[-1]
    unanswered = len(fresh) - 1 + (1 if intention.occurrence else 0)
    turned = replace(
        _missed(_with_taken(intention, fresh), unanswered),
        occurrence=newest.key,
        due_at=newest.at,
        snoozed_until=None,
    )
    return _asked(turned) if is_free else _blocked(turned)


def _asked_again(intention: Intention, until: datetime, *, is_free: bool) -> Move:
    # It is asked about anew from then on: the window begins again.
    name = intention.occurrence.partition(f" {SNOOZED}")[0]
    occurrence = f"{name} {SNOOZED}{format_instant(until)}"
    turned = replace(intention, occurrence=occurrence, due_at=until, snoozed_until=None)
    return _asked(turned) if is_free else _blocked(turned)


def _asked(intention: Intention) -> Move:
    row = ROWS[intention.state, Action.ASK]
    return Move(
        row=row,
        after=replace(intention, state=row.to, asked=intention.asked + 1),
        key=occurrence_key(intention, intention.occurrence),
    )


def _blocked(intention: Intention) -> Move:
    row = ROWS[intention.state, Action.BLOCK]
    return Move(row=row, after=replace(intention, state=row.to))


def _moved(intention: Intention, action: Action, *, has_more: bool = False) -> Move:
    row = ROWS[intention.state, action]
    to = row.again if has_more and row.again is not None else row.to
    after = replace(intention, state=to, occurrence="", due_at=None, snoozed_until=None)
    return Move(row=row, after=after)


def _missed(intention: Intention, count: int) -> Intention:
    return replace(intention, missed=intention.missed + count)


def _with_taken(intention: Intention, fresh: Sequence[Occurrence]) -> Intention:
    if isinstance(intention.trigger, TimeTrigger):
        return replace(intention, last=max(item.key for item in fresh))
    return replace(intention, taken=(*intention.taken, *(item.key for item in fresh)))


def _is_taken(intention: Intention, item: Occurrence) -> bool:
    if isinstance(intention.trigger, TimeTrigger):
        # What the clock shows ascends, whatever becomes of the zone or of this machine's clock.
        return item.key <= intention.last
    return item.key in intention.taken


def _has_more(
    intention: Intention, waiting: Sequence[Occurrence], fresh: Sequence[Occurrence]
) -> bool:
    """Tells whether anything is to come besides ``fresh``."""
    match intention.trigger:
        case TimeTrigger():
            return len(waiting) > len(fresh)
        case EventTrigger(most=most):
            return len(intention.taken) + len(fresh) < most
        case _:
            return not intention.taken and not fresh


def _is_standing(intention: Intention, now: datetime) -> bool:
    """Tells whether an occurrence that it asks about, waits with or was put off is worth it."""
    came = intention.snoozed_until or intention.due_at
    return bool(intention.occurrence) and came is not None and _is_live(intention, came, now)


def _is_live(intention: Intention, came: datetime, now: datetime) -> bool:
    """Tells whether an occurrence is still worth asking about."""
    return intention.window is None or now < came + intention.window
