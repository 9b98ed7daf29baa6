"""What a person does to govern a store: one method a verb, each answered by a value.

:class:`memfs.app.memory.Memory` inherits it. A verb looks for edits first, like every command
that changes something, and hands the work to its service.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Unpack

from memfs.model.origin import Actor
from memfs.model.result import Result
from memfs.services.ports import Workspace

if TYPE_CHECKING:
    from memfs.app.granting import GrantOptions
    from memfs.services.grants import StandingGrant


class Governing(ABC):
    """The governing verbs of one opened store and the one who works with it."""

    workspace: Workspace
    actor: Actor

    @abstractmethod
    def _take_in(self) -> None:
        """Looks once, before anything else, at what changed outside memfs."""

    # Who may read what ------------------------------------------------------------------

    def grant(self, grantee: str, **options: Unpack[GrantOptions]) -> Result:
        """Lets ``grantee`` read what the options name, until the grant ends or is revoked."""
        from memfs.app.granting import grant_wanted
        from memfs.services.grants import issue_grant

        self._take_in()
        wanted = grant_wanted(self.workspace, self.actor, grantee, options)
        return issue_grant(self.workspace, wanted, self.actor)

    def revoke(self, reference: str) -> Result:
        """Takes a grant back; the next question of its grantee is answered without it."""
        from memfs.services.grants import revoke_grant

        self._take_in()
        return revoke_grant(self.workspace, reference, self.actor)

    def grants(self) -> tuple[StandingGrant, ...]:
        """Returns the grants and how they stand, newest first; an agent sees its own."""
        from memfs.services.grants import standing_grants

        return standing_grants(self.workspace, self.actor)
