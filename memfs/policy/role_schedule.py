"""When a role rests: how much presses it to, how long between naps, and what a rest does (E53).

Awake, nothing is to be done. Drowsy, a nap is due: what stands is settled and what is alike is
put together. Asleep, a sleep is due: every short-term memory is accounted for. The figures of
:data:`THRESHOLDS` are this project's own choice; the bound of fifty is how many memories one
operation may name. Pure; which instant a night begins at is said by ``services.nightly``.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.role import Profile, profile_of
from memfs.policy.role_lifecycle import is_open
from memfs.policy.role_ripening import unit
from memfs.policy.thresholds import Threshold

FULL_AT: Final = 50
LONGEST_MINUTES: Final = 360
SHORTEST_MINUTES: Final = 90
EARLY_MINUTES: Final = 240
THRESHOLDS: Final[tuple[Threshold, ...]] = (
    Threshold(name="full", value=FULL_AT, says="open short-term memories at which pressure is 1"),
    Threshold(
        name="longest",
        value=LONGEST_MINUTES,
        says="minutes between naps where next to nothing presses",
    ),
    Threshold(
        name="shortest", value=SHORTEST_MINUTES, says="minutes between naps at full pressure"
    ),
    Threshold(
        name="early",
        value=EARLY_MINUTES,
        says="minutes after a sleep from which on full pressure is slept off before the night",
    ),
)


class Cycle(StrEnum):
    """How a role is, between being at work and asleep."""

    AWAKE = "awake"
    """Nothing is due."""
    DROWSY = "drowsy"
    """A nap is due: settle, and put together what is alike."""
    ASLEEP = "asleep"
    """A sleep is due: every short-term memory is accounted for."""


@frozen
class Schedule:
    """When a role rests next.

    Attributes:
        cycle: How it is now.
        is_nap_due: Whether a nap is due now; never while a sleep is.
        next_nap: When one is; ``None`` where nothing presses, or the sleep comes first.
        next_sleep: When a sleep is; not after the present where it is due.
    """

    cycle: Cycle
    is_nap_due: bool
    next_nap: datetime | None
    next_sleep: datetime


def short_term_pressure(records: Iterable[Record]) -> float:
    """Returns how much presses a role to rest, 0 to 1: its open short-term memories."""
    count = sum(1 for item in records if profile_of(item) is Profile.CONVERSATION and is_open(item))
    return min(1.0, count / FULL_AT)


def nap_interval(pressure: float) -> timedelta:
    """Returns the time between two rests; the more presses, the shorter."""
    span = (LONGEST_MINUTES - SHORTEST_MINUTES) * unit(pressure)
    return timedelta(minutes=LONGEST_MINUTES - span)


def schedule_from(
    *,
    last_sleep: datetime | None,
    last_nap: datetime | None,
    pressure: float,
    now: datetime,
    due_night: datetime | None,
    next_night: datetime,
    began: datetime | None = None,
) -> Schedule:
    """Says when a role rests next. Elapsed time alone counts, so no clock on a wall shifts it.

    Args:
        last_sleep: When it slept last; ``None`` for never. Aware, like every instant here.
        last_nap: When it napped last; ``None`` for never.
        pressure: See :func:`short_term_pressure`.
        now: The present.
        due_night: When the night began that it has not slept in yet; ``None`` where it has.
        next_night: When the next one begins, after ``now``.
        began: When it remembered anything first: it counts as rested then.
    """
    sleep = due_night or next_night
    if unit(pressure) >= 1.0:
        sleep = min(sleep, last_sleep + timedelta(minutes=EARLY_MINUTES) if last_sleep else now)
    if sleep <= now:
        return Schedule(cycle=Cycle.ASLEEP, is_nap_due=False, next_nap=None, next_sleep=sleep)
    rests = [rest for rest in (last_sleep, last_nap, began) if rest is not None]
    nap = max(rests) + nap_interval(pressure) if rests else now
    if unit(pressure) <= 0.0 or nap >= sleep:
        return Schedule(cycle=Cycle.AWAKE, is_nap_due=False, next_nap=None, next_sleep=sleep)
    is_due = nap <= now
    return Schedule(
        cycle=Cycle.DROWSY if is_due else Cycle.AWAKE,
        is_nap_due=is_due,
        next_nap=nap,
        next_sleep=sleep,
    )
