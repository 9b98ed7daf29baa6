"""The kind of what happened: an event has a time of its own and says where it is known from."""

from __future__ import annotations

from memfs.model.event import TIMELINE_FOLDER, EventSort
from memfs.model.ids import TIMELINE_PREFIX
from memfs.model.kinds import FieldSpec, FieldType, Filing, KindSpec

EVENT = KindSpec(
    name="event",
    description="Something that happened once: work, a decision, something learned.",
    folder=TIMELINE_FOLDER,
    extension=".json",
    id_prefix=TIMELINE_PREFIX,
    append_only=True,
    single_valued=True,
    is_claim=False,
    is_stated=True,
    is_found=True,
    filing=Filing.BY_EVENT_MONTH,
    fields=(
        FieldSpec(
            name="event_kind",
            field_type=FieldType.STRING,
            description="What sort of event it is.",
            required=True,
            choices=tuple(EventSort),
        ),
        FieldSpec(
            name="project",
            field_type=FieldType.STRING,
            description="The project in which it happened.",
        ),
        FieldSpec(
            name="session",
            field_type=FieldType.STRING,
            description="The session in which it happened, ses_…; absent for none.",
        ),
        FieldSpec(
            name="turns",
            field_type=FieldType.STRING_LIST,
            description="The turns of that session that tell of it, by number or node.",
        ),
        FieldSpec(
            name="commit",
            field_type=FieldType.STRING,
            description="The commit of the project that it is known from; absent for none.",
        ),
        FieldSpec(
            name="run",
            field_type=FieldType.STRING,
            description="The run in which it happened, run_…; absent for none.",
        ),
    ),
)
TIMELINE_KINDS = (EVENT,)
