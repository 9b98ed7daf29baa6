"""The kind of sessions: one content-free record for each conversation with a coding agent."""

from __future__ import annotations

from memfs.model.ids import SESSION_PREFIX
from memfs.model.kinds import FieldSpec, FieldType, Filing, KindSpec

SESSION = KindSpec(
    name="session",
    description="One conversation with a coding agent; its turns lie in a repository apart.",
    folder="sessions",
    extension=".json",
    id_prefix=SESSION_PREFIX,
    append_only=True,
    is_claim=False,
    is_named_by_id=True,
    filing=Filing.BY_ID,
    fields=(
        FieldSpec(
            name="client",
            field_type=FieldType.STRING,
            description="The coding agent, such as claude or codex.",
            required=True,
        ),
        FieldSpec(
            name="host_id",
            field_type=FieldType.STRING,
            description="Its id as that client names it; runs carry the same.",
            required=True,
        ),
        FieldSpec(
            name="started",
            field_type=FieldType.INSTANT,
            description="When it began, as far as is known.",
        ),
        FieldSpec(
            name="resumed_from",
            field_type=FieldType.STRING,
            description="The session that it forks or resumes, as the client names it.",
        ),
    ),
)

SESSION_KINDS = (SESSION,)
