"""Runs as they are listed and shown: recorded ones and those that go on, newest first (C32, C33).

Everything is asked of the read gate: a record as it stands at the ledger's head, a dispatch note
as the record that it would become.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memfs.domains.runs.dispatch import Dispatches, DispatchNote, is_seen
from memfs.domains.runs.lineage import started_of
from memfs.index.catalogue import Catalogue, CatalogueEntry, CatalogueFilter
from memfs.model.ids import RUN_PREFIX, is_id
from memfs.model.instants import parse_instant
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.record_fields import text_field, texts_field
from memfs.model.run import RUN_KIND, RunState
from memfs.policy.access import AccessRequest
from memfs.policy.masking import visible_stored
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.proposals import title_from
from memfs.services.reading import (
    AmbiguousRecordError,
    UnknownRecordError,
    named_entries,
    served_from,
)
from memfs.services.served_records import read_path
from memfs.store.snapshot import Snapshot

_SUCCESSORS: Final = 64
_LEAST: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """One run as a reader may see it.

    Attributes:
        run: ``run_…``.
        state: How it stands.
        task: The first line of what it was asked to do.
        summary: The first line of its record, or of what was said of it so far.
        started: When it was dispatched.
        finished: When it ended; ``None`` where it goes on.
        workflow: Name of the kind of work; may be empty.
        parent: The run that started it; empty for none.
        previous: The newest run of the project then; empty for none.
        root: The first run of its chain.
        session: The session that dispatched it; empty for none.
        issues: Ids of issues whose state it changed.
        next: What is to be done next.
        stored: Its record; ``None`` where it goes on.
        replaces: The run that it was asked for by, and that it takes the place of.
    """

    run: str
    state: RunState
    task: str
    summary: str = ""
    started: datetime | None = None
    finished: datetime | None = None
    workflow: str = ""
    parent: str = ""
    previous: str = ""
    root: str = ""
    session: str = ""
    issues: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    stored: StoredRecord | None = None
    replaces: tuple[str, ...] = ()


def list_runs(
    workspace: Workspace,
    actor: Actor,
    *,
    limit: int = 0,
    session: str = "",
    states: frozenset[RunState] = frozenset(),
) -> tuple[RunView, ...]:
    """Lists runs, the newest dispatch first, ties by id.

    Args:
        workspace: The store.
        actor: Who reads.
        limit: At most so many; 0 for all.
        session: Only those that this session dispatched (C31).
        states: Only those that stand so; empty for all.
    """
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        going_on = [
            view
            for view in _going_on(workspace, request)
            if _is_wanted(view, session, states) and not catalogue.by_id(view.run)
        ]
        found = list(going_on)
        rows = _naming(snapshot, catalogue.listing(CatalogueFilter(kinds=(RUN_KIND,))), session)
        for stored in served_from(workspace, snapshot, rows, request):
            view = view_of(stored)
            if not _is_wanted(view, session, states):
                continue
            found.append(view)
            if limit and len(found) >= limit + len(going_on) + _LATE:
                break
    found.sort(key=lambda view: (_moment(view), view.run), reverse=True)
    return tuple(found[:limit] if limit else found)


def _naming(
    snapshot: Snapshot, rows: Iterable[CatalogueEntry], session: str
) -> Iterator[CatalogueEntry]:
    """Yields the rows whose file names a session at all, so that only those are decoded."""
    name = session.encode()
    for row in rows:
        if not name or name in (snapshot.read(row.path) or b""):
            yield row


_LATE: Final = 16
"""Rows come by when they were recorded: so many may have been dispatched out of that order."""


def show_run(workspace: Workspace, reference: str, actor: Actor) -> RunView:
    """Returns the run that is meant; of one that was replaced, the one in its place (C33).

    Raises:
        UnknownRecordError: There is none, or none that may be seen.
        AmbiguousRecordError: Several are meant.
    """
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    name = reference.strip().partition("@")[0]
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        views = {
            view.run: view
            for view in _going_on(workspace, request)
            if view.run == name or (len(name) >= _LEAST and view.run.endswith(name.lower()))
            if not catalogue.by_id(view.run)
        }
        views |= {view.run: view for view in _named(workspace, snapshot, catalogue, request, name)}
    if not views:
        raise UnknownRecordError(f"no run matches {reference!r}", hint="see: memfs run list")
    if len(views) > 1:
        raise AmbiguousRecordError(
            f"{reference!r} matches several runs: {', '.join(sorted(views))}",
            hint="give more of the id",
        )
    return next(iter(views.values()))


def newest_run(workspace: Workspace, actor: Actor) -> str:
    """Returns the id of the run that was dispatched last.

    Raises:
        UnknownRecordError: There is none, or none that may be seen.
    """
    newest = list_runs(workspace, actor, limit=1)
    if not newest:
        raise UnknownRecordError("no run was recorded here")
    return newest[0].run


def _named(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    request: AccessRequest,
    name: str,
) -> Iterator[RunView]:
    for row in named_entries(catalogue, name):
        if row.kind != RUN_KIND:
            continue
        newest, replaced = newest_of(workspace, snapshot, catalogue, row)
        for stored in served_from(workspace, snapshot, (newest,), request):
            yield replace(view_of(stored), replaces=replaced)


def newest_of(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, row: CatalogueEntry
) -> tuple[CatalogueEntry, tuple[str, ...]]:
    """Follows what a run was replaced by to its end; returns also what was passed on the way."""
    passed: list[str] = []
    for _ in range(_SUCCESSORS):
        stored = read_path(workspace, snapshot, row.path)
        successor = stored.record.superseded_by if stored is not None else ""
        rows = catalogue.by_id(successor) if is_id(successor, RUN_PREFIX) else ()
        if not rows or successor in passed:
            break
        passed.append(row.id)
        row = rows[0]
    return row, tuple(passed)


def view_of(stored: StoredRecord) -> RunView:
    """Returns a recorded run as it is listed."""
    record = stored.record
    lines = [line for line in record.body.split("\n") if line.strip()]
    return RunView(
        run=record.id,
        state=_state_of(record),
        task=record.title,
        summary=lines[0] if lines else "",
        started=started_of(record),
        finished=_instant(record, "finished"),
        workflow=text_field(record, "workflow"),
        parent=text_field(record, "parent"),
        previous=text_field(record, "previous"),
        root=text_field(record, "root"),
        session=text_field(record, "session"),
        issues=texts_field(record, "issues"),
        next=texts_field(record, "next"),
        stored=stored,
    )


def _going_on(workspace: Workspace, request: AccessRequest) -> Iterator[RunView]:
    """Yields the runs that are dispatched and not recorded, those that may be seen."""
    dispatches = Dispatches(workspace)
    for note in dispatches:
        if is_seen(workspace, note, request):
            yield _view_of_note(note, dispatches.state_of(note))


def _view_of_note(note: DispatchNote, state: RunState) -> RunView:
    return RunView(
        run=note.run,
        state=state,
        task=title_from(note.task),
        summary=note.said.summary,
        started=note.started,
        workflow=note.workflow,
        parent=note.parent,
        previous=note.previous,
        root=note.root or note.run,
        session=note.session,
        next=note.said.next,
    )


def seen_run(stored: StoredRecord, request: AccessRequest) -> RunView | None:
    """Returns a recorded run as ``request`` may see it; ``None`` when it may not."""
    seen = visible_stored(stored, request)
    return view_of(seen) if seen is not None else None


def going_on(workspace: Workspace, request: AccessRequest) -> tuple[RunView, ...]:
    """Returns the runs that are dispatched and not recorded, those that may be seen."""
    return tuple(_going_on(workspace, request))


def _is_wanted(view: RunView, session: str, states: frozenset[RunState]) -> bool:
    return (not session or view.session == session) and (not states or view.state in states)


def _moment(view: RunView) -> float:
    moment = view.started or view.finished
    return moment.timestamp() if moment is not None else 0.0


def _state_of(record: Record) -> RunState:
    try:
        return RunState(text_field(record, "state"))
    except ValueError:
        # Shown in part, or written by hand: no end that anybody may rely on.
        return RunState.LOST


def _instant(record: Record, name: str) -> datetime | None:
    try:
        return parse_instant(text_field(record, name))
    except ValueError:
        return None
