"""Adoption: in a store that says so, a valid hand edit counts at once as ``workspace``.

It goes through the same admission as everything else; whatever policy does not admit
stays in the inbox for a person.
"""

from __future__ import annotations

from memfs.errors import MemfsError
from memfs.model.candidate import Candidate
from memfs.model.decision import Verdict
from memfs.model.origin import Actor, Channel
from memfs.services.accept import decide_candidate
from memfs.services.door import commit_decided
from memfs.services.inbox import remove_candidate
from memfs.services.ports import Workspace
from memfs.services.settle import WORKSPACE_PRINCIPAL


def adopt(
    workspace: Workspace, candidates: tuple[Candidate, ...]
) -> tuple[tuple[Candidate, ...], tuple[str, ...]]:
    """Admits what policy admits of hand edits without a person.

    Returns:
        The candidates that still wait, and the references of those that counted.
    """
    actor = Actor(WORKSPACE_PRINCIPAL, Channel.WORKSPACE)
    waiting: list[Candidate] = []
    adopted: list[str] = []
    for candidate in candidates:
        try:
            committed = commit_decided(
                workspace,
                lambda snapshot, item=candidate: decide_candidate(  # type: ignore[misc]
                    workspace, snapshot, item, actor, is_confirmed=False
                ),
            )
        except MemfsError:
            # Its problems are reported where it is reviewed; the others go on.
            waiting.append(candidate)
            continue
        if committed.outcome.decision.verdict is Verdict.ACTIVATE:
            remove_candidate(workspace, candidate)
            adopted.append(committed.outcome.reference)
        else:
            waiting.append(candidate)
    return tuple(waiting), tuple(adopted)
