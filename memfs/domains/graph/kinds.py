"""The kinds of the graph: an entity is a page, an edge a small file; both are claims of somebody.

An entity's id follows from scope, type and name, so that two clones that meet the same thing
make the same page. An edge is append-only: what is no longer so is replaced, never rewritten.
"""

from __future__ import annotations

from memfs.model.ids import EDGE_PREFIX, ENTITY_PREFIX
from memfs.model.kinds import FieldSpec, FieldType, Filing, KindSpec
from memfs.model.role import Lifecycle, Profile

ENTITY = KindSpec(
    name="entity",
    description="A thing that memory speaks of: a person, a tool, a file, a service, an idea.",
    folder="graph/entities",
    id_prefix=ENTITY_PREFIX,
    is_claim=False,
    is_stated=True,
    is_found=True,
    filing=Filing.BY_ID,
    fields=(
        FieldSpec(
            name="entity_type",
            field_type=FieldType.STRING,
            description="What sort of thing it is, such as person, file, service or tool.",
        ),
        FieldSpec(
            name="aliases",
            field_type=FieldType.STRING_LIST,
            description="Other names of it, as they are written.",
        ),
        FieldSpec(
            name="attributes",
            field_type=FieldType.OBJECT,
            description="What is known of it by name, a value each.",
        ),
    ),
)
EDGE = KindSpec(
    name="edge",
    description="One relation between two entities or records, with the time for which it holds.",
    folder="graph/edges",
    extension=".json",
    id_prefix=EDGE_PREFIX,
    append_only=True,
    is_claim=False,
    is_stated=True,
    fields=(
        FieldSpec(
            name="from",
            field_type=FieldType.STRING,
            description="Id of the entity or record that it starts at.",
            required=True,
        ),
        FieldSpec(
            name="to",
            field_type=FieldType.STRING,
            description="Id of the entity or record that it leads to.",
            required=True,
        ),
        FieldSpec(
            name="relation",
            field_type=FieldType.STRING,
            description="How the one bears on the other, such as uses or depends on.",
            required=True,
        ),
        FieldSpec(
            name="profile",
            field_type=FieldType.STRING,
            description="Of an edge of role memory: the profile that it belongs to.",
            choices=tuple(Profile),
        ),
        FieldSpec(
            name="lifecycle",
            field_type=FieldType.STRING,
            description="Of an edge of role memory: how it stands.",
            choices=tuple(Lifecycle),
        ),
        FieldSpec(
            name="claim",
            field_type=FieldType.STRING,
            description="Of an edge of role memory: what it says.",
        ),
        FieldSpec(
            name="anchors",
            field_type=FieldType.STRING_LIST,
            description="Of an edge of role memory: what it rests on.",
        ),
        FieldSpec(
            name="source_hashes",
            field_type=FieldType.STRING_LIST,
            description="Of an edge of role memory: digests of what it was read off.",
        ),
    ),
)
GRAPH_KINDS = (ENTITY, EDGE)
