"""The kinds that govern others: none is a claim, none is recalled."""

from __future__ import annotations

from memfs.model.authority import Sensitivity, Sink
from memfs.model.grant import GrantOperation
from memfs.model.kinds import FieldSpec, FieldType, KindSpec

GRANT = KindSpec(
    name="grant",
    description="Who may read what of which scope, until when; it ends, and is taken back at once.",
    folder="grants",
    extension=".json",
    id_prefix="grant",
    append_only=True,
    is_claim=False,
    fields=(
        FieldSpec(
            name="grantee",
            field_type=FieldType.STRING,
            description="Who may, such as agent:claude.",
            required=True,
        ),
        FieldSpec(
            name="opens_scopes",
            field_type=FieldType.STRING_LIST,
            description="Namespaces that it opens.",
            required=True,
        ),
        FieldSpec(
            name="operations",
            field_type=FieldType.STRING_LIST,
            description="What it allows; reading when absent.",
            choices=tuple(GrantOperation),
        ),
        FieldSpec(
            name="record_classes",
            field_type=FieldType.STRING_LIST,
            description="Classes of records that it opens; those without a class when absent.",
        ),
        FieldSpec(
            name="kinds",
            field_type=FieldType.STRING_LIST,
            description="Kinds that it opens; all claims when absent.",
        ),
        FieldSpec(
            name="purposes",
            field_type=FieldType.STRING_LIST,
            description="Purposes that it is for; any when absent.",
        ),
        FieldSpec(
            name="goes_to",
            field_type=FieldType.STRING_LIST,
            description="Where the text may go; to people and agents when absent.",
            choices=tuple(Sink),
        ),
        FieldSpec(
            name="clearance",
            field_type=FieldType.STRING,
            description="The most sensitive that it opens; normal when absent.",
            choices=tuple(item.label for item in Sensitivity if item < Sensitivity.SEALED),
        ),
        FieldSpec(
            name="shown_fields",
            field_type=FieldType.STRING_LIST,
            description="The only fields whose content is shown; all when absent.",
        ),
        FieldSpec(
            name="not_before",
            field_type=FieldType.INSTANT,
            description="It begins then; at once when absent.",
        ),
    ),
)
CONFLICT = KindSpec(
    name="conflict",
    description="Active records that cannot all be true; a person or a verifier resolves it.",
    folder="conflicts",
    extension=".json",
    id_prefix="cfl",
    is_claim=False,
    fields=(
        FieldSpec(
            name="members",
            field_type=FieldType.STRING_LIST,
            description="The records that disagree, with their versions; two or more.",
            required=True,
        ),
        FieldSpec(
            name="about_kind",
            field_type=FieldType.STRING,
            description="Kind of the records that disagree.",
            required=True,
        ),
        FieldSpec(
            name="resolution",
            field_type=FieldType.STRING,
            description="How it ended; absent while it is open.",
            choices=("person", "verifier", "newer_statement", "withdrawn", "merged"),
        ),
        FieldSpec(
            name="kept",
            field_type=FieldType.STRING_LIST,
            description="The records that stayed.",
        ),
    ),
)
POLLUTION = KindSpec(
    name="pollution",
    description="A namespace that is not to be relied on until it is repaired.",
    folder="pollution",
    extension=".json",
    id_prefix="pol",
    append_only=True,
    is_claim=False,
    fields=(
        FieldSpec(
            name="namespace",
            field_type=FieldType.STRING,
            description="The scope that is polluted.",
            required=True,
        ),
        FieldSpec(
            name="cause",
            field_type=FieldType.STRING,
            description="Stable code of why.",
            required=True,
        ),
    ),
)
PUBLICATION = KindSpec(
    name="publication",
    description="A record that was offered to another namespace, which decides for itself.",
    folder="publications",
    extension=".json",
    id_prefix="pub",
    is_claim=False,
    fields=(
        FieldSpec(
            name="record",
            field_type=FieldType.STRING,
            description="The record and version that was offered.",
            required=True,
        ),
        FieldSpec(
            name="destination",
            field_type=FieldType.STRING,
            description="Scope that it was offered to.",
            required=True,
        ),
        FieldSpec(
            name="destination_store",
            field_type=FieldType.STRING,
            description="Id of the store that owns the destination.",
            required=True,
        ),
        FieldSpec(
            name="content_digest",
            field_type=FieldType.STRING,
            description="Digest of what was offered.",
            required=True,
        ),
        FieldSpec(
            name="delivered",
            field_type=FieldType.INSTANT,
            description="When the destination had it; absent until then.",
        ),
        FieldSpec(
            name="received_as",
            field_type=FieldType.STRING,
            description="The candidate, or the record that said the same, at the destination.",
        ),
    ),
)

GOVERNANCE_KINDS = (GRANT, CONFLICT, POLLUTION, PUBLICATION)
