"""Submissions to the store that owns the namespace: what is global goes to the global store.

A claim of the scope ``global`` never enters a project's store. Stated from a project, it waits
in the global store for its owner's explicit act, whoever stated it (A30).
"""

from __future__ import annotations

from dataclasses import replace

from memfs.model.candidate import Submission
from memfs.model.origin import Actor, Origin
from memfs.model.result import Result, ResultStatus
from memfs.model.scope import GLOBAL_SCOPE
from memfs.model.settings import Mode
from memfs.policy.authority import class_of_actor
from memfs.policy.namespaces import actor_beside
from memfs.services import propose
from memfs.services.beside import Beside
from memfs.services.ports import Workspace


def submit(
    workspace: Workspace,
    beside: Beside,
    submission: Submission,
    actor: Actor,
    *,
    action: str = "remember",
) -> Result:
    """Decides on one submission in the store that owns its namespace.

    Raises:
        NoGlobalStoreError: It is for everything, and there is no global store.
        MemfsError: The global store cannot be opened or written.
    """
    is_own = submission.draft.scope != GLOBAL_SCOPE or workspace.scope == GLOBAL_SCOPE
    # Where memory is switched off nothing is taken in, for whomever: the mode says so itself.
    if is_own or workspace.settings.mode is Mode.OFF:
        return propose.submit(workspace, submission, actor, action=action)
    other = beside.workspace()
    there = actor_beside(actor, other.settings.trust)
    offered = replace(submission, origin=_origin_of(submission.origin, there), wants_review=True)
    result = propose.submit(other, offered, there, action=action)
    if result.status is not ResultStatus.WAITING:
        return result
    root = other.store.root
    return replace(result, message=f"{result.message}; it is global: memfs review --store {root}")


def _origin_of(origin: Origin, actor: Actor) -> Origin:
    """Returns the origin as the other store knows its speaker."""
    if (origin.principal, origin.channel) == (actor.principal, actor.channel):
        return origin
    return replace(
        origin,
        origin_class=class_of_actor(actor),
        principal=actor.principal,
        channel=actor.channel,
        source=f"{actor.channel}:{actor.principal}",
    )
