"""How threads ripen, how themes saturate and rest, and what priority that leaves (E50, E51).

Every figure is a threshold of :data:`THRESHOLDS`; all of them are this project's own choice, made
so that what is said on several days counts for more than what is said often on one, and none was
measured on people. Nothing that a memory says of its own ripeness is believed: support and
maturity are counted from the memories that stand behind a thread, whenever they are asked for.
Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.instants import parse_instant
from memfs.model.record import Record
from memfs.model.record_fields import text_field
from memfs.model.role import Lifecycle, Profile, lifecycle_of, number_of, profile_of
from memfs.model.text import normalise_text
from memfs.policy.reasons import reason
from memfs.policy.thresholds import Threshold

LEAST_SUPPORT: Final = 3
LEAST_MATURITY: Final = 0.55
NEW_DAY: Final = 0.25
SAME_DAY: Final = 0.125
QUIET_DAYS: Final = 14
SATURATING: Final = 0.2
SATURATED: Final = 0.7
HALF_LIFE_DAYS: Final = 3
DAMPING: Final = 0.6
REFRACTORY_SHARE: Final = 0.25
REFRACTORY_MINUTES: Final = 60
REFRACTORY_DAYS: Final = 7
HIGH_PRESSURE: Final = 0.7

THRESHOLDS: Final[tuple[Threshold, ...]] = (
    Threshold(name="support", value=LEAST_SUPPORT, says="memories behind a thread that is ripe"),
    Threshold(name="maturity", value=LEAST_MATURITY, says="maturity of a thread that is ripe"),
    Threshold(
        name="new day",
        value=NEW_DAY,
        says="what the first support of a day adds of what a thread lacks to be ripe",
    ),
    Threshold(
        name="same day", value=SAME_DAY, says="what each further support of that day adds of it"
    ),
    Threshold(
        name="quiet days", value=QUIET_DAYS, says="days without support; then a thread cools"
    ),
    Threshold(
        name="repetition",
        value=SATURATING,
        says="what each repetition adds of what a theme lacks to be saturated",
    ),
    Threshold(name="saturated", value=SATURATED, says="saturation from which on a theme rests"),
    Threshold(
        name="half-life days",
        value=HALF_LIFE_DAYS,
        says="days in which saturation halves by itself",
    ),
    Threshold(
        name="damping", value=DAMPING, says="what full saturation takes of the worth of a memory"
    ),
    Threshold(
        name="refractory share",
        value=REFRACTORY_SHARE,
        says="what a resting theme keeps of the rest",
    ),
    Threshold(
        name="refractory minutes",
        value=REFRACTORY_MINUTES,
        says="minutes that a pressure cools where nobody said how long",
    ),
    Threshold(
        name="refractory days", value=REFRACTORY_DAYS, says="days that anything cools at most"
    ),
    Threshold(
        name="high pressure",
        value=HIGH_PRESSURE,
        says="intensity from which on a pressure is high; an obligation always is",
    ),
)


def unit(value: float) -> float:
    """Returns a number as one from 0 to 1; what is no number counts as 0."""
    return min(1.0, max(0.0, value)) if math.isfinite(value) else 0.0


def instant_of(record: Record, name: str) -> datetime | None:
    """Returns a field that is an instant; ``None`` where it is missing or something else."""
    try:
        return parse_instant(text_field(record, name))
    except ValueError:
        return None


_ROUNDED: Final = 0.0002
"""What four digits may hide: a theme that rests until then does not rest any more then."""


# Saturation ----------------------------------------------------------------------------------


def saturation_at(record: Record, now: datetime) -> float:
    """Returns how saturated a memory is now, 0 to 1: what it was, less with each quiet day."""
    stored = unit(number_of(record, "saturation"))
    touched = instant_of(record, "touched") or record.observed
    if not stored or touched is None:
        return stored
    days = max(timedelta(), now - touched) / timedelta(days=1)
    return float(round(stored * 0.5 ** (days / HALF_LIFE_DAYS), 4))


def repeated(saturation: float, times: int = 1) -> float:
    """Returns a saturation after so many repetitions."""
    return round(1.0 - (1.0 - unit(saturation)) * (1.0 - SATURATING) ** times, 4)


def cooling_until(record: Record, now: datetime) -> datetime | None:
    """Returns until when a memory is not to come up; ``None`` where it may.

    No more than :data:`REFRACTORY_DAYS` from when it was touched are believed.
    """
    until = instant_of(record, "cooling_until")
    if until is None:
        return None
    touched = instant_of(record, "touched") or record.observed or now
    until = min(until, min(touched, now) + timedelta(days=REFRACTORY_DAYS))
    return until if until > now else None


def pressure_rests_until(record: Record, now: datetime) -> datetime | None:
    """Returns until when a pressure that cools rests; ``None`` for one that presses, or may again.

    Its time says so and not its state alone: one that nobody woke yet presses all the same.
    """
    if lifecycle_of(record) is not Lifecycle.COOLING:
        return None
    if instant_of(record, "cooling_until") is not None:
        return cooling_until(record, now)
    touched = instant_of(record, "touched") or record.observed or now
    until = min(touched, now) + timedelta(minutes=REFRACTORY_MINUTES)
    return until if until > now else None


@frozen
class Theme:
    """What memories of one target and topic come to together.

    Attributes:
        saturation: The greatest of theirs, as it is now.
        resting_until: Until when the theme rests; ``None`` where it does not.
    """

    saturation: float = 0.0
    resting_until: datetime | None = None

    @property
    def is_resting(self) -> bool:
        """Whether it is in its refractory time."""
        return self.resting_until is not None


NO_THEME: Final = Theme()


def theme_key(record: Record) -> str:
    """Returns what tells themes apart: target and topic, or, without a topic, target and claim."""
    about = text_field(record, "topic") or record.title
    return normalise_text(f"{text_field(record, 'target')} | {about}")


def theme_from(records: Iterable[Record], now: datetime) -> Theme:
    """Returns what memories of one theme come to; of those that are over, too: it was said."""
    every = tuple(records)
    most = max((saturation_at(item, now) for item in every), default=0.0)
    ends = [end for item in every if (end := cooling_until(item, now)) is not None]
    if most >= SATURATED:
        days = HALF_LIFE_DAYS * math.log2(most / (SATURATED - _ROUNDED))
        ends.append(now + timedelta(days=days))
    return Theme(saturation=most, resting_until=max(ends, default=None))


def themes_of(records: Iterable[Record], now: datetime) -> Mapping[str, Theme]:
    """Returns every theme by its key; see :func:`theme_key`."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(theme_key(record), []).append(record)
    return MappingProxyType({key: theme_from(items, now) for key, items in found.items()})


