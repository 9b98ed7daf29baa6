"""Dispatch: fixes where a run stands and what it was asked, before anything is done.

The same run is dispatched once; its words are screened before they are written anywhere.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from memfs.domains.runs.dispatch import Dispatches, DispatchNote, is_seen
from memfs.domains.runs.lineage import Wanted, place_for, record_of, started_of
from memfs.domains.runs.run_words import Screen
from memfs.errors import AccessError
from memfs.model.decision import Reason
from memfs.model.ids import RUN_PREFIX, is_id
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.policy.access import read_right
from memfs.policy.authority import capture_origin, is_person_origin
from memfs.policy.dispatching import check_dispatch
from memfs.policy.reasons import reason
from memfs.policy.screening import scan_secrets
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.modes import require_taking
from memfs.services.ports import Workspace
from memfs.services.word_screen import NOT_KEPT


class OtherRunError(AccessError):
    """The run is somebody else's to end, or no run at all."""

    code = "access.other-run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """What became of a dispatch.

    Attributes:
        note: The note; of a run that is recorded already what it would have said.
        is_new: The run was not known before.
        is_recorded: It is recorded already.
        reasons: Why nothing was dispatched.
    """

    note: DispatchNote
    is_new: bool = False
    is_recorded: bool = False
    reasons: tuple[Reason, ...] = ()


def prepare(
    workspace: Workspace,
    actor: Actor,
    *,
    task: str,
    workflow: str = "",
    wanted: Wanted,
    is_watched: bool = False,
    started: datetime | None = None,
) -> DispatchNote:
    """Fixes the place of a run among others and screens its words; writes nothing.

    Raises:
        MemoryModeError: The store takes nothing in.
    """
    require_taking(workspace)
    snapshot = workspace.store.snapshot()
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        request = access_request(workspace, actor)
        place = place_for(workspace, snapshot, catalogue, request, wanted)
    screen = screen_for(actor)
    return DispatchNote(
        run=place.run,
        task=screen.text(task) or (NOT_KEPT if task.strip() else ""),
        workflow=screen.line(workflow, 100),
        parent=place.parent,
        previous=place.previous,
        root=place.root,
        session=_kept_name(place.session),
        agent=_kept_name(place.agent),
        actor=actor,
        started=started or workspace.clock.now(),
        is_watched=is_watched,
        notes=screen.notes,
        ledger=snapshot.commit,
    )


def dispatch(workspace: Workspace, note: DispatchNote) -> Started:
    """Writes a prepared note; the same run is dispatched once."""
    if not note.task:
        return Started(note=note, reasons=(reason("kind.missing-field", "task"),))
    recorded = recorded_run(workspace, note.run)
    request = access_request(workspace, note.actor)
    if recorded is not None:
        # Of a run that its caller may not see, nothing is told but that the id is taken.
        is_open = read_right(recorded, request).is_whole
        known = note_from(recorded, note.actor) if is_open else note
        return Started(note=known, is_recorded=True)
    dispatches = Dispatches(workspace)
    denial = None if note.is_watched else _too_many(dispatches, note)
    if denial is not None:
        return Started(note=note, reasons=(denial,))
    if dispatches.add(note):
        return Started(note=note, is_new=True)
    standing = dispatches.find(note.run)
    is_open = standing is not None and is_seen(workspace, standing, request)
    return Started(note=standing if standing is not None and is_open else note)


def _too_many(dispatches: Dispatches, note: DispatchNote) -> Reason | None:
    """A run that is dispatched already may be asked for again, however many there are."""
    principal = note.actor.principal
    others = [item.run for item in dispatches if item.actor.principal == principal]
    if note.run in others:
        return None
    return check_dispatch(note.actor, going_on=len(others))


def _kept_name(name: str) -> str:
    """Returns a host's name of something; empty for one that is a secret, or holds one."""
    return "" if scan_secrets(name) else name


def screen_for(actor: Actor) -> Screen:
    """Returns what keeps the words of ``actor``."""
    return Screen(is_person=is_person_origin(capture_origin(actor, "")))


def recorded_run(workspace: Workspace, run: str) -> Record | None:
    """Returns the record of a run in any state."""
    snapshot = workspace.store.snapshot()
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        return record_of(workspace, snapshot, catalogue, run)


def note_from(record: Record, actor: Actor) -> DispatchNote:
    """Returns what was fixed at dispatch of a run that is recorded."""
    started = started_of(record) or record.observed
    if started is None or not is_id(record.id, RUN_PREFIX):
        raise OtherRunError(f"expected a run, got the {record.kind} {record.id}")
    return DispatchNote(
        run=record.id,
        actor=actor,
        started=started,
        task=_said(record, "task"),
        workflow=_said(record, "workflow"),
        parent=_said(record, "parent"),
        previous=_said(record, "previous"),
        root=_said(record, "root"),
        session=_said(record, "session"),
    )


def _said(record: Record, name: str) -> str:
    return str(record.fields.get(name, ""))
