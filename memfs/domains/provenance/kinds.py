"""The kinds that account for others; none is recalled as a claim."""

from __future__ import annotations

from memfs.model.ids import OUTCOME_PREFIX
from memfs.model.kinds import FieldSpec, FieldType, Filing, KindSpec

EVIDENCE = KindSpec(
    name="evidence",
    description="A content-free envelope around a source: pointer, digest, principal, time.",
    folder="evidence",
    extension=".json",
    id_prefix="ev",
    append_only=True,
    is_claim=False,
    fields=(
        FieldSpec(
            name="relation",
            field_type=FieldType.STRING,
            description="How the source bears on what names it.",
            choices=("supports", "contradicts", "corrects", "user_confirmed", "outcome_validated"),
        ),
        FieldSpec(
            name="statement_of",
            field_type=FieldType.STRING,
            description="The version that it was made with, where the source is that statement.",
        ),
        FieldSpec(
            name="exit_code",
            field_type=FieldType.INTEGER,
            description="Exit code that the host saw.",
        ),
        FieldSpec(
            name="outcome",
            field_type=FieldType.STRING,
            description="How it ended, as the host saw it.",
            choices=("passed", "failed", "unknown"),
        ),
        FieldSpec(
            name="command_digest",
            field_type=FieldType.STRING,
            description="Digest of the command that the host ran; its words are in the excerpt.",
        ),
        FieldSpec(
            name="path",
            field_type=FieldType.STRING,
            description="File that the host saw, relative to the project.",
        ),
        FieldSpec(
            name="commit",
            field_type=FieldType.STRING,
            description="Commit that was checked out.",
        ),
    ),
)
EXCERPT = KindSpec(
    name="excerpt",
    description="Words of a source, apart from their envelope so that they can be erased.",
    folder="excerpts",
    id_prefix="ex",
    append_only=True,
    is_claim=False,
    is_named_by_id=True,
)
RECEIPT = KindSpec(
    name="receipt",
    description="Content-free account of one operation.",
    folder="receipts",
    extension=".json",
    id_prefix="rcp",
    append_only=True,
    is_claim=False,
    fields=(
        FieldSpec(
            name="operation",
            field_type=FieldType.STRING,
            description="What was done.",
            required=True,
        ),
        FieldSpec(
            name="transaction",
            field_type=FieldType.STRING,
            description="The transaction that carries the receipt.",
            required=True,
        ),
        FieldSpec(
            name="targets",
            field_type=FieldType.STRING_LIST,
            description="Ids concerned.",
        ),
        FieldSpec(
            name="details",
            field_type=FieldType.OBJECT,
            description="Counts, places and guarantees; never content.",
        ),
    ),
)

OUTCOME = KindSpec(
    name="outcome",
    description="How using a record turned out, by a person or by what was observed.",
    folder="outcomes",
    extension=".json",
    id_prefix=OUTCOME_PREFIX,
    append_only=True,
    is_claim=False,
    filing=Filing.BY_SUBJECT,
    fields=(
        FieldSpec(
            name="about",
            field_type=FieldType.STRING,
            description="The record that was used, with its version.",
            required=True,
        ),
        FieldSpec(
            name="result",
            field_type=FieldType.STRING,
            description="How it turned out.",
            required=True,
            choices=("success", "partial", "failure"),
        ),
        FieldSpec(
            name="checks",
            field_type=FieldType.STRING_LIST,
            description="Digests of what was looked up; absent where nothing was.",
        ),
        FieldSpec(
            name="episode",
            field_type=FieldType.STRING,
            description="The attempt that it is taken from; absent for none.",
        ),
        FieldSpec(
            name="conditions",
            field_type=FieldType.STRING,
            description="Digest of the conditions of that attempt.",
        ),
        FieldSpec(
            name="harmful",
            field_type=FieldType.BOOLEAN,
            description="Whether the use did harm.",
        ),
        FieldSpec(
            name="control",
            field_type=FieldType.STRING,
            description="How an attempt under the same conditions ended without memory.",
            choices=("success", "partial", "failure"),
        ),
        FieldSpec(
            name="stage",
            field_type=FieldType.STRING,
            description="The stage of the procedure when it was used.",
            choices=("candidate", "trial", "held_out", "canary", "active", "deprecated"),
        ),
        FieldSpec(
            name="round",
            field_type=FieldType.INTEGER,
            description="The round that the procedure was in.",
        ),
    ),
)

PROVENANCE_KINDS = (EVIDENCE, EXCERPT, RECEIPT, OUTCOME)
