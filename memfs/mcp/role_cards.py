"""What the role of the caller remembers, as entries of a list: a packet, card by card (E13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memfs.errors import UsageError
from memfs.mcp.arguments import ArgumentError
from memfs.mcp.cursors import FIELD
from memfs.mcp.tools import Call

if TYPE_CHECKING:
    from memfs.app.container import Memory

ROLE: Final = "role"
_TAKEN: Final = frozenset({"query", "where", "limit", FIELD})


def role_cards(memory: Memory, call: Call, first: int, size: int) -> list[str]:
    """Returns a packet of the caller's own role: the kind in the query, as many cards as asked."""
    from memfs.domains.roles.packets.packet_words import entries
    from memfs.policy.role_cuts import DEFAULT_CARDS

    arguments = call.arguments
    other = next((name for name in arguments.values if name not in _TAKEN), "")
    if other:
        raise ArgumentError(f"{other}: a role is not narrowed by it", hint="leave it out")
    kind = arguments.text("query").strip() or ROLE
    budget = arguments.number("limit", DEFAULT_CARDS)
    try:
        packet = memory.role_context(kind=kind, budget=budget)
    except UsageError as error:
        raise ArgumentError(f"query: {error.message}", hint=error.hint) from error
    return entries(packet)[first : first + size + 1]
