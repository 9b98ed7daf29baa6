"""The one shape that every service answers in; its keys are API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType

from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.values import JsonValue


class ResultStatus(StrEnum):
    """How an action ended."""

    DONE = "done"
    WAITING = "waiting"
    NOTHING = "nothing"
    REFUSED = "refused"
    DUPLICATE = "duplicate"
    NEEDS_ANSWER = "needs_answer"
    PROBLEMS = "problems"


@frozen
class Result:
    """What one action did.

    Attributes:
        action: Verb, such as ``remember`` or ``accept``.
        target: Id or path that it was about.
        status: How it ended.
        message: One sentence for a person.
        operation: ``tx_…`` of the commit, empty when nothing was committed.
        store: Root of the store that answered.
        reasons: Stable codes and sentences.
        data: Further plain data for ``--json``.
    """

    action: str
    target: str
    status: ResultStatus
    message: str
    operation: str = ""
    store: str = ""
    reasons: tuple[Reason, ...] = ()
    data: Mapping[str, JsonValue] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def exit_status(self) -> int:
        """0 when done, waiting or nothing to do; 1 when the answer is no."""
        match self.status:
            case (
                ResultStatus.DONE
                | ResultStatus.WAITING
                | ResultStatus.NOTHING
                | ResultStatus.DUPLICATE
            ):
                return 0
            case ResultStatus.REFUSED | ResultStatus.NEEDS_ANSWER | ResultStatus.PROBLEMS:
                return 1
