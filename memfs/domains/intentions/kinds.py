"""The kind of what a person wants to be asked about later."""

from __future__ import annotations

from memfs.model.intention import INTENTION_FOLDER, INTENTION_KIND, INTENTION_PREFIX, IntentionState
from memfs.model.kinds import FieldSpec, FieldType, KindSpec

INTENTION = KindSpec(
    name=INTENTION_KIND,
    description="What a person wants to be asked about later, and when; it never acts.",
    folder=INTENTION_FOLDER,
    id_prefix=INTENTION_PREFIX,
    is_claim=False,
    is_stated=True,
    fields=(
        FieldSpec(
            name="state",
            field_type=FieldType.STRING,
            description="How it stands.",
            required=True,
            choices=tuple(map(str, IntentionState)),
        ),
        FieldSpec(
            name="trigger",
            field_type=FieldType.OBJECT,
            description="When to ask: a time, an event or a state, with its type.",
            required=True,
        ),
        FieldSpec(
            name="window_s",
            field_type=FieldType.INTEGER,
            description="How long an occurrence is worth asking about, in seconds; for ever if "
            "absent.",
        ),
        FieldSpec(
            name="ends",
            field_type=FieldType.INSTANT,
            description="When it ends, whatever came of it; absent for never.",
        ),
        FieldSpec(
            name="after",
            field_type=FieldType.STRING_LIST,
            description="Intentions to be completed, and issues to be closed, before it asks.",
        ),
        FieldSpec(
            name="occurrence",
            field_type=FieldType.STRING,
            description="The occurrence that it asks about, waits with or was put off.",
        ),
        FieldSpec(
            name="due_at",
            field_type=FieldType.INSTANT,
            description="When that came.",
        ),
        FieldSpec(
            name="last",
            field_type=FieldType.STRING,
            description="The newest time that was looked at.",
        ),
        FieldSpec(
            name="taken",
            field_type=FieldType.STRING_LIST,
            description="The events, or the state, that were looked at.",
        ),
        FieldSpec(
            name="asked",
            field_type=FieldType.INTEGER,
            description="How often it asked.",
        ),
        FieldSpec(
            name="missed",
            field_type=FieldType.INTEGER,
            description="How many occurrences went by without an answer.",
        ),
        FieldSpec(
            name="snoozed_until",
            field_type=FieldType.INSTANT,
            description="Until when the question was put off.",
        ),
    ),
)
INTENTION_KINDS = (INTENTION,)
