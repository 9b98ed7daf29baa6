"""Issues as their readers see them: listed, shown, and as lines of JSON; through the read gate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memfs.domains.runs.issue_lookup import UnknownIssueError, find_issue
from memfs.formats.issue_log import parse_log
from memfs.model.instants import format_instant
from memfs.model.issue import ISSUE_KIND, EventKind, IssueEvent, IssueState
from memfs.model.issue_fold import Folded, fold, in_order
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.model.values import JsonValue
from memfs.policy.access import AccessRequest
from memfs.policy.masking import visible_stored
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.issues_view import ISSUES_FOLDER
from memfs.services.links import with_open_links
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.reading import UnknownRecordError, find_record
from memfs.services.served_records import read_records
from memfs.store.snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueView:
    """An issue as one reader may see it.

    Attributes:
        stored: The record, with hidden fields emptied.
        events: What may be seen of its log, oldest first.
        folded: How it stands by them.
    """

    stored: StoredRecord
    events: tuple[IssueEvent, ...] = ()
    folded: Folded = field(default_factory=Folded)

    @property
    def id(self) -> str:
        """``iss_…``."""
        return self.stored.record.id

    @property
    def title(self) -> str:
        """What it is called; empty where that is hidden."""
        return self.stored.record.title

    @property
    def state(self) -> IssueState:
        """How it stands."""
        return self.folded.state

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that changed it, in the order in which they first did."""
        changing = (event.by for event in self.events if event.kind is not EventKind.NOTED)
        return tuple(dict.fromkeys(by for by in changing if by.startswith("run_")))


def view_of(stored: StoredRecord) -> IssueView:
    """Returns the view of an issue that may be seen so."""
    events = in_order(parse_log(stored.record.body).events)
    return IssueView(stored=stored, events=events, folded=fold(events))


def list_issues(
    workspace: Workspace, actor: Actor, *, states: frozenset[IssueState] = frozenset()
) -> tuple[IssueView, ...]:
    """Returns the issues that ``actor`` may see, open ones first, the last changed first.

    Args:
        workspace: The store.
        actor: Who reads.
        states: Only these; empty for all of them.
    """
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    views = (view_of(item) for item in seen_issues(workspace, snapshot, request))
    wanted = [view for view in views if not states or view.state in states]
    return tuple(sorted(wanted, key=_order))


def seen_issues(
    workspace: Workspace, snapshot: Snapshot, request: AccessRequest
) -> Iterator[StoredRecord]:
    """Yields what ``request`` may see of every issue, read in one pass, in no fixed order."""
    places = ((entry.path, entry.blob) for entry in snapshot.entries(f"{ISSUES_FOLDER}/"))
    for stored in read_records(workspace, snapshot, places):
        seen = visible_stored(stored, request) if stored.record.kind == ISSUE_KIND else None
        if seen and not rests_on_off_source(workspace, snapshot, stored.record, request):
            yield with_open_links(workspace, snapshot, seen, request)


def is_current(view: IssueView, now: datetime, *, resolved_days: int) -> bool:
    """Tells whether an issue stands in the default list: open, or closed not long ago (C19)."""
    if not view.state.is_closed or view.folded.changed is None:
        return True
    return now - view.folded.changed <= timedelta(days=resolved_days)


def show_issue(workspace: Workspace, reference: str, actor: Actor) -> IssueView:
    """Returns the issue that ``reference`` names: an id, the end of one, a file or a title.

    Raises:
        UnknownIssueError: None matches, or none that may be seen.
        AmbiguousRecordError: Several ids end so.
    """
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        try:
            name = find_issue(workspace, snapshot, catalogue, reference, actor).record.id
        except UnknownIssueError:
            # What may be seen in part is found by its id alone.
            name = reference
    try:
        stored = find_record(workspace, snapshot, name, request)
    except UnknownRecordError:
        raise UnknownIssueError(
            f"no issue matches {reference!r}", hint="see: memfs issue list"
        ) from None
    if stored.record.kind != ISSUE_KIND:
        raise UnknownIssueError(f"no issue matches {reference!r}", hint="see: memfs issue list")
    return view_of(stored)


def event_value(event: IssueEvent) -> dict[str, JsonValue]:
    """Returns an event as plain data."""
    value: dict[str, JsonValue] = {
        "id": event.id,
        "at": format_instant(event.at),
        "event": str(event.kind),
        "by": event.by,
        "title": event.title,
    }
    return {**value, "detail": event.detail} if event.detail else value


def issue_value(view: IssueView) -> dict[str, JsonValue]:
    """Returns an issue as plain data: how it stands and every event."""
    record, folded = view.stored.record, view.folded
    value: dict[str, JsonValue] = {
        "id": record.id,
        "title": record.title,
        "state": str(folded.state),
        "key": record.subject,
        "scope": str(record.scope or ""),
        "opened": format_instant(folded.opened) if folded.opened else "",
        "opened_by": folded.opened_by,
        "changed": format_instant(folded.changed) if folded.changed else "",
        "changed_by": folded.changed_by,
        "runs": list(view.runs),
        "events": [event_value(event) for event in view.events],
        "tracker": record.fields.get("tracker"),
        "path": view.stored.path,
    }
    return {name: part for name, part in value.items() if part not in (None, "", [])}


def _order(view: IssueView) -> tuple[bool, float, str]:
    changed = view.folded.changed
    return view.state.is_closed, -(changed.timestamp() if changed else 0.0), view.id
