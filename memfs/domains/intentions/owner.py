"""For whom an intention looks: whoever stated it sees what they may see, and no more sets it off.

What is hidden from its owner can neither make an intention due nor set it free, so that nothing
of it shows through a question.
"""

from __future__ import annotations

from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record, StoredRecord
from memfs.policy.access import AccessRequest, may_read
from memfs.services.gate import access_request
from memfs.services.ports import Workspace


class Owners:
    """The owners of intentions in one look at the ledger, each asked about once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: dict[Principal, AccessRequest] = {}

    def request(self, record: Record) -> AccessRequest | None:
        """Returns the question of the read gate for the owner of an intention, if it has one."""
        if record.origin is None:
            return None
        principal = record.origin.principal
        if principal not in self._known:
            self._known[principal] = _request(self._workspace, principal)
        return self._known[principal]

    def is_served(self, stored: StoredRecord) -> bool:
        """Tells whether an intention stands, for whoever stated it."""
        request = self.request(stored.record)
        if request is None or stored.record.superseded_by:
            return False
        return may_read(stored.record, request).is_whole


def _request(workspace: Workspace, principal: Principal) -> AccessRequest:
    channel = Channel.TERMINAL if principal.is_person else Channel.AGENT
    actor = Actor(principal, channel)
    return access_request(workspace, actor, sees_replaced=principal.is_person)
