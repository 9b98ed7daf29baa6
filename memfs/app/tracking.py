"""What is open: the issues of a project.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memfs.app.opened import Opened
from memfs.errors import UsageError
from memfs.model.issue import EventKind, IssueState
from memfs.model.result import Result, ResultStatus
from memfs.services.modes import require_serving, require_taking
from memfs.services.ports import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memfs.domains.runs.issue_views import IssueView
    from memfs.domains.runs.issues import IssueChange

_SAID: Final = {
    EventKind.OPENED: "opened",
    EventKind.RESOLVED: "resolved",
    EventKind.REOPENED: "opened again",
    EventKind.WONTFIX: "closed, not to be done",
    EventKind.NOTED: "noted on",
}


class Tracking(Opened):
    """What is open: the issues of a project."""

    def open_issue(self, title: str, *, detail: str = "", key: str = "") -> Result:
        """Opens an issue; one that is open already stays the one, one that was resolved reopens."""
        return self._on_issue(EventKind.OPENED, title=title, detail=detail, key=key)

    def resolve_issue(self, reference: str, *, detail: str = "", key: str = "") -> Result:
        """Says that an issue is done."""
        return self._on_issue(EventKind.RESOLVED, reference=reference, detail=detail, key=key)

    def reopen_issue(self, reference: str, *, detail: str = "", key: str = "") -> Result:
        """Says that an issue is open after all."""
        return self._on_issue(EventKind.REOPENED, reference=reference, detail=detail, key=key)

    def wontfix_issue(self, reference: str, *, detail: str = "", key: str = "") -> Result:
        """Says that nothing will be done about an issue."""
        return self._on_issue(EventKind.WONTFIX, reference=reference, detail=detail, key=key)

    def note_issue(self, reference: str, detail: str, *, key: str = "") -> Result:
        """Adds words to an issue and leaves its state."""
        return self._on_issue(EventKind.NOTED, reference=reference, detail=detail, key=key)

    def _on_issue(
        self,
        kind: EventKind,
        *,
        title: str = "",
        reference: str = "",
        detail: str = "",
        key: str = "",
    ) -> Result:
        from memfs.domains.runs.issues import IssueRequest, record_issues

        require_taking(self.workspace)
        self._take_in()
        request = IssueRequest(kind=kind, title=title, reference=reference, detail=detail)
        (change,), transaction = record_issues(self.workspace, (request,), self.actor, key=key)
        return _result(self.workspace, kind, change, transaction)

    def list_issues(
        self, *, is_all: bool = False, states: Sequence[str] = ()
    ) -> tuple[IssueView, ...]:
        """Lists issues: open ones, and those that were closed not long ago; all with ``is_all``.

        Args:
            is_all: However long ago they were closed.
            states: Only those that stand so, however long: ``open``, ``resolved``, ``wontfix``.

        Raises:
            UsageError: There is no such state.
        """
        from memfs.domains.runs.issue_views import is_current, list_issues

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        wanted = frozenset(map(_state_from, states))
        found = list_issues(self.workspace, self.actor, states=wanted)
        if is_all or wanted:
            return found
        now, days = self.workspace.clock.now(), self.workspace.settings.runs.resolved_days
        return tuple(item for item in found if is_current(item, now, resolved_days=days))

    def show_issue(self, reference: str) -> IssueView:
        """Returns one issue with its events."""
        from memfs.domains.runs.issue_views import show_issue

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        return show_issue(self.workspace, reference, self.actor)

    def _refresh_issue_view(self, *, is_anew: bool = False) -> None:
        """Brings the list of issues beside the ledger up to it, where it is not."""
        from memfs.services.issues_view import is_view_current

        if not is_anew and is_view_current(self.workspace):
            return
        from memfs.domains.runs.issue_index import refresh_issue_view

        refresh_issue_view(self.workspace, is_anew=is_anew)


def _state_from(text: str) -> IssueState:
    try:
        return IssueState(text)
    except ValueError:
        choices = ", ".join(IssueState)
        raise UsageError(f"expected a state of {choices}, got {text!r}") from None


def _result(workspace: Workspace, kind: EventKind, change: IssueChange, transaction: str) -> Result:
    event = change.event
    return Result(
        action=f"issue {_verb(kind)}",
        target=change.id or change.candidate,
        status=change.status,
        message=_message(kind, change),
        operation=transaction,
        store=str(workspace.store.root),
        reasons=change.reasons,
        data={
            "title": change.title,
            "state": str(change.state),
            "event": str(event.kind) if event is not None else "",
            "event_id": event.id if event is not None else "",
            "by": event.by if event is not None else "",
            "is_new": change.is_new,
            "path": change.path,
            "candidate": change.candidate,
            "notes": list(change.notes),
        },
    )


def _verb(kind: EventKind) -> str:
    verbs = {
        EventKind.OPENED: "open",
        EventKind.RESOLVED: "resolve",
        EventKind.REOPENED: "reopen",
        EventKind.WONTFIX: "wontfix",
        EventKind.NOTED: "note",
    }
    return verbs[kind]


def _message(kind: EventKind, change: IssueChange) -> str:
    left_out = f" (left out: {'; '.join(change.notes)})" if change.notes else ""
    match change.status:
        case ResultStatus.NOTHING:
            words = f"it is {change.state} already; nothing was added"
            return f"{change.id}: {words}{left_out}"
        case ResultStatus.WAITING:
            return f"waits for review as {change.candidate}: {change.reasons[0].message}"
        case ResultStatus.REFUSED:
            return change.reasons[0].message if change.reasons else f"{_verb(kind)} was refused"
        case _:
            said = _SAID[change.event.kind] if change.event is not None else "nothing was added to"
            return f"{said} {change.id}: {change.title}{left_out}"
