"""The scoring rules in force, as one asker may see them (M23).

A rule is an active node with the tag; what waits in the inbox or was taken back is none. They
are listed through the index, behind the read gate, the most important and newest first.
"""

from __future__ import annotations

from typing import Final

from memfs.domains.nodes.node import NODE_KIND, SCORING_RULE
from memfs.errors import IndexUnavailableError
from memfs.model.query import Query
from memfs.model.record import StoredRecord
from memfs.policy.access import AccessRequest
from memfs.services.ports import Workspace
from memfs.services.shelf import shelf
from memfs.store.snapshot import Snapshot

RULES: Final = 20
"""So many rules a session is given."""


def rules_in_force(
    workspace: Workspace, snapshot: Snapshot, request: AccessRequest, *, most: int = RULES
) -> tuple[StoredRecord, ...]:
    """Returns at most ``most`` rules; none where there is no index to find them by."""
    query = Query(
        text="",
        actor=request.actor,
        sink=request.sink,
        purpose=request.purpose,
        kinds=(NODE_KIND,),
        tags=(SCORING_RULE,),
        limit=most,
        is_opening=True,
    )
    try:
        listed = shelf(workspace, snapshot, query)
        return listed.read(listed.hits)
    except IndexUnavailableError:
        return ()
