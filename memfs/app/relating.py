"""What relates to what: entities, and the edges between them.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from memfs.model.origin import Actor
from memfs.services.ports import Workspace


class Relating(ABC):
    """What relates to what: entities, and the edges between them."""

    workspace: Workspace
    actor: Actor

    @abstractmethod
    def _take_in(self) -> None:
        """Looks at what changed outside memfs, once."""

    @abstractmethod
    def _take_in_if_possible(self) -> str:
        """Looks at what changed outside memfs, and leaves it where that fails."""
