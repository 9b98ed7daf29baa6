"""The two plain answers of an administrative verb: refused with reasons, or done."""

from __future__ import annotations

from collections.abc import Sequence

from memfs.model.decision import Reason
from memfs.model.operation import Commit
from memfs.model.result import Result, ResultStatus
from memfs.services.ports import Workspace


def refused(workspace: Workspace, action: str, target: str, reasons: Sequence[Reason]) -> Result:
    """Answers no; the first reason is the message."""
    return Result(
        action=action,
        target=target,
        status=ResultStatus.REFUSED,
        message=reasons[0].message,
        store=str(workspace.store.root),
        reasons=tuple(reasons),
    )


def done(
    workspace: Workspace, action: str, target: str, message: str, commit: Commit | None
) -> Result:
    """Answers that it is so: done by ``commit``, or nothing to do when there is none."""
    return Result(
        action=action,
        target=target,
        status=ResultStatus.DONE if commit is not None else ResultStatus.NOTHING,
        message=message,
        operation=commit.transaction if commit is not None else "",
        store=str(workspace.store.root),
    )
