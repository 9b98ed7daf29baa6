"""What every part of :class:`memfs.app.memory.Memory` works with: a store, and who works in it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from memfs.model.origin import Actor
from memfs.services.beside import Beside
from memfs.services.ports import Workspace


class Opened(ABC):
    """One opened store, the one beside it, and the one who works with them."""

    workspace: Workspace
    actor: Actor
    beside: Beside

    @abstractmethod
    def _take_in(self) -> None:
        """Looks once, before anything else, at what changed outside memfs."""

    @abstractmethod
    def _take_in_if_possible(self) -> str:
        """Looks at what changed outside memfs, and leaves it where that fails."""

    @abstractmethod
    def _take_in_before_reading(self) -> str:
        """Looks at what changed outside memfs, where a question may wait for that."""
