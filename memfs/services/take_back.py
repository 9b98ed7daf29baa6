"""Taking a proposal back: who proposed it may, as long as nobody has decided on it.

Nothing of it was ever in the ledger, so that there is nothing to withdraw: its file leaves the
inbox. What stands for an edited file, or was proposed by somebody else, is a person's to reject.
"""

from __future__ import annotations

from memfs.model.origin import Actor
from memfs.model.result import Result, ResultStatus
from memfs.policy.administration import decide_take_back
from memfs.services.inbox import (
    WAITING_STATES,
    UnknownCandidateError,
    find_candidate,
    remove_candidate,
)
from memfs.services.ports import Workspace


def take_back(workspace: Workspace, reference: str, actor: Actor) -> Result:
    """Takes a proposal of the actor's own out of the inbox.

    Raises:
        UnknownCandidateError: No candidate matches, or none that the actor may see.
        LockTimeoutError: Another writer kept the store's lock.
    """
    with workspace.store.exclusive():
        candidate = find_candidate(workspace, reference, actor)
        if candidate.state not in WAITING_STATES:
            raise UnknownCandidateError(
                f"{candidate.id} does not wait any more", hint="see: memfs review list"
            )
        decision = decide_take_back(
            actor,
            workspace.settings,
            proposer=candidate.origin.principal,
            is_file=candidate.is_working_file,
        )
        if decision.is_admitted:
            remove_candidate(workspace, candidate)
    said = decision.reasons[0].message if decision.reasons else f"took {candidate.id} back"
    return Result(
        action="take back",
        target=candidate.id,
        status=ResultStatus.DONE if decision.is_admitted else ResultStatus.REFUSED,
        message=said,
        store=str(workspace.store.root),
        reasons=decision.reasons,
        data={"rule": decision.rule},
    )
