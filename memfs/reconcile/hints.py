"""Collects hints from any thread and gives them out as bursts to one.

A hint is a path that may have changed. Taking one in costs a set insertion, so that a
storm of events never waits for the work that it causes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from memfs.reconcile.debounce import Burst, extend_burst, is_due, overflow_burst


class Hints:
    """The hand-over between those who notice and the one who looks.

    Args:
        clock: Seconds of a monotonic clock.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._burst: Burst | None = None
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """Whether nobody will take bursts any more."""
        return self._is_closed

    def add(self, path: str) -> None:
        """Takes in one path, relative to the store."""
        with self._changed:
            self._burst = extend_burst(self._burst, (path,), at=self._clock())
            self._changed.notify_all()

    def lose(self) -> None:
        """Takes in that hints may have been lost: the next burst asks for a full pass."""
        with self._changed:
            self._burst = overflow_burst(self._burst, at=self._clock())
            self._changed.notify_all()

    def take(self) -> Burst | None:
        """Returns the burst that is due, once; ``None`` while there is none."""
        with self._changed:
            burst = self._burst
            if burst is None or not is_due(burst, at=self._clock()):
                return None
            self._burst = None
            return burst

    def wait(self, longest_s: float) -> None:
        """Waits until a burst may be due, a hint arrives, or ``longest_s`` have passed."""
        with self._changed:
            if self._is_closed:
                return
            due_in_s = longest_s if self._burst is None else self._burst.due_at - self._clock()
            self._changed.wait(max(0.0, min(longest_s, due_in_s)))

    def close(self) -> None:
        """Wakes whoever waits, for the last time."""
        # A reentrant lock: a signal handler may call this while the same thread waits.
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
