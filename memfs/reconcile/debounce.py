"""Turns a storm of hints into one burst: due after a quiet moment, or at the latest after a while.

Pure: instants come in as seconds of a monotonic clock. A burst too large to be worth a
list, or one during which hints were lost, asks for a full pass instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from memfs.model.frozen import frozen

QUIET_S: Final = 0.1
LATEST_S: Final = 1.0
MAX_PATHS: Final = 2000


@frozen
class Burst:
    """Hints that belong together.

    Attributes:
        paths: Paths relative to the store, a set of hints and no more.
        is_full: Everything has to be looked at; ``paths`` is then empty.
        first_at: When the first hint came.
        last_at: When the latest came.
        is_tick: No hint came; there is time for something else.
    """

    paths: frozenset[str]
    is_full: bool = False
    first_at: float
    last_at: float
    is_tick: bool = False

    @property
    def due_at(self) -> float:
        """The instant at which the burst is handed on unless another hint comes before."""
        return min(self.last_at + QUIET_S, self.first_at + LATEST_S)


def extend_burst(burst: Burst | None, paths: Iterable[str], *, at: float) -> Burst:
    """Returns the burst with these hints in it; begins one when there is none."""
    if burst is None:
        return _capped(Burst(paths=frozenset(paths), first_at=at, last_at=at))
    if burst.is_full:
        return replace(burst, last_at=at)
    return _capped(replace(burst, paths=burst.paths | frozenset(paths), last_at=at))


def overflow_burst(burst: Burst | None, *, at: float) -> Burst:
    """Returns a burst that asks for a full pass: hints were lost, or nobody was listening."""
    first_at = burst.first_at if burst is not None else at
    return Burst(paths=frozenset(), is_full=True, first_at=first_at, last_at=at)


def tick(*, at: float) -> Burst:
    """Returns the burst of a moment in which nothing was hinted at."""
    return Burst(paths=frozenset(), first_at=at, last_at=at, is_tick=True)


def is_due(burst: Burst, *, at: float) -> bool:
    """Tells whether the burst is to be handed on at this instant."""
    return at >= burst.due_at


def _capped(burst: Burst) -> Burst:
    if len(burst.paths) <= MAX_PATHS:
        return burst
    return replace(burst, paths=frozenset(), is_full=True)
