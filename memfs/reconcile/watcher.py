"""Watches a store's folders and says, once a burst, which paths may have changed.

It never decides and never reads a record: an event is a hint, the digest of the file is
the truth. Whatever can make hints go missing (the start, an overflow of the kernel's queue,
a folder that was removed and made again, a long time) ends in a burst that asks for a full
pass. Needs watchdog, which is imported when a watcher starts.
"""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memfs.reconcile.debounce import Burst, tick
from memfs.reconcile.hints import Hints

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver, ObservedWatch

LOOK_S: Final = 1.0
"""How often folders that were removed and made again are looked for."""
FULL_PASS_S: Final = 300.0
_GIT_FILES: Final = frozenset({".git/HEAD", ".git/packed-refs"})
_GIT_BRANCHES: Final = ".git/refs/heads/"


class WatchMode(StrEnum):
    """How changes are noticed."""

    NATIVE = "native"
    """The operating system tells; falls back to polling where it cannot."""
    POLLING = "polling"
    """Folders are read again every second: for network shares and small stores."""


class Watcher:
    """Gives out bursts of hints until it is stopped.

    Args:
        root: Root of the store.
        folders: Folders below it that are watched with everything in them; they need not exist.
        mode: How to watch.
        clock: Seconds of a monotonic clock.
        between: Called about once a second while nothing is to be handed out.
        is_ticking: A burst that is a mere tick is handed out as often.
    """

    def __init__(
        self,
        root: Path,
        *,
        folders: tuple[str, ...],
        mode: WatchMode = WatchMode.NATIVE,
        clock: Callable[[], float] = time.monotonic,
        between: Callable[[], None] = lambda: None,
        is_ticking: bool = False,
    ) -> None:
        self._root = root
        self._mode = mode
        self._clock = clock
        self._between = between
        self._is_ticking = is_ticking
        self._hints = Hints(clock)
        single = dict.fromkeys(("", ".git", ".git/refs/heads"), False)
        self._wanted = single | dict.fromkeys(folders, True)

    def stop(self) -> None:
        """Ends :meth:`bursts` and :meth:`run`; safe in a signal handler and in any thread."""
        self._hints.close()

    def run(self, on_burst: Callable[[Burst], None]) -> None:
        """Calls back once a burst, in this thread, until :meth:`stop`.

        Exceptions of the callback end the watch and are raised here.
        """
        bursts = self.bursts()
        try:
            for burst in bursts:
                on_burst(burst)
        finally:
            bursts.close()

    def bursts(self) -> Generator[Burst, None, None]:
        """Yields each burst when it is due, until :meth:`stop`; the first asks for a full pass.

        Hints that arrive while a burst is being worked on belong to the next one. Closing
        the generator ends the watch.
        """
        with _lost_events_reported(self._hints), self._watching() as watches:
            full_pass_at = self._clock()
            while not self._hints.is_closed:
                if watches.renew():
                    self._hints.lose()
                if self._clock() >= full_pass_at:
                    self._hints.lose()
                    full_pass_at = self._clock() + FULL_PASS_S
                burst = self._hints.take()
                if burst is None:
                    self._between()
                    if self._is_ticking:
                        yield tick(at=self._clock())
                    self._hints.wait(LOOK_S)
                else:
                    yield burst

    @contextmanager
    def _watching(self) -> Iterator[_Watches]:
        watches = self._started(self._mode)
        try:
            yield watches
        finally:
            watches.close()

    def _started(self, mode: WatchMode) -> _Watches:
        observer: BaseObserver | None = None
        try:
            observer = _new_observer(mode)
            watches = _Watches(observer, self._root, self._wanted, self._hints, mode)
            observer.start()
            watches.renew()
        except OSError:
            # Too many watches or instances, or a file system that cannot tell.
            if mode is WatchMode.POLLING:
                raise
            if observer is not None and observer.is_alive():
                observer.stop()
                observer.join()
            return self._started(WatchMode.POLLING)
        return watches


