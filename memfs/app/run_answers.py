"""What became of a run, as the one shape that every verb answers in."""

from __future__ import annotations

from memfs.app.environment import lineage_variables
from memfs.domains.runs.finishing import Ended
from memfs.domains.runs.record import Recorded
from memfs.domains.runs.starting import Started
from memfs.model.instants import format_instant
from memfs.model.lineage import Lineage
from memfs.model.result import Result, ResultStatus
from memfs.model.values import JsonValue
from memfs.services.ports import Workspace


def started_result(workspace: Workspace, started: Started) -> Result:
    """Words a dispatch: what was fixed, and the variables for whoever does the work."""
    note = started.note
    status, message = ResultStatus.DONE, f"dispatched {note.run}"
    if started.reasons:
        status, message = ResultStatus.REFUSED, started.reasons[0].message
    elif started.is_recorded:
        status, message = ResultStatus.DUPLICATE, f"{note.run} is recorded already"
    elif not started.is_new:
        status, message = ResultStatus.DUPLICATE, f"{note.run} is dispatched already"
    lineage = Lineage(run=note.run, parent=note.parent, session=note.session, agent=note.agent)
    return Result(
        action="run start",
        target=note.run if status is not ResultStatus.REFUSED else "",
        status=status,
        message=message,
        store=str(workspace.store.root),
        reasons=started.reasons,
        data={
            "run": note.run,
            "started": format_instant(note.started),
            "parent": note.parent,
            "previous": note.previous,
            "root": note.root or note.run,
            "session": note.session,
            "notes": list(note.notes),
            "variables": dict(lineage_variables(lineage)),
        },
    )


def ended_result(workspace: Workspace, ended: Ended) -> Result:
    """Words the end of a run: where it is recorded, what it opened, what was left out."""
    recorded = ended.recorded
    record = recorded.record
    fields = record.fields if record is not None else {}
    data: dict[str, JsonValue] = {
        "run": recorded.run,
        "path": recorded.path,
        "rule": recorded.rule,
        "candidate": recorded.candidate,
        **{name: fields[name] for name in _TOLD if name in fields},
        "issues": [
            {
                "id": change.id,
                "event": str(change.event.kind) if change.event is not None else "",
                "title": change.title,
                "state": str(change.state),
            }
            for change in recorded.issues
        ],
        "evidence": list(record.evidence) if record is not None else [],
    }
    return Result(
        action="run finish",
        target=recorded.candidate or recorded.run,
        status=recorded.status,
        message=_message(ended, recorded),
        operation=recorded.transaction,
        store=str(workspace.store.root),
        reasons=recorded.reasons,
        data={name: value for name, value in data.items() if value not in ("", [], None)},
    )


_TOLD = ("state", "parent", "previous", "root", "session", "exit_code", "duration_s", "notes")


def _message(ended: Ended, recorded: Recorded) -> str:
    if ended.is_noted:
        return f"noted; {recorded.run} is recorded when its command ends"
    match recorded.status:
        case ResultStatus.NOTHING:
            return f"{recorded.run} is recorded already; nothing was written"
        case ResultStatus.WAITING:
            return f"waits for review as {recorded.candidate}: {_why(recorded)}"
        case ResultStatus.DONE:
            return f"recorded as {recorded.run}{_issues(recorded)}{_left_out(recorded)}"
        case _:
            return _why(recorded)


def _why(recorded: Recorded) -> str:
    return recorded.reasons[0].message if recorded.reasons else recorded.rule


def _issues(recorded: Recorded) -> str:
    told = [f"{item.event.kind} {item.id}" for item in recorded.issues if item.event is not None]
    return f"; {', '.join(told)}" if told else ""


def _left_out(recorded: Recorded) -> str:
    notes = recorded.record.fields.get("notes") if recorded.record is not None else None
    return f" ({'; '.join(map(str, notes))})" if isinstance(notes, list) and notes else ""
