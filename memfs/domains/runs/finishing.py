"""From dispatch to record: how a run starts, what is said of it meanwhile, and how it ends.

A run is dispatched once and recorded once. Whoever ends it says how; what memfs saw itself is
told apart. A run whose wrapper was killed leaves a note, and is recorded as cancelled by whoever
comes next. Only whoever dispatched a run, whoever works in it, or a person ends it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memfs.domains.runs.dispatch import FOLDER, FORGOTTEN_AFTER, Dispatches, DispatchNote
from memfs.domains.runs.distilling import Distil
from memfs.domains.runs.lineage import Wanted
from memfs.domains.runs.outcome import (
    RunFacts,
    combined,
    extracted,
    head_and_tail,
    spoken_in,
    with_answer,
)
from memfs.domains.runs.record import EndedRun, Recorded, record_run
from memfs.domains.runs.run_words import Screen
from memfs.domains.runs.starting import OtherRunError, note_from, prepare, recorded_run, screen_for
from memfs.domains.runs.views import show_run
from memfs.errors import MemfsError, UsageError
from memfs.model.evidence import Observation
from memfs.model.ids import RUN_PREFIX
from memfs.model.origin import Actor, Channel
from memfs.model.problem import Problem, Severity
from memfs.model.record import StoredRecord
from memfs.model.result import ResultStatus
from memfs.model.run import FINAL_STATES, NO_OUTCOME, RunOutcome, RunState
from memfs.policy.reasons import reason
from memfs.services.modes import is_taking, require_taking
from memfs.services.ports import Workspace
from memfs.services.project_head import project_commit
from memfs.services.word_screen import NOT_KEPT

_LOST: Final = "lost: nobody said how it ended"
_FIX: Final = "memfs doctor --fix records it, as cancelled where nobody knows how it ended"
_DROP: Final = "delete the file; the run was never recorded"
MOST_LOST: Final = 8
"""So many lost runs are recorded on the way of another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """How a run ended, as whoever ends it says.

    Attributes:
        state: ``done``, ``error`` or ``cancelled``.
        run: Its id; by default that of the run that this process works in.
        task: What it was asked to do, where nobody dispatched it.
        workflow: Name of the kind of work, where nobody dispatched it.
        said: What is said of it on purpose.
        output: What it printed, or its head and its tail.
        wanted: Its place, where nobody dispatched it.
        started: When it began, where nobody dispatched it.
        seen: What the host saw; given by the process that wrapped it and by nobody else.
        duration_s: How long it took, as that process measured.
        is_watcher: The process that dispatched it and holds its note ends it.
        corrects: Reference of the recorded run that this account takes the place of.
    """

    state: str
    run: str = ""
    task: str = ""
    workflow: str = ""
    said: RunOutcome = NO_OUTCOME
    output: str = ""
    wanted: Wanted = Wanted()  # noqa: RUF009  frozen, without a field that changes
    started: datetime | None = None
    seen: Observation | None = None
    duration_s: float | None = None
    is_watcher: bool = False
    corrects: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What became of the end of a run.

    Attributes:
        recorded: What was recorded, or why not.
        is_noted: It goes on; what was said is recorded when it ends.
        note: What was fixed at dispatch; ``None`` where nothing is known of it.
    """

    recorded: Recorded
    is_noted: bool = False
    note: DispatchNote | None = None


def end(
    workspace: Workspace, ending: RunEnd, actor: Actor, *, distil: Distil | None = None
) -> Ended:
    """Records a run that ended; twice is once.

    Args:
        workspace: The store.
        ending: How it ended.
        actor: Who ends it.
        distil: Reads it once more, where a model is configured.

    Raises:
        MemoryModeError: The store takes nothing in.
        OtherRunError: It is somebody else's to end.
        UnknownRecordError: There is no run to correct, or none that may be seen.
        RunCorrectionError: The run to correct is another's.
        UsageError: Nobody started the run, and nothing says what was to be done.
    """
    require_taking(workspace)
    if _state(ending.state) is None:
        return _refused(ending.run, "kind.bad-choice", "state")
    if ending.corrects:
        return _corrected(workspace, ending, actor, distil=distil)
    run = ending.run or workspace.lineage.run
    dispatches = Dispatches(workspace)
    note = dispatches.find(run) if run else None
    is_recorded = bool(run) and recorded_run(workspace, run) is not None
    if is_recorded and not ending.run and ending.task.strip():
        # What a process that outlives its run says is told of a run of its own.
        run, is_recorded = "", False
    if is_recorded:
        dispatches.remove(run)
        return Ended(recorded=Recorded(run=run, status=ResultStatus.NOTHING), note=note)
    if note is None:
        wanted = replace(ending.wanted, run=run or ending.wanted.run)
        note = prepare(
            workspace,
            actor,
            task=ending.task,
            workflow=ending.workflow,
            wanted=wanted,
            started=ending.started,
        )
        if not note.task:
            raise _nothing_to_end(run)
    else:
        _require_own(workspace, note, actor)
        is_going_on = note.is_watched and dispatches.state_of(note) is RunState.RUNNING
        if is_going_on and not ending.is_watcher:
            return _noted(dispatches, note, ending, actor)
    recorded = _record(workspace, note, ending, actor, distil=distil)
    dispatches.remove(note.run)
    return Ended(recorded=recorded, note=note)


def _nothing_to_end(run: str) -> UsageError:
    if run:
        return UsageError(f"expected a task for {run}, which nobody started", hint="add --task")
    return UsageError(
        "expected a run that goes on, got none: this process works in no run",
        hint="name one of memfs run list, or say with --task what was to be done",
    )


def bury_lost(workspace: Workspace, actor: Actor, *, most: int = MOST_LOST) -> tuple[Recorded, ...]:
    """Records the runs whose wrapper is gone as cancelled, the oldest first.

    What cannot be recorded now stays where it is and is in nobody's way.

    Args:
        workspace: The store.
        actor: Who comes by.
        most: At most so many.
    """
    if not is_taking(workspace):
        return ()
    dispatches = Dispatches(workspace)
    lost = [note for note in dispatches if dispatches.state_of(note) is RunState.LOST]
    buried = []
    for note in lost[:most]:
        try:
            recorded = record_run(workspace, _lost(workspace, note), actor)
        except MemfsError:
            continue
        is_old = workspace.clock.now() - note.started > FORGOTTEN_AFTER
        if recorded.status is not ResultStatus.REFUSED or is_old:
            dispatches.remove(note.run)
        buried.append(recorded)
    return tuple(buried)


def run_problems(workspace: Workspace) -> tuple[Problem, ...]:
    """Returns the runs that nobody will end, and the notes that cannot be read."""
    dispatches = Dispatches(workspace)
    lost = (
        _problem(note.run, "run.lost", "expected a process that records the run, got none", _FIX)
        for note in dispatches
        if dispatches.state_of(note) is RunState.LOST
    )
    damaged = (
        _problem(name, "run.note-damaged", "expected a dispatch note, got something else", _DROP)
        for name in dispatches.damaged()
    )
    return (*lost, *damaged)


def _problem(name: str, code: str, message: str, hint: str) -> Problem:
    path = f".git/memfs/{FOLDER}/{name}.json"
    return Problem(path, 0, 0, code, message, hint, Severity.WARNING)


def _lost(workspace: Workspace, note: DispatchNote) -> EndedRun:
    """Returns a lost run as it is recorded: as it ended, or as cancelled where nobody knows."""
    told = "late: recorded by another process" if note.ended else _LOST
    state = _state(note.ended) or RunState.CANCELLED
    facts = RunFacts(task=note.task if note.task != NOT_KEPT else "", state=state, said=note.said)
    return EndedRun(
        note=replace(note, notes=(*note.notes, told)),
        state=state,
        finished=max(workspace.clock.now(), note.started),
        outcome=extracted(facts),
        speaker=_teller(note.actor, is_foreign=True),
    )


def _record(
    workspace: Workspace,
    note: DispatchNote,
    ending: RunEnd,
    actor: Actor,
    *,
    distil: Distil | None = None,
    corrects: StoredRecord | None = None,
) -> Recorded:
    """Records a run; where that fails, its note keeps what would have been recorded."""
    ended = _told(workspace, note, ending, actor, distil=distil, corrects=corrects)
    try:
        return record_run(workspace, ended, actor)
    except MemfsError:
        if corrects is None and Dispatches(workspace).find(note.run) is not None:
            kept = replace(ended.note, said=ended.outcome, ended=str(ended.state))
            with suppress(MemfsError):
                Dispatches(workspace).change(kept)
        raise


def _told(
    workspace: Workspace,
    note: DispatchNote,
    ending: RunEnd,
    actor: Actor,
    *,
    distil: Distil | None = None,
    corrects: StoredRecord | None = None,
) -> EndedRun:
    """Extracts and screens what is said of a run."""
    finished = workspace.clock.now()
    is_foreign = bool(ending.output.strip()) or note.said != NO_OUTCOME
    speaker = _teller(actor, is_foreign=is_foreign)
    screen = screen_for(speaker)
    printed = Screen(is_person=False)
    spoken = head_and_tail("\n".join(spoken_in(ending.output)))
    facts = RunFacts(
        task=note.task if note.task != NOT_KEPT else "",
        state=RunState(ending.state),
        said=combined(note.said, screen.outcome(ending.said)),
        output=printed.text(spoken, limit=len(spoken) + 1),
        exit_code=ending.seen.exit_code if ending.seen is not None else None,
    )
    outcome = extracted(facts)
    notes = [*note.notes, *(f"output: {item}" for item in printed.notes)]
    transform, own = "", outcome
    if distil is not None:
        answer = distil(facts, outcome)
        outcome = with_answer(outcome, answer.outcome, is_summary_said=bool(facts.said.summary))
        transform = f"model: {answer.model}" if answer.model else ""
        notes += [answer.note] if answer.note else []
    outcome = screen.outcome(outcome)
    notes += screen.notes
    commit = project_commit(workspace)
    seen = ending.seen
    return EndedRun(
        note=replace(note, notes=tuple(notes)),
        state=facts.state,
        finished=max(finished, note.started),
        outcome=outcome,
        speaker=speaker,
        duration_s=_duration(ending, note, finished),
        seen=replace(seen, commit=commit) if seen is not None else None,
        commit=commit,
        transform=transform,
        suggested=frozenset(outcome.issues) - {*own.issues, *screen.lines(own.issues)}
        if transform
        else frozenset(),
        corrects=corrects,
    )


def _corrected(
    workspace: Workspace, ending: RunEnd, actor: Actor, *, distil: Distil | None
) -> Ended:
    """Records another account of a run: a record of its own that takes its place (C4)."""
    older = show_run(workspace, ending.corrects, actor).stored
    if older is None:
        raise OtherRunError(
            "expected a run that is recorded, got one that goes on", hint="end it: memfs run finish"
        )
    note = note_from(older.record, actor)
    screen = screen_for(actor)
    note = replace(
        note,
        run=workspace.ids.new_id(RUN_PREFIX),
        task=screen.text(ending.task) or note.task,
        workflow=screen.line(ending.workflow, 100) or note.workflow,
        notes=screen.notes,
    )
    recorded = _record(workspace, note, ending, actor, distil=distil, corrects=older)
    return Ended(recorded=recorded, note=note)


def _noted(dispatches: Dispatches, note: DispatchNote, ending: RunEnd, actor: Actor) -> Ended:
    """Keeps what is said of a run that goes on, for its wrapper to record with the rest."""
    screen = screen_for(_teller(actor, is_foreign=False))
    said = combined(note.said, screen.outcome(ending.said))
    notes = tuple(dict.fromkeys((*note.notes, *screen.notes)))
    dispatches.change(replace(note, said=said, notes=notes))
    return Ended(
        recorded=Recorded(run=note.run, status=ResultStatus.DONE), is_noted=True, note=note
    )


def _require_own(workspace: Workspace, note: DispatchNote, actor: Actor) -> None:
    is_own = note.actor.principal == actor.principal or note.run == workspace.lineage.run
    if not actor.is_person and not is_own and note.agent != actor.principal.name:
        raise OtherRunError(
            f"expected {note.actor.principal} to end this run, got {actor.principal}",
            hint="a run is ended by who dispatched it, by who works in it, or by a person",
        )


def _teller(actor: Actor, *, is_foreign: bool) -> Actor:
    """Returns whose words a run tells: what a command printed is nobody's statement but a tool's.

    What the host saw is a value, and what a note says is what stands in a file: neither lends
    its worth to words.
    """
    if is_foreign and actor.channel is not Channel.AGENT:
        return replace(actor, channel=Channel.TOOL)
    return actor


def _state(text: str) -> RunState | None:
    return next((state for state in FINAL_STATES if state == text), None)


def _refused(run: str, code: str, detail: str) -> Ended:
    why = (reason(code, detail),)
    return Ended(recorded=Recorded(run=run, status=ResultStatus.REFUSED, reasons=why, rule=code))


def _duration(ending: RunEnd, note: DispatchNote, finished: datetime) -> float | None:
    if ending.duration_s is not None:
        return round(ending.duration_s, 3)
    seconds = (finished - note.started).total_seconds()
    return round(seconds, 3) if seconds > 0 else None