class _Watches:
    """Keeps one watch on each wanted folder that exists."""

    def __init__(
        self,
        observer: BaseObserver,
        root: Path,
        wanted: dict[str, bool],
        hints: Hints,
        mode: WatchMode,
    ) -> None:
        self._observer = observer
        self._root = root
        self._wanted = wanted
        self._hints = hints
        self._mode = mode
        self._held: dict[str, tuple[ObservedWatch, tuple[int, int]]] = {}

    def renew(self) -> bool:
        """Follows folders that appeared, went away or were made again; tells whether any did."""
        has_changed = False
        for name, recursive in self._wanted.items():
            found = _identity(self._root / name)
            held = self._held.get(name)
            if held is not None and (found != held[1] or not self._is_alive(held[0])):
                self._observer.unschedule(held[0])
                del self._held[name]
                held = None
                has_changed = True
            if held is None and found is not None:
                has_changed = self._hold(name, recursive, found) or has_changed
        return has_changed

    def _hold(self, name: str, recursive: bool, found: tuple[int, int]) -> bool:
        try:
            self._held[name] = (self._schedule(name, recursive), found)
        except FileNotFoundError:
            # It was removed again between the look and the watch; the next look sees that.
            return False
        return True

    def close(self) -> None:
        """Stops watching."""
        self._observer.stop()
        self._observer.join()

    def _schedule(self, name: str, recursive: bool) -> ObservedWatch:
        from watchdog.events import FileSystemEventHandler

        prefix = f"{self._root}{os.sep}"
        hints = self._hints

        class _Handler(FileSystemEventHandler):
            def on_any_event(self, event: FileSystemEvent) -> None:
                for path in map(os.fsdecode, (event.src_path, event.dest_path)):
                    inside = path.removeprefix(prefix)
                    if inside != path and _is_hint(inside):
                        hints.add(inside)

        return self._observer.schedule(
            _Handler(),
            str(self._root / name),
            recursive=recursive,
            event_filter=_event_types(self._mode),
        )

    def _is_alive(self, watch: ObservedWatch) -> bool:
        return any(
            emitter.watch == watch and emitter.is_alive() for emitter in self._observer.emitters
        )


def _is_hint(path: str) -> bool:
    """Tells whether a path can matter: no lock files, no swap files of editors."""
    if path.startswith(".git"):
        is_branch = path.startswith(_GIT_BRANCHES) and not path.endswith(".lock")
        return path in _GIT_FILES or is_branch
    name = path.rpartition("/")[2]
    return not name.startswith(".") and not name.endswith("~")


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat(follow_symlinks=False)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _new_observer(mode: WatchMode) -> BaseObserver:
    if mode is WatchMode.POLLING:
        from watchdog.observers.polling import PollingObserver

        return PollingObserver()
    from watchdog.observers import Observer

    return Observer()


def _event_types(mode: WatchMode) -> list[type[FileSystemEvent]]:
    """Returns the events that mean something; reading a file must not be one of them.

    ``closed`` exists only on Linux. Elsewhere, and when polling, ``modified`` stands for it.
    """
    from watchdog import events
    from watchdog.utils import platform

    types: list[type[FileSystemEvent]] = [
        events.FileMovedEvent,
        events.DirMovedEvent,
        events.FileDeletedEvent,
        events.DirDeletedEvent,
        events.FileCreatedEvent,
        events.DirCreatedEvent,
    ]
    has_closed = mode is WatchMode.NATIVE and platform.is_linux()
    return [*types, events.FileClosedEvent if has_closed else events.FileModifiedEvent]


class _OverflowListener(logging.Handler):
    """Hears the one line with which watchdog tells that the kernel dropped events."""

    def __init__(self, hints: Hints) -> None:
        super().__init__(logging.WARNING)
        self._hints = hints

    def emit(self, record: logging.LogRecord) -> None:
        """Takes in a log line."""
        if "overflow" in record.getMessage().lower():
            self._hints.lose()


@contextmanager
def _lost_events_reported(hints: Hints) -> Iterator[None]:
    listener = _OverflowListener(hints)
    logger = logging.getLogger("watchdog")
    logger.addHandler(listener)
    # Said when a folder vanishes while it is being added, at any length; the next look finds it.
    warnings.filterwarnings("ignore", message="Callback with id", category=RuntimeWarning)
    try:
        yield
    finally:
        logger.removeHandler(listener)
