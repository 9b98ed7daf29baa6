"""What a program asks for that only a person does: it becomes a proposal that they look at.

That two records are one is proposed as an edge between them; nothing is merged by accepting it,
and a merge lets it go.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memfs.domains.graph.reshaped import desk_of, find_meant
from memfs.model.candidate import Submission
from memfs.model.origin import Actor
from memfs.model.result import Result, ResultStatus
from memfs.policy.authority import capture_origin
from memfs.services.graph_drafts import edge_draft
from memfs.services.ports import Workspace
from memfs.services.propose import submit

SAME_AS: Final = "same as"


def propose_one(workspace: Workspace, first: str, second: str, actor: Actor) -> Result:
    """Proposes that two records are one; nothing of either changes.

    Raises:
        UnknownRecordError: One of them is none, or may not be seen.
        AmbiguousRecordError: A reference means several.
    """
    with desk_of(workspace, workspace.store.snapshot(), actor, "record.merge") as desk:
        kept = find_meant(desk, first).record
        other = find_meant(desk, second).record
    if kept.id == other.id:
        return Result(
            action="merge",
            target=kept.id,
            status=ResultStatus.NOTHING,
            message=f"{kept.id} is one record already; nothing was changed",
            store=str(workspace.store.root),
        )
    draft = edge_draft(kept.scope or workspace.scope, other.id, kept.id, SAME_AS)
    submission = Submission(draft=draft, origin=capture_origin(actor, draft.title))
    result = submit(workspace, replace(submission, wants_review=True), actor, action="merge")
    if result.status is not ResultStatus.WAITING:
        return result
    words = f"a person makes them one: memfs merge {kept.id} {other.id}"
    return replace(result, message=f"{result.message}; {words}")
