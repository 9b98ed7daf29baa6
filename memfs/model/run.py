"""A run: what an agent was asked to do once, and what came of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from memfs.model.frozen import frozen

RUN_KIND: Final = "run"
ITEMS: Final = 20
"""So many items of one sort a run keeps; who lists more means something else by it."""
ITEM_CHARS: Final = 500
SUMMARY_CHARS: Final = 1_000
TASK_CHARS: Final = 8_000


class RunState(StrEnum):
    """How a run stands; the first three are recorded, the others are seen."""

    DONE = "done"
    ERROR = "error"
    CANCELLED = "cancelled"
    RUNNING = "running"
    """It was dispatched and nobody has said how it ended."""
    LOST = "lost"
    """The process that was to record it is gone."""

    @property
    def is_final(self) -> bool:
        """Whether a record can say so."""
        return self not in (RunState.RUNNING, RunState.LOST)


FINAL_STATES: Final = tuple(state for state in RunState if state.is_final)


@frozen(kw_only=False)
class Worker:
    """Who worked in a run: a name, how that ended, and a line."""

    name: str
    state: str = ""
    line: str = ""


@frozen
class RunOutcome:
    """What came of a run, in the words of whoever did it.

    Attributes:
        summary: Two to four sentences, on one line.
        accomplished: What was done, an item a line.
        issues: Titles of what is open.
        resolved: Issues that are no longer open, by id or by title.
        next: What is to be done next.
        verdict: What a check or a reviewer said of it.
        workers: Who worked in it.
    """

    summary: str = ""
    accomplished: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()
    resolved: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    verdict: str = ""
    workers: tuple[Worker, ...] = ()


NO_OUTCOME: Final = RunOutcome()
