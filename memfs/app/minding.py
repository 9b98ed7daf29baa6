"""What roles remember: typed operations that core decides and applies, and nothing else.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.app.opened import Opened
from memfs.app.role_names import role_named
from memfs.model.result import Result
from memfs.services.modes import require_taking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memfs.domains.roles.answers import Told


class Minding(Opened):
    """What roles remember: typed operations that core decides and applies, and nothing else."""

    def apply_operation(self, role: str, operation: bytes | str, *, key: str = "") -> Result:
        """Applies one typed operation on what a role remembers, or refuses it with the reasons.

        Args:
            role: Whose memory; empty for the actor's own, where the actor is an agent.
            operation: JSON, as anybody proposed it; decoded strictly.
            key: Makes a repetition harmless.

        Raises:
            UsageError: The role is no plain name, or none is named.
        """
        return self.apply_operations(role, [operation], key=key)[0].result

    def apply_operations(
        self, role: str, operations: Sequence[bytes | str], *, key: str = ""
    ) -> tuple[Told, ...]:
        """Applies several typed operations in order, in one commit: all of them, or none.

        Args:
            role: Whose memory; empty for the actor's own, where the actor is an agent.
            operations: JSON each; at least one.
            key: Makes a repetition harmless.

        Raises:
            UsageError: The role is no plain name, none is named, or nothing is to be applied.
        """
        from memfs.domains.roles.answers import apply_proposed
        from memfs.errors import UsageError

        require_taking(self.workspace)
        name = role_named(role, self.actor)
        if not operations:
            raise UsageError("expected an operation, got none")
        self._take_in()
        return apply_proposed(self.workspace, name, operations, self.actor, key=key)
