"""What goes over a role's memory: it sees what is remembered and proposes typed operations.

A mind decides nothing and changes nothing. Rules, a script and a model stand behind the same port,
and whatever they say is read strictly, decided on by core and told in a receipt (E20, E40).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Protocol

from memfs.domains.roles.decoding import MOST_BYTES
from memfs.domains.roles.view import RoleView
from memfs.model.frozen import frozen
from memfs.policy.role_sleep import MOST_PROPOSALS

SCRIPT_BYTES: Final = 64 * 1024 * 1024
"""A script that is larger is read so far, and its last line is no operation then."""

Proposal = bytes | str
"""One operation as anybody writes it: JSON."""


class Mind(Protocol):
    """What proposes operations in a rest."""

    @property
    def name(self) -> str:
        """What a receipt calls it."""

    @property
    def is_slow(self) -> bool:
        """Whether it is asked before anything is decided, so that nobody waits for it."""

    def propose(self, view: RoleView, now: datetime) -> Sequence[Proposal]:
        """Returns what it proposes, in order; the same for the same view."""

    def reconsider(
        self, view: RoleView, now: datetime, left: frozenset[str], turn: int
    ) -> Sequence[Proposal]:
        """Returns what it proposes for memories that it left over; at once, asking nobody.

        ``turn`` says how often it is put to it in this rest, from 1 on.
        """


@frozen
class ScriptedMind:
    """Proposes what somebody wrote down, whatever is remembered.

    Attributes:
        proposals: In their order; nothing is added to them.
        name: What a receipt calls it.
    """

    proposals: tuple[Proposal, ...]
    name: str = "script"
    is_slow: bool = False

    def propose(self, view: RoleView, now: datetime) -> Sequence[Proposal]:
        """Returns what was written down."""
        return self.proposals

    def reconsider(
        self, view: RoleView, now: datetime, left: frozenset[str], turn: int
    ) -> Sequence[Proposal]:
        """Returns nothing: what a script leaves over is left over."""
        return ()


def proposals_from(script: bytes) -> tuple[Proposal, ...]:
    """Returns the operations of a script: one a line; empty lines are none.

    A line that is no operation is one that will be rejected; it is not left out here.
    """
    lines = (line.strip() for line in script[:SCRIPT_BYTES].split(b"\n", MOST_PROPOSALS * 2))
    found = [line[: MOST_BYTES + 1] for line in lines if line]
    return tuple(found)
