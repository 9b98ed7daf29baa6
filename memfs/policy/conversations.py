"""Which conversations are kept at all; what they say is never judged and never believed."""

from __future__ import annotations

from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.origin import Origin
from memfs.policy.reasons import reason
from memfs.policy.sources import is_switched_off


@frozen
class Conversation:
    """A conversation as the rule sees it.

    Attributes:
        origin: Where it comes from.
        is_named: Its host names it.
        is_side: It is a side conversation of agents.
        is_forgotten: A person has forgotten it.
        is_elsewhere: It was held in another project, or another store has it.
    """

    origin: Origin
    is_named: bool = True
    is_side: bool = False
    is_forgotten: bool = False
    is_elsewhere: bool = False


def check_conversation(conversation: Conversation, sources_off: frozenset[str]) -> Reason | None:
    """Returns why a conversation is not kept; ``None`` where it is."""
    if is_switched_off(conversation.origin, sources_off):
        return reason("source.off")
    if not conversation.is_named:
        return reason("session.nameless")
    if conversation.is_side:
        return reason("session.side")
    if conversation.is_forgotten:
        return reason("session.forgotten")
    return reason("session.elsewhere") if conversation.is_elsewhere else None
