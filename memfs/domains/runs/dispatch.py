"""Dispatch notes: what is fixed when a run starts, kept until it is recorded.

A note is private to the machine, no history and no record. It fixes what must not follow from
how the run ends: its task, its place among other runs, and when it began (C6). Its words were
screened before they came here. One id has one note; a note goes when its run is recorded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from memfs.model.ids import RUN_PREFIX, is_id
from memfs.model.instants import format_instant, parse_instant
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.run import NO_OUTCOME, RUN_KIND, RunOutcome, RunState, Worker
from memfs.model.values import JsonValue
from memfs.policy.access import AccessRequest, may_read
from memfs.policy.authority import capture_origin
from memfs.services.ports import Workspace
from memfs.services.proposals import title_from
from memfs.store.private_notes import PrivateNotes

FOLDER: Final = "dispatches"
FORGOTTEN_AFTER: Final = timedelta(days=7)
"""A run that no process watches counts as lost when nobody has ended it for so long."""
_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchNote:
    """What is fixed at dispatch.

    Attributes:
        run: ``run_…``.
        task: What it was asked to do, screened and without packets.
        workflow: Name of the kind of work; may be empty.
        parent: The run that started it; empty for none.
        previous: The newest run of the project then; empty for none.
        root: The first run of its chain.
        session: The session that dispatched it; empty for none.
        agent: Plain name of the agent; may be empty.
        actor: Who dispatched it.
        started: When.
        is_watched: A process holds the note for as long as the run lasts.
        said: What was said of it before it ended.
        notes: What was done with its words so far.
        ended: How it ended, where that could not be recorded; empty otherwise.
        ledger: Head of the ledger at dispatch: what changed since may be the run's doing.
    """

    run: str
    task: str
    started: datetime
    actor: Actor
    workflow: str = ""
    parent: str = ""
    previous: str = ""
    root: str = ""
    session: str = ""
    agent: str = ""
    is_watched: bool = False
    said: RunOutcome = NO_OUTCOME
    notes: tuple[str, ...] = ()
    ended: str = ""
    ledger: str = ""


class Dispatches:
    """The dispatch notes of one store."""

    def __init__(self, workspace: Workspace) -> None:
        self._notes = PrivateNotes(workspace.store.git_dir, FOLDER)
        self._workspace = workspace

    def __iter__(self) -> Iterator[DispatchNote]:
        """Yields the notes that can be read, oldest first."""
        found = (self.find(name) for name in self._notes.names())
        notes = [note for note in found if note is not None]
        return iter(sorted(notes, key=lambda note: (note.started, note.run)))

    def find(self, run: str) -> DispatchNote | None:
        """Returns the note of a run; ``None`` where there is none, or a damaged one."""
        content = self._notes.read(run) if is_id(run, RUN_PREFIX) else None
        return _decoded(content) if content is not None else None

    def damaged(self) -> tuple[str, ...]:
        """Returns the names of notes that cannot be read."""
        return tuple(name for name in self._notes.names() if self.find(name) is None)

    def add(self, note: DispatchNote) -> bool:
        """Writes a note; ``False`` where its run has one already."""
        return self._notes.create(note.run, _encoded(note))

    def change(self, note: DispatchNote) -> None:
        """Writes what was said of a run meanwhile into its note."""
        self._notes.replace(note.run, _encoded(note))

    def remove(self, run: str) -> None:
        """Takes the note of a run away."""
        self._notes.remove(run)

    def watching(self, run: str) -> AbstractContextManager[int]:
        """Holds the note of a run for as long as the process that records it lives."""
        return self._notes.held(run)

    def state_of(self, note: DispatchNote) -> RunState:
        """Tells whether a run goes on, or is lost: the process that was to record it is gone.

        A run that no process watches is lost when it was dispatched long ago, or has ended.
        """
        if note.ended:
            is_held = note.is_watched and self._notes.is_held(note.run)
            return RunState.RUNNING if is_held else RunState.LOST
        if note.is_watched:
            return RunState.RUNNING if self._notes.is_held(note.run) else RunState.LOST
        is_old = self._workspace.clock.now() - note.started > FORGOTTEN_AFTER
        return RunState.LOST if is_old else RunState.RUNNING


def is_seen(workspace: Workspace, note: DispatchNote, request: AccessRequest) -> bool:
    """Tells whether a run that goes on may be seen, whole, as the record that it will be."""
    record = Record(
        kind=RUN_KIND,
        id=note.run,
        title=title_from(note.task),
        scope=workspace.scope,
        observed=note.started,
        origin=capture_origin(note.actor, note.task, source=f"run:{note.run}"),
    )
    return may_read(record, request).is_whole


def _encoded(note: DispatchNote) -> bytes:
    value: dict[str, JsonValue] = {
        "version": _VERSION,
        "run": note.run,
        "task": note.task,
        "workflow": note.workflow,
        "parent": note.parent,
        "previous": note.previous,
        "root": note.root,
        "session": note.session,
        "agent": note.agent,
        "principal": str(note.actor.principal),
        "channel": str(note.actor.channel),
        "started": format_instant(note.started),
        "is_watched": note.is_watched,
        "said": outcome_value(note.said),
        "notes": list(note.notes),
        "ended": note.ended,
        "ledger": note.ledger,
    }
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")


def outcome_value(outcome: RunOutcome) -> dict[str, JsonValue]:
    """Returns an outcome as plain data."""
    return {
        "summary": outcome.summary,
        "accomplished": list(outcome.accomplished),
        "issues": list(outcome.issues),
        "resolved": list(outcome.resolved),
        "next": list(outcome.next),
        "verdict": outcome.verdict,
        "workers": workers_value(outcome.workers),
    }


def workers_value(workers: tuple[Worker, ...]) -> list[JsonValue]:
    """Returns workers as plain data, without what is not said of them."""
    found: list[JsonValue] = []
    for worker in workers:
        value = {"name": worker.name, "state": worker.state, "line": worker.line}
        found.append({name: text for name, text in value.items() if text})
    return found


def _decoded(content: bytes) -> DispatchNote | None:
    """Reads a note; what is not as it was written makes the whole note unreadable."""
    try:
        value = json.loads(content)
        note = DispatchNote(
            run=_text(value, "run"),
            task=_text(value, "task"),
            workflow=_text(value, "workflow"),
            parent=_text(value, "parent"),
            previous=_text(value, "previous"),
            root=_text(value, "root"),
            session=_text(value, "session"),
            agent=_text(value, "agent"),
            actor=Actor(
                Principal.parse(_text(value, "principal")), Channel(_text(value, "channel"))
            ),
            started=parse_instant(_text(value, "started")),
            is_watched=value["is_watched"] is True,
            said=_outcome(value["said"]),
            notes=_texts(value, "notes"),
            ended=_text(value, "ended"),
            ledger=_text(value, "ledger"),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return note if is_id(note.run, RUN_PREFIX) else None


def _outcome(value: dict[str, JsonValue]) -> RunOutcome:
    workers = value["workers"]
    return replace(
        NO_OUTCOME,
        summary=_text(value, "summary"),
        accomplished=_texts(value, "accomplished"),
        issues=_texts(value, "issues"),
        resolved=_texts(value, "resolved"),
        next=_texts(value, "next"),
        verdict=_text(value, "verdict"),
        workers=workers_from(workers if isinstance(workers, list) else []),
    )


def workers_from(values: list[JsonValue]) -> tuple[Worker, ...]:
    """Reads workers from plain data; what names nobody is left out."""
    found = []
    for value in values:
        if isinstance(value, dict) and value.get("name"):
            parts = (str(value.get(name, "")) for name in ("name", "state", "line"))
            found.append(Worker(*parts))
    return tuple(found)


def _text(value: dict[str, JsonValue], name: str) -> str:
    found = value[name]
    if not isinstance(found, str):
        raise TypeError(name)
    return found


def _texts(value: dict[str, JsonValue], name: str) -> tuple[str, ...]:
    found = value[name]
    if not isinstance(found, list):
        raise TypeError(name)
    return tuple(str(item) for item in found)
