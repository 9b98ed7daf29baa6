"""An issue: a log of events, from which its state follows and is never stored (C15, C16)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final

from memfs.model.frozen import frozen

ISSUE_KIND: Final = "issue"


class EventKind(StrEnum):
    """What happened to an issue; all but ``noted`` change its state."""

    OPENED = "opened"
    RESOLVED = "resolved"
    REOPENED = "reopened"
    WONTFIX = "wontfix"
    NOTED = "noted"


class IssueState(StrEnum):
    """How an issue stands."""

    OPEN = "open"
    RESOLVED = "resolved"
    WONTFIX = "wontfix"
    UNKNOWN = "unknown"
    """No event of it can be read, or none may be seen."""

    @property
    def is_closed(self) -> bool:
        """Whether nothing is left to be done."""
        return self in (IssueState.RESOLVED, IssueState.WONTFIX)


@frozen
class IssueEvent:
    """One event of an issue.

    Attributes:
        id: ``evt_…``; what a merge recognises it by.
        at: When it happened, aware, UTC.
        kind: What happened.
        by: The run that caused it (``run_…``), or who did where there was none.
        title: One line: what the issue is called.
        detail: Further lines, line ends being line feeds; empty for none.
    """

    id: str
    at: datetime
    kind: EventKind
    by: str
    title: str
    detail: str = ""

    @property
    def order(self) -> tuple[datetime, str]:
        """What events are sorted by, the same in every clone."""
        return self.at, self.id