def is_high_pressure(record: Record) -> bool:
    """Tells whether a memory is a pressure that presses hard now, or an obligation."""
    if profile_of(record) is not Profile.AGENCY_PRESSURE:
        return False
    state = lifecycle_of(record)
    is_hard = unit(number_of(record, "intensity")) >= HIGH_PRESSURE
    return state is Lifecycle.OBLIGATED or (state is Lifecycle.ACTIVE and is_hard)


def priority_of(record: Record, now: datetime, theme: Theme = NO_THEME) -> float:
    """Returns how far up a memory comes, 0 to 1: its worth, less what its theme was said already.

    Worth is the salience, or the intensity of a pressure where that is more. Saturation takes
    from it, and a theme that rests keeps a share of the rest. An obligation keeps all of it.

    Args:
        record: A memory.
        now: The present, aware.
        theme: What its theme comes to; without one the memory alone counts.
    """
    worth = unit(number_of(record, "salience", 0.5))
    if profile_of(record) is Profile.AGENCY_PRESSURE:
        worth = max(worth, unit(number_of(record, "intensity")))
        if lifecycle_of(record) is Lifecycle.OBLIGATED:
            return round(worth, 4)
    own = theme_from((record,), now)
    left = worth * (1.0 - DAMPING * max(own.saturation, theme.saturation))
    if own.is_resting or theme.is_resting:
        left *= REFRACTORY_SHARE
    return round(left, 4)


# Ripeness ------------------------------------------------------------------------------------


@frozen
class Ripeness:
    """How ripe a thread is, counted from what stands behind it.

    Attributes:
        support: How many memories support it that are still there.
        maturity: 0 to 1; see :func:`maturity_of`.
        last: When the last of them was taken in, or the thread began.
        lacking: What it lacks to be promoted, by rows of the thresholds; empty where it is ripe.
    """

    support: int
    maturity: float
    last: datetime | None
    lacking: tuple[str, ...]

    @property
    def is_ripe(self) -> bool:
        """Whether it may be promoted."""
        return not self.lacking


def supports_of(thread: Record, memories: Mapping[str, Record]) -> tuple[Record, ...]:
    """Returns the memories that were taken into a thread and are still there, each once."""
    found = (memories.get(name) for name in dict.fromkeys(thread.derived_from))
    return tuple(
        item
        for item in found
        if item is not None
        and profile_of(item) is Profile.CONVERSATION
        and lifecycle_of(item) is Lifecycle.INCUBATED
    )


def maturity_of(supports: Iterable[Record]) -> float:
    """Returns how mature a thread of these supports is, 0 to 1.

    The first support of a day (UTC) adds a quarter of what is lacking, each further one of that
    day an eighth: three days bear out more than three words on one.
    """
    every = tuple(supports)
    days = len({item.observed.date() if item.observed else None for item in every})
    lacking = (1.0 - NEW_DAY) ** days * (1.0 - SAME_DAY) ** (len(every) - days)
    return round(1.0 - lacking, 4)


def ripeness_of(thread: Record, memories: Mapping[str, Record]) -> Ripeness:
    """Counts how ripe a thread is; what it says of that itself is not looked at."""
    supports = supports_of(thread, memories)
    maturity = maturity_of(supports)
    lacking = []
    if len(supports) < LEAST_SUPPORT:
        lacking.append(f"row support: {len(supports)} of {LEAST_SUPPORT}")
    if maturity < LEAST_MATURITY:
        lacking.append(f"row maturity: {maturity:.2f} of {LEAST_MATURITY:.2f}")
    times = [instant_of(item, "touched") or item.observed for item in supports]
    times.append(thread.observed)
    last = max((time for time in times if time is not None), default=None)
    return Ripeness(support=len(supports), maturity=maturity, last=last, lacking=tuple(lacking))


def check_ripe(thread: Record, memories: Mapping[str, Record]) -> Reason | None:
    """Returns why a thread is not promoted yet, or ``None``."""
    ripeness = ripeness_of(thread, memories)
    return None if ripeness.is_ripe else reason("role.unripe", "; ".join(ripeness.lacking))
