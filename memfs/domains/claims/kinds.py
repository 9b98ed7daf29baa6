"""The nine kinds of claim: what each is for, and which of them hold one value a subject."""

from __future__ import annotations

from memfs.model.kinds import FieldSpec, FieldType, KindSpec

PREFERENCE = KindSpec(
    name="preference",
    description="How a person wants things done.",
    folder="records/preference",
    single_valued=True,
)
PROFILE = KindSpec(
    name="profile",
    description="Something about a person that rarely changes: name, role, environment.",
    folder="records/profile",
    single_valued=True,
)
FACT = KindSpec(
    name="fact",
    description="Something that is so, about the project or its surroundings.",
    folder="records/fact",
    single_valued=True,
    review_after_days=180,
)
DECISION = KindSpec(
    name="decision",
    description="What was decided, and why.",
    folder="records/decision",
    single_valued=True,
    review_after_days=365,
)
REFERENCE = KindSpec(
    name="reference",
    description="Where something is found: a page, a file, a command.",
    folder="records/reference",
    review_after_days=180,
)
WARNING = KindSpec(
    name="warning",
    description="What went wrong before and should not again.",
    folder="records/warning",
    review_after_days=365,
)
NOTE = KindSpec(
    name="note",
    description="Anything worth keeping that is none of the others.",
    folder="records/note",
    review_after_days=180,
    fields=(
        FieldSpec(
            name="session",
            field_type=FieldType.STRING,
            description="The session that it was saved in; opens with: memfs session open.",
        ),
        FieldSpec(
            name="session_name",
            field_type=FieldType.STRING,
            description="What that session was called.",
        ),
        FieldSpec(
            name="forced",
            field_type=FieldType.STRING_LIST,
            description="Ids of the nodes, or codes of the rules, that it was saved in spite of.",
        ),
    ),
)
PROCEDURE = KindSpec(
    name="procedure",
    description="Steps that worked; never executable and never a permission.",
    folder="records/procedure",
    fields=(
        FieldSpec(
            name="applies_when",
            field_type=FieldType.STRING_LIST,
            description="Conditions under which the steps hold.",
        ),
        FieldSpec(
            name="stage",
            field_type=FieldType.STRING,
            description="How far it has been proved.",
            choices=("candidate", "trial", "held_out", "canary", "active", "deprecated"),
        ),
        FieldSpec(
            name="script",
            field_type=FieldType.STRING,
            description="A file of the project that holds the steps; memfs never runs it.",
        ),
        FieldSpec(
            name="tools",
            field_type=FieldType.STRING_LIST,
            description="Files of the project, or programs, that the steps depend on.",
        ),
        FieldSpec(
            name="pins",
            field_type=FieldType.STRING_LIST,
            description="Digests of the script and the tools as they were tried; memfs keeps them.",
        ),
        FieldSpec(
            name="round",
            field_type=FieldType.INTEGER,
            description="Which round it is in; what was earned in an earlier one counts no more.",
        ),
        FieldSpec(
            name="floor",
            field_type=FieldType.STRING,
            description="The stage that the round began with, or that a person gave it since.",
            choices=("trial", "canary", "active"),
        ),
        FieldSpec(
            name="harmed_by",
            field_type=FieldType.STRING,
            description="The outcome that took everything back; absent for none.",
        ),
    ),
)
EPISODE = KindSpec(
    name="episode",
    description="What was tried once, under which conditions, and how it ended.",
    folder="records/episode",
    append_only=True,
    fields=(
        FieldSpec(
            name="outcome",
            field_type=FieldType.STRING,
            description="How it ended, by a verifier or a person.",
            choices=("success", "partial", "failure"),
        ),
        FieldSpec(
            name="conditions",
            field_type=FieldType.STRING_LIST,
            description="Versions, platform and circumstances.",
        ),
        FieldSpec(
            name="procedure",
            field_type=FieldType.STRING,
            description="The version that was followed; absent for an attempt without memory.",
        ),
    ),
)

CLAIM_KINDS = (
    PREFERENCE,
    PROFILE,
    FACT,
    DECISION,
    REFERENCE,
    WARNING,
    NOTE,
    PROCEDURE,
    EPISODE,
)
