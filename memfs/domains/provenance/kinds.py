"""The kinds that account for others; none is recalled as a claim."""

from __future__ import annotations

from memfs.model.kinds import FieldSpec, FieldType, KindSpec

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
            name="excerpt",
            field_type=FieldType.STRING,
            description="Words of the source, only where a claim quotes them.",
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

PROVENANCE_KINDS = (EVIDENCE, EXCERPT, RECEIPT)
