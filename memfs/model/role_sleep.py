"""Rest of a role: what it goes over its memory in, and the account that it gives of it (E36-E39).

A rumination touches short-term memory alone. A nap makes one of what says the same and keeps the
rest. A sleep settles everything that was open: it accounts for each memory or changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.role_operation import Phase


class Rest(StrEnum):
    """The ways in which a role goes over its memory; the value is what its receipt calls it."""

    RUMINATION = "rumination"
    NAP = "nap"
    SLEEP = "sleep"


PHASE_OF: Final[Mapping[Rest, Phase]] = MappingProxyType(
    {Rest.RUMINATION: Phase.RUMINATION, Rest.NAP: Phase.SLEEP, Rest.SLEEP: Phase.SLEEP}
)
"""Rest to the phase whose operations may be proposed in it."""


@frozen
class Rejected:
    """One proposal that was not applied.

    Attributes:
        operation: Which of the fourteen it says that it is; empty for none.
        codes: Why not; never a word of the proposal.
    """

    operation: str
    codes: tuple[str, ...]


@frozen
class Tally:
    """What became of the proposals of one rest.

    Attributes:
        proposed: How many there were.
        applied: How many changed something.
        unchanged: How many were right and had nothing to do.
        waiting: How many wait for a person.
        rejected: The others, in order.
    """

    proposed: int = 0
    applied: int = 0
    unchanged: int = 0
    waiting: int = 0
    rejected: tuple[Rejected, ...] = ()

    @property
    def accepted(self) -> int:
        """How many core took as they were."""
        return self.applied + self.unchanged + self.waiting


@frozen
class Account:
    """What became of each short-term memory that was open when a rest began, or came with it.

    Each id stands in exactly one of the lists.

    Attributes:
        opened: All of them, sorted.
        distilled: What a durable memory was made of.
        incubated: What supports a thread.
        clustered: What another memory took in.
        pruned: What was let go with a reason.
        kept: What a nap, or a rumination, leaves for the next sleep.
        residue: What nobody accounted for.
        because: How many were let go for which reason.
    """

    opened: tuple[str, ...] = ()
    distilled: tuple[str, ...] = ()
    incubated: tuple[str, ...] = ()
    clustered: tuple[str, ...] = ()
    pruned: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    residue: tuple[str, ...] = ()
    because: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
