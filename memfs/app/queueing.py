"""Work that was put off: jobs that a hook left and somebody else does.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from memfs.model.origin import Actor
from memfs.services.ports import Workspace


class Queueing(ABC):
    """Work that was put off: jobs that a hook left and somebody else does."""

    workspace: Workspace
    actor: Actor

    @abstractmethod
    def _take_in(self) -> None:
        """Looks at what changed outside memfs, once."""
