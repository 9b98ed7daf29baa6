"""What one asks of a store to keep an eye on it: marks on namespaces, accounts, the audit.

:class:`memfs.app.memory.Memory` inherits it. None of these verbs changes a record.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from memfs.errors import UsageError
from memfs.model.origin import Actor
from memfs.model.result import Result
from memfs.model.scope import Scope
from memfs.services.ports import Workspace


class Overseeing(ABC):
    """The verbs by which a person oversees one opened store."""

    workspace: Workspace
    actor: Actor

    @abstractmethod
    def _take_in(self) -> None:
        """Looks once, before anything else, at what changed outside memfs."""

    # What is not to be relied on ------------------------------------------------------

    def pollute(self, scope: str, *, cause: str) -> Result:
        """Withholds everything in a namespace until a person clears it (A74).

        Raises:
            UsageError: It is no namespace, or the cause says nothing.
        """
        from memfs.services.pollution import pollute

        self._take_in()
        return pollute(self.workspace, _scope_from(scope), cause, self.actor)

    def clear(self, scope: str) -> Result:
        """Serves a namespace again that was marked as polluted.

        Raises:
            UsageError: It is no namespace.
        """
        from memfs.services.pollution import clear

        self._take_in()
        return clear(self.workspace, _scope_from(scope), self.actor)


def _scope_from(text: str) -> Scope:
    try:
        return Scope.parse(text)
    except ValueError as error:
        raise UsageError(str(error), hint="for instance project:datasync") from error
