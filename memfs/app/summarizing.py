"""Summaries of what roles remember: brought up to date on request, and told with what they lack.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.app.opened import Opened
from memfs.app.role_names import role_named
from memfs.services.modes import require_taking

if TYPE_CHECKING:
    from memfs.model.result import Result


class Summarizing(Opened):
    """Summaries of what roles remember: brought up to date, and told with what they lack."""

    def summarize_role(
        self, role: str = "", *, wordings: bytes | None = None, key: str = ""
    ) -> Result:
        """Makes the conservative summaries of a role from what it remembers now, in one commit.

        Nothing of a memory changes. What a summary cannot keep it names, and a reader then gets
        the memories themselves.

        Args:
            role: Whose memory; empty for the actor's own, where the actor is an agent.
            wordings: Other words for summaries, one JSON object a line; taken where nothing is
                lost by them.
            key: Makes a repetition harmless.

        Raises:
            UsageError: The role is no plain name, or none is named.
            MemoryModeError: The store takes nothing in.
        """
        from memfs.domains.roles.summaries.summary_answers import summarize, unread
        from memfs.domains.roles.summaries.wordings import read_wordings

        require_taking(self.workspace)
        name = role_named(role, self.actor)
        proposed, faults = read_wordings(wordings or b"", name)
        if faults:
            return unread(self.workspace, name, faults)
        self._take_in()
        return summarize(self.workspace, name, self.actor, wordings=proposed, key=key)
