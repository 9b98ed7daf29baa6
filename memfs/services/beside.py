"""The store beside the one that is asked: opened when it is first needed, never in the way.

A question to it runs on a thread of its own and is given up when it takes too long; whatever
goes wrong there is told by a code and costs the answer of the first store nothing (A72).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from memfs.errors import MemfsError, StoreError
from memfs.services.ports import Workspace

WITHIN_S: Final = 2.0
"""How long a question waits for the other store; opening it takes some hundredths of that."""

Answer = TypeVar("Answer")
FindStore = Callable[[], Callable[[], Workspace] | None]
"""Looks whether the store is there, at the cost of one look; returns what opens it."""


class NoGlobalStoreError(StoreError):
    """There is no global store that could take something."""

    code = "store.no-global"


class Beside:
    """The store that answers beside another one; nothing is opened before it is asked."""

    def __init__(self, find: FindStore, *, within_s: float = WITHIN_S) -> None:
        self.trouble = ""
        self._find = find
        self._within_s = within_s
        self._workspace: Workspace | None = None
        self._late: threading.Thread | None = None

    def ask(self, question: Callable[[Workspace], Answer]) -> Answer | None:
        """Puts a question to the store, for at most the time that is allowed.

        Returns:
            The answer; ``None`` when the store is not there or could not answer, and then
            ``trouble`` holds the code of why, empty for a store that is not there.
        """
        self.trouble = ""
        if self._late is not None and self._late.is_alive():
            self.trouble = "federation.timeout"
            return None
        try:
            opened = self._workspace or self._find()
        except MemfsError as error:
            self.trouble = error.code
            return None
        except OSError:
            self.trouble = "federation.io"
            return None
        if opened is None:
            return None
        slot: _Slot[Answer] = _Slot()
        worker = threading.Thread(target=slot.fill, args=(self.workspace, question), daemon=True)
        worker.start()
        worker.join(self._within_s)
        self._late = worker if worker.is_alive() else None
        self.trouble = "federation.timeout" if self._late else slot.trouble
        return None if self._late else slot.answer

    def workspace(self) -> Workspace:
        """Returns the opened store, for whoever is to write to it.

        Raises:
            NoGlobalStoreError: It is not there.
            MemfsError: It cannot be opened.
        """
        if self._workspace is None:
            open_store = self._find()
            if open_store is None:
                raise NoGlobalStoreError(
                    "expected a global store, found none", hint="make one with: memfs init --home"
                )
            self._workspace = open_store()
        return self._workspace

    def close(self) -> None:
        """Closes the store, unless a question that was given up still reads it."""
        is_read = self._late is not None and self._late.is_alive()
        if self._workspace is not None and not is_read:
            self._workspace.store.close()
            self._workspace = None


def nothing_beside() -> Beside:
    """Returns a place where no store ever is."""
    return Beside(lambda: None)


class _Slot(Generic[Answer]):
    """What comes back from the thread of a question."""

    def __init__(self) -> None:
        self.answer: Answer | None = None
        self.trouble = "federation.failed"

    def fill(
        self, open_store: Callable[[], Workspace], question: Callable[[Workspace], Answer]
    ) -> None:
        """Opens the store and asks; a fault of the store becomes its code."""
        try:
            self.answer = question(open_store())
            self.trouble = ""
        except MemfsError as error:
            self.trouble = error.code
        except OSError:
            self.trouble = "federation.io"
