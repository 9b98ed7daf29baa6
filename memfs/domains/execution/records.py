"""Steps and tasks as records, and back: what a file says is what the tree is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memfs.errors import UsageError
from memfs.model.evidence import Check, CheckKind
from memfs.model.execution import STEP_KIND, Move, Step, Task, TaskState, Turn
from memfs.model.ids import split_version
from memfs.model.record import Record
from memfs.model.values import JsonValue
from memfs.services.word_screen import NOT_KEPT

TITLE_CHARS = 120
"""Stands for words of which none may be kept."""


def step_record(step: Step, task: str, notes: Sequence[str] = ()) -> Record:
    """Returns the record of a step of ``task``."""
    said: dict[str, JsonValue] = {
        "move": str(step.move),
        "before": list(step.before),
        "turn": str(step.turn) if step.turn is not None else "",
        "tool": step.tool,
        "answers": step.answers,
        "effects": list(step.effects),
        "compensates": step.compensates,
        "commit": step.commit,
        "run": step.run,
        "first": step.first,
        "last": step.last,
        "objective": step.objective,
        "questions": list(step.questions),
        "name": step.name,
        "value": step.value,
        "checks": [f"{check.kind}={check.value}" for check in step.checks],
        "failed": step.failed,
        "label": step.label,
        "notes": list(notes),
    }
    return Record(
        kind=STEP_KIND,
        id=step.id,
        title=step.title or NOT_KEPT,
        body=f"{step.text}\n" if step.text else "",
        subject=task,
        observed=step.at,
        evidence=step.evidence,
        derived_from=step.sources,
        fields={name: value for name, value in said.items() if value not in ("", [])},
    )


def step_from(record: Record) -> Step | None:
    """Returns the step that a record is; ``None`` where it cannot be one."""
    fields = record.fields
    try:
        move = Move(_text(fields, "move"))
        turn = Turn(_text(fields, "turn")) if fields.get("turn") else None
        checks = tuple(check_from(item) for item in _list(fields, "checks"))
    except (ValueError, UsageError):
        return None
    return Step(
        id=record.id,
        move=move,
        title=record.title,
        text=record.body.removesuffix("\n"),
        before=before_of(record),
        turn=turn,
        tool=_text(fields, "tool"),
        answers=_text(fields, "answers"),
        effects=_list(fields, "effects"),
        compensates=_text(fields, "compensates"),
        commit=_text(fields, "commit"),
        run=_text(fields, "run"),
        first=_text(fields, "first"),
        last=_text(fields, "last"),
        sources=tuple(split_version(item)[0] for item in record.derived_from),
        objective=_text(fields, "objective"),
        questions=_list(fields, "questions"),
        name=_text(fields, "name"),
        value=_text(fields, "value"),
        checks=checks,
        evidence=record.evidence,
        failed=_text(fields, "failed"),
        label=_text(fields, "label"),
        at=record.observed,
        by=str(record.origin.principal) if record.origin is not None else "",
    )


def before_of(record: Record) -> tuple[str, ...]:
    """Returns the steps before the one that a record is, nearest first."""
    return _list(record.fields, "before")


def task_from(record: Record) -> Task:
    """Returns the task that a record is; a state that is none counts as closed."""
    try:
        state = TaskState(_text(record.fields, "state"))
    except ValueError:
        state = TaskState.ABANDONED
    return Task(
        id=record.id,
        goal=record.title,
        detail=record.body.strip("\n"),
        constraints=_list(record.fields, "constraints"),
        state=state,
        head=_text(record.fields, "head"),
        before=_list(record.fields, "before"),
    )


def task_fields(task: Task, fields: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """Returns the fields of a task's record with its state and head as they are now."""
    moved: dict[str, JsonValue] = {
        **fields,
        "constraints": list(task.constraints),
        "state": str(task.state),
        "head": task.head,
        "before": list(task.before),
    }
    return {name: value for name, value in moved.items() if value not in ("", [])}


def check_from(text: str) -> Check:
    """Reads a check as people type it, such as ``path=src/app.py``.

    Raises:
        UsageError: There is no such kind of check.
    """
    kind, _, value = text.partition("=")
    try:
        return Check(CheckKind(kind), value)
    except ValueError:
        choices = ", ".join(CheckKind)
        raise UsageError(f"expected a check of {choices}, got {kind!r}") from None


def title_of(text: str) -> str:
    """Returns the first line of a text, cut to what a title may be."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return first if len(first) <= TITLE_CHARS else f"{first[: TITLE_CHARS - 1].rstrip()}…"


def _text(fields: Mapping[str, JsonValue], name: str) -> str:
    value = fields.get(name, "")
    return value if isinstance(value, str) else ""


def _list(fields: Mapping[str, JsonValue], name: str) -> tuple[str, ...]:
    value = fields.get(name)
    if not isinstance(value, list | tuple):
        return ()
    return tuple(item for item in value if isinstance(item, str))
