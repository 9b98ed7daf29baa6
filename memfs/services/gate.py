"""The one way to the read gate: who asks, as the entry point says, and what the ledger allows.

Every surface makes its :class:`AccessRequest` here, so that grants, polluted namespaces and
switched-off sources hold for all of them alike, at the ledger's head: a grant that was taken
back a moment ago opens nothing, whatever the reader looked at before (A7, A31).
"""

from __future__ import annotations

from datetime import datetime

from memfs.model.authority import Sink
from memfs.model.origin import Actor
from memfs.model.scope import Scope
from memfs.policy.access import AccessRequest
from memfs.services.ports import Workspace


def access_request(
    workspace: Workspace,
    actor: Actor,
    *,
    sink: Sink | None = None,
    scopes: tuple[Scope, ...] = (),
    purpose: str = "",
    valid_at: datetime | None = None,
    is_history: bool = False,
) -> AccessRequest:
    """Makes the question that the read gate answers for ``actor`` now.

    Args:
        workspace: The store.
        actor: Who asks.
        sink: Where the text goes; by default to the person, or into the agent's context.
        scopes: Scopes that were asked for; empty for all that the actor may see.
        purpose: What it is for, matched by grants.
        valid_at: What was true then; ``None`` for now.
        is_history: A person looks at earlier versions and replaced records.
    """
    return AccessRequest(
        actor=actor,
        sink=sink or (Sink.PERSON if actor.is_person else Sink.AGENT),
        now=workspace.clock.now(),
        project=workspace.scope,
        scopes=scopes,
        purpose=purpose,
        valid_at=valid_at,
        is_history=is_history,
    )
