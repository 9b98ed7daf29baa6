"""What a person does to govern a store: one method a verb, each answered by a value.

:class:`memfs.app.memory.Memory` inherits it. A verb looks for edits first, like every command
that changes something, and hands the work to its service.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from memfs.model.origin import Actor
from memfs.services.ports import Workspace


class Governing(ABC):
    """The governing verbs of one opened store and the one who works with it."""

    workspace: Workspace
    actor: Actor

    @abstractmethod
    def _take_in(self) -> None:
        """Looks once, before anything else, at what changed outside memfs."""
