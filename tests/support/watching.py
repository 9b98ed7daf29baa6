"""A watcher in a thread of its own, whose bursts a test waits for."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from memfs.reconcile.debounce import Burst
from memfs.reconcile.watcher import Watcher, WatchMode

PATIENCE_S = 30.0
"""Only bounds a test that has failed; nothing is measured against it."""


class Watched:
    """The bursts of one running watcher."""

    def __init__(self, watcher: Watcher, bursts: queue.Queue[Burst]) -> None:
        self.watcher = watcher
        self._bursts = bursts

    def next(self) -> Burst:
        """Returns the next burst, waiting for it."""
        return self._bursts.get(timeout=PATIENCE_S)

    def until(self, is_met: Callable[[Burst], bool]) -> Burst:
        """Returns the first burst that is meant; a machine under load may cut storms in two."""
        while not is_met(burst := self.next()):
            pass
        return burst


@contextmanager
def watching(
    root: Path, *, folders: tuple[str, ...] = ("records",), mode: WatchMode = WatchMode.NATIVE
) -> Iterator[Watched]:
    """Runs a watcher until the block ends, and gives out its bursts after the first."""
    bursts: queue.Queue[Burst] = queue.Queue()
    watcher = Watcher(root, folders=folders, mode=mode)
    thread = threading.Thread(target=watcher.run, args=(bursts.put,))
    thread.start()
    try:
        watched = Watched(watcher, bursts)
        assert watched.next().is_full
        yield watched
    finally:
        watcher.stop()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
