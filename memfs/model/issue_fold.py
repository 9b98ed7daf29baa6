"""The fold: how an issue stands, from its events alone (C16)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.issue import EventKind, IssueEvent, IssueState

_STATES: Final[Mapping[EventKind, IssueState]] = MappingProxyType(
    {
        EventKind.OPENED: IssueState.OPEN,
        EventKind.REOPENED: IssueState.OPEN,
        EventKind.RESOLVED: IssueState.RESOLVED,
        EventKind.WONTFIX: IssueState.WONTFIX,
    }
)


@frozen
class Folded:
    """How an issue stands.

    Attributes:
        state: By its last event that is no note.
        opened: When it was first opened; ``None`` where no event says so.
        opened_by: Who or which run opened it first.
        changed: When its state last changed.
        changed_by: Who or which run changed it last.
    """

    state: IssueState = IssueState.UNKNOWN
    opened: datetime | None = None
    opened_by: str = ""
    changed: datetime | None = None
    changed_by: str = ""


def in_order(events: Iterable[IssueEvent]) -> tuple[IssueEvent, ...]:
    """Returns events oldest first, those of one instant by id: the same in every clone."""
    return tuple(sorted(events, key=lambda event: event.order))


def fold(events: Iterable[IssueEvent]) -> Folded:
    """Folds the events of one issue, given in any order."""
    first: IssueEvent | None = None
    last: IssueEvent | None = None
    for event in events:
        if event.kind is EventKind.OPENED and (first is None or event.order < first.order):
            first = event
        if event.kind in _STATES and (last is None or event.order > last.order):
            last = event
    return Folded(
        state=_STATES[last.kind] if last is not None else IssueState.UNKNOWN,
        opened=first.at if first is not None else None,
        opened_by=first.by if first is not None else "",
        changed=last.at if last is not None else None,
        changed_by=last.by if last is not None else "",
    )
