"""What a role remembers, for whoever works with it: packets, how it stands, all in one look.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value. What is
not for the actor is not there: a role of another agent looks like one that never was (E43).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.app.opened import Opened
from memfs.app.role_names import role_named
from memfs.errors import UsageError
from memfs.model.origin import PrincipalKind
from memfs.services.modes import require_serving

if TYPE_CHECKING:
    from memfs.domains.roles.packets.operator_view import OperatorView
    from memfs.domains.roles.packets.packets import RolePacket
    from memfs.domains.roles.packets.role_status import RoleStatus


class Picturing(Opened):
    """What a role remembers, for whoever works with it: packets, how it stands, one look."""

    def role_context(
        self,
        role: str = "",
        *,
        kind: str = "role",
        budget: int | None = None,
        include_retired: bool = False,
    ) -> RolePacket:
        """Returns the packet of one cut of what a role remembers.

        Args:
            role: Whose memory; empty for the actor's own, where the actor is an agent, and for a
                coordinator for every role of which the actor may see anything.
            kind: ``repo``, ``role``, ``public`` or ``coordinator``.
            budget: Cards at most, of all sorts together: 12 where nobody says, never less than 1
                nor more than 64.
            include_retired: What was put aside, and what contradicts, too.

        Raises:
            UsageError: There is no such kind, or no role is named.
        """
        from memfs.domains.roles.packets.packet_words import with_text
        from memfs.domains.roles.packets.packets import gather
        from memfs.domains.roles.packets.picture import Looking, all_of, pictures
        from memfs.policy.role_cuts import PacketKind
        from memfs.services.session_caps import within_session

        if kind not in tuple(PacketKind):
            raise UsageError(f"expected a kind of {', '.join(PacketKind)}, got {kind!r}")
        is_of_all = kind == PacketKind.COORDINATOR and not role
        name = "" if is_of_all else role_named(role, self.actor)
        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        looking = Looking.of(self.workspace, self.actor)
        picture = all_of(looking, pictures(looking, name))
        gathered = gather(looking, picture, PacketKind(kind), budget, is_all=include_retired)
        caps = self.workspace.settings.recall
        return within_session(
            self.workspace, lambda given: with_text(gathered, caps, given.size_bytes)
        )

    def role_status(self, role: str = "") -> tuple[RoleStatus, ...]:
        """Tells how the memory of roles stands, by name: of one, or of all that may be seen.

        Args:
            role: Which; empty for the actor's own where the actor is an agent, else for all.

        Raises:
            UsageError: The role is no plain name.
        """
        from memfs.domains.roles.packets.picture import Looking, pictures
        from memfs.domains.roles.packets.role_status import status_of

        name = role and role_named(role, self.actor)
        if not name and self.actor.principal.kind is PrincipalKind.AGENT:
            name = role_named("", self.actor)
        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        looking = Looking.of(self.workspace, self.actor)
        return tuple(status_of(looking, picture) for picture in pictures(looking, name))

    def show_role(self, role: str = "", *, is_all: bool = False) -> OperatorView:
        """Returns all of a role's memory in one look, as far as the actor may see it.

        Args:
            role: Whose memory; empty for the actor's own, where the actor is an agent.
            is_all: What was put aside, too, one by one.

        Raises:
            UsageError: The role is no plain name, or none is named.
        """
        from memfs.domains.roles.packets.operator_view import operator_view
        from memfs.domains.roles.packets.picture import Looking, pictures

        name = role_named(role, self.actor)
        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        looking = Looking.of(self.workspace, self.actor)
        (picture,) = pictures(looking, name)
        return operator_view(looking, picture, is_all=is_all)
