"""For whom an intention looks: whoever stated it sees what they may see, and no more sets it off.

What is hidden from its owner can neither make an intention due nor set it free, so that nothing
of it shows through a question.
"""

from __future__ import annotations

from memfs.model.origin import Actor, Channel
from memfs.model.record import Record
from memfs.policy.access import AccessRequest
from memfs.services.gate import access_request
from memfs.services.ports import Workspace


def owner_request(workspace: Workspace, record: Record) -> AccessRequest | None:
    """Returns the question of the read gate for the owner of an intention; ``None`` for nobody."""
    if record.origin is None:
        return None
    principal = record.origin.principal
    channel = Channel.TERMINAL if principal.is_person else Channel.AGENT
    actor = Actor(principal, channel)
    return access_request(workspace, actor, sees_replaced=principal.is_person)
