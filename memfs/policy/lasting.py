"""What is worth keeping in front of everybody: how a record was used, and what that comes to.

Being recalled raises no authority and admits nothing (A41): it orders what core memory shows and
decides what is *put forward* as lasting; whether that becomes a claim is decided by the promotion
table like anything else. Pure: the same uses and the same moment give the same numbers.
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Final

from memfs.model.authority import Authority
from memfs.model.event import EVENT_KIND
from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.settings import SleepSettings

WEIGHTS: Final = {
    "relevance": 0.30,
    "frequency": 0.25,
    "recency": 0.20,
    "diversity": 0.15,
    "importance": 0.10,
}
"""What a score is made of; each part is 0 to 1, and so is the sum."""
_MOST_IMPORTANT: Final = 10
_MANY: Final = 10
"""Recalls from which on more say nothing new."""
_DIVERSE: Final = 4
"""Different questions from which on more say nothing new."""
_HALF_LIFE: Final = timedelta(days=14)
_WORTH: Final = {
    Authority.USER: 1.0,
    Authority.OBSERVED: 0.9,
    Authority.WORKSPACE: 0.6,
    Authority.REMOTE: 0.4,
    Authority.UNVERIFIED: 0.3,
    Authority.NONE: 0.2,
}
"""The confidence that an authority can carry at most."""


@frozen
class Use:
    """How a record was used, by others than memfs itself.

    Attributes:
        recalls: Answers in which it was handed out.
        queries: Different questions among those; a question that is repeated counts once.
        nearness: Sum over those answers of one divided by its place in each: as many as
            recalls where it always came first.
        last: When it was handed out last; ``None`` where it never was.
    """

    recalls: int = 0
    queries: int = 0
    nearness: float = 0.0
    last: datetime | None = None


UNUSED: Final = Use()


def is_for_core(record: Record) -> bool:
    """Tells whether a record that programs are served may stand in front of every session.

    An event only where a person told it or accepted it. That memfs saw a commit or a run vouches
    for its being there; its title is written by whoever made it, for every session to read.
    """
    return record.kind != EVENT_KIND or (
        record.authority is not None and record.authority >= Authority.USER
    )


def parts_of(use: Use, importance: int, now: datetime) -> dict[str, float]:
    """Returns the parts of a record's score by name, each 0 to 1 and not yet weighted."""
    if use.recalls <= 0 or use.last is None:
        return dict.fromkeys(WEIGHTS, 0.0) | {"importance": importance / _MOST_IMPORTANT}
    age = max(timedelta(0), now - use.last)
    return {
        "relevance": min(1.0, use.nearness / use.recalls),
        "frequency": min(1.0, math.log1p(use.recalls) / math.log1p(_MANY)),
        "recency": 0.5 ** (age / _HALF_LIFE),
        "diversity": min(1.0, use.queries / _DIVERSE),
        "importance": importance / _MOST_IMPORTANT,
    }


def score_of(use: Use, importance: int, now: datetime) -> float:
    """Returns how much speaks for keeping a record, 0 to 1."""
    parts = parts_of(use, importance, now)
    return round(sum(WEIGHTS[name] * part for name, part in parts.items()), 6)


def gate_faults(use: Use, score: float, settings: SleepSettings) -> tuple[str, ...]:
    """Returns which of the three conditions do not hold, by name; empty where it passes (O37).

    All three are needed: ``score``, ``recalls``, ``queries``.
    """
    held = {
        "score": score >= settings.score,
        "recalls": use.recalls >= settings.recalls,
        "queries": use.queries >= settings.queries,
    }
    return tuple(name for name, holds in held.items() if not holds)


def confidence_of(record: Record) -> float:
    """Returns how far a record is believed: what it says itself, within what its authority carries.

    0 to 1. A record cannot make itself more believable than where it comes from.
    """
    worth = _WORTH[record.authority if record.authority is not None else Authority.NONE]
    return worth if record.confidence is None else min(worth, record.confidence)


def fact_weight(record: Record, use: Use) -> float:
    """Returns frequency × confidence (O19), 0 or more and without a unit.

    Frequency is one plus the binary logarithm of one more than the recalls, so that a fact that
    nobody recalled yet counts as recalled once.
    """
    return (1.0 + math.log2(1 + use.recalls)) * confidence_of(record)


def event_weight(record: Record, half_life_days: float) -> float:
    """Returns recency × importance (O19), as its logarithm to the base two.

    In half-lives since 1970, plus what the importance adds: only the order of two means something.
    Recency halves with each half-life, so that the order of two events is the same at any
    moment: nothing moves only because time passes.
    """
    happened = record.event_time or record.observed
    seconds = happened.timestamp() if happened is not None else 0.0
    half_lives = seconds / (half_life_days * 86_400)
    return half_lives + math.log2(max(1, record.importance))
