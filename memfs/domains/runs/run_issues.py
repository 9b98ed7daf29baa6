"""What a run did to issues: what it reports at its end, and what it changed while it went on.

Pure of writing: what it reports is laid out for the commit of its record (C17, C18).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from memfs.domains.runs.dispatch import DispatchNote
from memfs.domains.runs.issues import IssueChange, IssuePlan, IssueRequest, plan_issues
from memfs.errors import AccessError, ConflictError, UsageError
from memfs.formats.issue_log import parse_log
from memfs.index.catalogue import Catalogue
from memfs.model.issue import ISSUE_KIND, EventKind
from memfs.model.origin import Actor, Channel, Principal, PrincipalKind
from memfs.model.record import Record
from memfs.model.run import RunOutcome
from memfs.policy.access import may_read
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.served_records import read_path
from memfs.store.snapshot import Snapshot

_ISSUE_ID: Final = re.compile(r"\biss_[0-9a-hjkmnp-tv-z]{26}\b")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_FOLDER: Final = "issues/"
_READER: Final = Actor(Principal(PrincipalKind.AGENT, "unnamed"), Channel.AGENT)
_MOST: Final = 50
"""So many changes of issues a record tells of."""


def planned_issues(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    run: str,
    outcome: RunOutcome,
    speaker: Actor,
    *,
    suggested: frozenset[str] = frozenset(),
) -> IssuePlan:
    """Lays out what a run says of issues; what cannot be carried out is left out, one by one.

    An item that names an issue by its id opens none: it is there already. What a model alone
    names, ``suggested``, changes no issue that is there (C13).
    """
    wanted = [
        *(
            replace(_opened(title, run), is_suggested=title in suggested)
            for title in outcome.issues
            if not _ISSUE_ID.search(title)
        ),
        *(_resolved(name, run) for text in outcome.resolved for name in _named_in(text)),
    ]
    try:
        return plan_issues(workspace, snapshot, catalogue, wanted, speaker)
    except (ConflictError, UsageError, AccessError):
        possible = [
            request
            for request in wanted
            if _is_possible(workspace, snapshot, catalogue, request, speaker)
        ]
    return plan_issues(workspace, snapshot, catalogue, possible, speaker)


def changed_meanwhile(
    workspace: Workspace, snapshot: Snapshot, note: DispatchNote
) -> tuple[IssueChange, ...]:
    """Returns what a run did to issues since it was dispatched, the last change of each."""
    is_commit = _COMMIT.fullmatch(note.ledger) is not None
    older = workspace.store.snapshot_or_none(note.ledger) if is_commit else None
    if older is None:
        return ()
    found = []
    for change in snapshot.changes_since(older):
        if not change.new or not change.path.startswith(_FOLDER):
            continue
        stored = read_path(workspace, snapshot, change.path)
        if stored is None or stored.record.kind != ISSUE_KIND:
            continue
        if not is_told(workspace, stored.record):
            continue
        events = [event for event in parse_log(stored.record.body).events if event.by == note.run]
        moves = [event for event in events if event.kind is not EventKind.NOTED]
        if moves:
            record = stored.record
            found.append(IssueChange(id=record.id, title=record.title, event=moves[-1]))
    return tuple(found[:_MOST])


def is_told(workspace: Workspace, issue: Record) -> bool:
    """Tells whether the record of a run may name an issue: any program reads that (A7, A9)."""
    return may_read(issue, access_request(workspace, _READER)).is_whole


def _opened(title: str, run: str) -> IssueRequest:
    return IssueRequest(kind=EventKind.OPENED, title=title, run=run)


def _resolved(reference: str, run: str) -> IssueRequest:
    return IssueRequest(kind=EventKind.RESOLVED, reference=reference, run=run)


def _named_in(text: str) -> tuple[str, ...]:
    """Returns the ids of issues that stand in a text, or else the text as the name of one."""
    return tuple(dict.fromkeys(_ISSUE_ID.findall(text))) or (text,)


def _is_possible(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    request: IssueRequest,
    actor: Actor,
) -> bool:
    try:
        plan_issues(workspace, snapshot, catalogue, (request,), actor)
    except (ConflictError, UsageError, AccessError):
        return False
    return True
