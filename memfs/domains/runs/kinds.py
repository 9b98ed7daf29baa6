"""The kinds of work: a run and an issue. Neither is a claim; both answer questions."""

from __future__ import annotations

from memfs.model.ids import ISSUE_PREFIX, RUN_PREFIX
from memfs.model.kinds import FieldSpec, FieldType, Filing, KindSpec

RUN = KindSpec(
    name="run",
    description="What an agent was asked to do once, how it ended and what it left open.",
    folder="runs",
    id_prefix=RUN_PREFIX,
    append_only=True,
    is_claim=False,
    is_found=True,
    is_named_by_id=True,
    fields=(
        FieldSpec(
            name="task",
            field_type=FieldType.STRING,
            description="What it was asked to do, without anything that memfs put before it.",
            required=True,
        ),
        FieldSpec(
            name="workflow",
            field_type=FieldType.STRING,
            description="Name of the kind of work, such as review or release.",
        ),
        FieldSpec(
            name="state",
            field_type=FieldType.STRING,
            description="How it ended.",
            required=True,
            choices=("done", "error", "cancelled"),
        ),
        FieldSpec(
            name="started",
            field_type=FieldType.INSTANT,
            description="When it was dispatched.",
            required=True,
        ),
        FieldSpec(
            name="finished",
            field_type=FieldType.INSTANT,
            description="When it ended.",
            required=True,
        ),
        FieldSpec(
            name="parent",
            field_type=FieldType.STRING,
            description="The run that started it; absent for none.",
        ),
        FieldSpec(
            name="previous",
            field_type=FieldType.STRING,
            description="The newest run of the project when it was dispatched; absent for none.",
        ),
        FieldSpec(
            name="root",
            field_type=FieldType.STRING,
            description="The first run of its chain; its own id where it has no parent.",
            required=True,
        ),
        FieldSpec(
            name="session",
            field_type=FieldType.STRING,
            description="The session that dispatched it, as its host names it; absent for none.",
        ),
        FieldSpec(
            name="exit_code",
            field_type=FieldType.INTEGER,
            description="Exit code that memfs saw; absent where it saw none.",
        ),
        FieldSpec(
            name="duration_s",
            field_type=FieldType.NUMBER,
            description="How long it took, in seconds.",
        ),
        FieldSpec(
            name="accomplished",
            field_type=FieldType.STRING_LIST,
            description="What it says it did.",
        ),
        FieldSpec(
            name="issues",
            field_type=FieldType.STRING_LIST,
            description="Ids of the issues whose state it changed.",
        ),
        FieldSpec(
            name="next",
            field_type=FieldType.STRING_LIST,
            description="What it says is to be done next.",
        ),
        FieldSpec(
            name="workers",
            field_type=FieldType.OBJECT_LIST,
            description="Who worked in it: a name, a state and a line each.",
        ),
        FieldSpec(
            name="verdict",
            field_type=FieldType.STRING,
            description="What a check or a reviewer said of it.",
        ),
        FieldSpec(
            name="commit",
            field_type=FieldType.STRING,
            description="Commit of the project that was checked out at the end.",
        ),
        FieldSpec(
            name="notes",
            field_type=FieldType.STRING_LIST,
            description="What memfs did with its words: left out, cut, a model that failed.",
        ),
    ),
)
ISSUE = KindSpec(
    name="issue",
    description="Something that is open, or was: its events stand in it, oldest first.",
    folder="issues",
    id_prefix=ISSUE_PREFIX,
    is_claim=False,
    is_found=True,
    filing=Filing.BY_ID,
    fields=(
        FieldSpec(
            name="key",
            field_type=FieldType.STRING,
            description="Its normalised title, by which two runs mean the same issue.",
            required=True,
        ),
        FieldSpec(
            name="tracker",
            field_type=FieldType.OBJECT,
            description="What the tracker that it came from says of it, field by field.",
        ),
    ),
)

RUN_KINDS = (RUN, ISSUE)
