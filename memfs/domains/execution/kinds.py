"""The kinds of execution state: a task, whose head moves, and a step, which never changes."""

from __future__ import annotations

from memfs.model.execution import (
    STEP_KIND,
    STEP_PREFIX,
    TASK_KIND,
    TASK_PREFIX,
    Move,
    TaskState,
    Turn,
)
from memfs.model.kinds import FieldSpec, FieldType, Filing, KindSpec

WORK_FOLDER = "work"


def _text(name: str, description: str, *, is_required: bool = False) -> FieldSpec:
    return FieldSpec(
        name=name,
        field_type=FieldType.STRING,
        description=description,
        required=is_required,
    )


def _list(name: str, description: str) -> FieldSpec:
    return FieldSpec(name=name, field_type=FieldType.STRING_LIST, description=description)


TASK = KindSpec(
    name=TASK_KIND,
    description="What is to be reached, what has to hold meanwhile, and how far it has come.",
    folder=WORK_FOLDER,
    id_prefix=TASK_PREFIX,
    is_claim=False,
    is_named_by_id=True,
    filing=Filing.BY_ID,
    fields=(
        _list("constraints", "What has to hold: words, or the id of a record that says it."),
        FieldSpec(
            name="state",
            field_type=FieldType.STRING,
            description="How it stands.",
            required=True,
            choices=tuple(TaskState),
        ),
        _text("head", "The step that it stands at; absent before the first."),
        _list("before", "The steps before the head, nearest first."),
        _list("notes", "What memfs did with its words: left out, by code and number."),
    ),
)
STEP = KindSpec(
    name=STEP_KIND,
    description="One step of a task: a turn, a summary, a field, or that a branch failed.",
    folder=WORK_FOLDER,
    id_prefix=STEP_PREFIX,
    append_only=True,
    is_claim=False,
    filing=Filing.BY_SUBJECT,
    fields=(
        FieldSpec(
            name="move",
            field_type=FieldType.STRING,
            description="What added it.",
            required=True,
            choices=tuple(move for move in Move if move is not Move.FINISH),
        ),
        _list("before", "The steps before it, nearest first; absent for the first."),
        FieldSpec(
            name="turn",
            field_type=FieldType.STRING,
            description="What a step that was grown is.",
            choices=tuple(Turn),
        ),
        _text("tool", "Which tool was called."),
        _text("answers", "The call that a result belongs to."),
        _list("effects", "Records of what was done outside; how that ended stands there alone."),
        _text("compensates", "The effect that these make up for."),
        _text("commit", "Commit of the project that was checked out."),
        _text("run", "The run in which it was taken, run_…; absent for none."),
        _text("first", "First step of the range that was compressed."),
        _text("last", "Last step of it."),
        _text("objective", "What those steps were to reach."),
        _list("questions", "What they left open."),
        _text("name", "Field that is maintained."),
        _text("value", "Its value."),
        _list("checks", "What can be looked up of it, such as path=src/app.py."),
        _text("failed", "Tip of the branch that was left behind."),
        _text("label", "What that branch is called."),
        _list("notes", "What memfs did with its words: left out, by code and number."),
    ),
)
EXECUTION_KINDS = (TASK, STEP)
