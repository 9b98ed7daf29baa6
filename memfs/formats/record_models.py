"""The envelope as pydantic models: every fault of a file at once, and the exported schemas.

Imported on paths that check or write, never on those that only read: importing pydantic costs
more than a whole recall.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
    create_model,
)

from memfs.formats.field_readers import ID_PATTERN, LINE_PATTERN, REFERENCE_PATTERN, read_instant
from memfs.model.kinds import FieldSpec, FieldType, KindSpec
from memfs.model.limits import (
    BODY_BYTES,
    LABEL_CHARS,
    LINE_CHARS,
    LIST_ITEMS,
    MAX_VERSION,
    TEXT_CHARS,
    TITLE_CHARS,
)
from memfs.model.origin import Principal
from memfs.model.record import DEFAULT_IMPORTANCE
from memfs.model.scope import Scope

_INSTANT_SCHEMA: Final[dict[str, Any]] = {
    "type": "string",
    "description": "RFC 3339 instant with a zone, or a date",
    "pattern": r"^\d{4}-\d{2}-\d{2}",
}


def _check_scope(text: str) -> str:
    Scope.parse(text)
    return text


def _check_principal(text: str) -> str:
    Principal.parse(text)
    return text


def _check_instant(text: str) -> str:
    read_instant(text)
    return text


def _check_no_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("expected text without NUL")
    return text


Line: TypeAlias = Annotated[str, StringConstraints(pattern=LINE_PATTERN, max_length=LINE_CHARS)]
Label: TypeAlias = Annotated[str, StringConstraints(pattern=LINE_PATTERN, max_length=LABEL_CHARS)]
Title: TypeAlias = Annotated[str, StringConstraints(pattern=LINE_PATTERN, max_length=TITLE_CHARS)]
Text: TypeAlias = Annotated[
    str, StringConstraints(max_length=TEXT_CHARS), AfterValidator(_check_no_nul)
]
FieldText: TypeAlias = Annotated[
    str, StringConstraints(max_length=BODY_BYTES), AfterValidator(_check_no_nul)
]
Id: TypeAlias = Annotated[str, StringConstraints(pattern=ID_PATTERN)]
Reference: TypeAlias = Annotated[str, StringConstraints(pattern=REFERENCE_PATTERN)]
Instant: TypeAlias = Annotated[str, AfterValidator(_check_instant), WithJsonSchema(_INSTANT_SCHEMA)]
ScopeText: TypeAlias = Annotated[
    str,
    AfterValidator(_check_scope),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": r"^(global|(project|thread|task|agent|session|team):[A-Za-z0-9].*)$",
        }
    ),
]
PrincipalText: TypeAlias = Annotated[
    str,
    AfterValidator(_check_principal),
    WithJsonSchema({"type": "string", "pattern": r"^(user|agent|tool|system):[A-Za-z0-9].*$"}),
]
OriginClassName: TypeAlias = Literal[
    "user_stated",
    "host_observed",
    "workspace",
    "remote",
    "agent_stated",
    "imported",
    "system",
]
ChannelName: TypeAlias = Literal[
    "terminal",
    "editor",
    "page",
    "form",
    "scripted",
    "prompt-hook",
    "host",
    "workspace",
    "tool",
    "agent",
    "import",
    "system",
]
SinkName: TypeAlias = Literal["person", "agent", "export", "remote"]
StatusName: TypeAlias = Literal[
    "active", "superseded", "retracted", "expired", "repair_pending", "deleted_tombstone"
]
AuthorityName: TypeAlias = Literal["none", "unverified", "remote", "workspace", "observed", "user"]
SensitivityName: TypeAlias = Literal["public", "normal", "confidential", "secret", "sealed"]
RelationName: TypeAlias = Literal[
    "supports", "contradicts", "corrects", "user_confirmed", "outcome_validated", "related"
]
_Many = Field(max_length=LIST_ITEMS)


class OriginModel(BaseModel):
    """Who said it, how it arrived and where it stood."""

    model_config = ConfigDict(strict=True, extra="forbid")

    origin_class: OriginClassName = Field(
        alias="class", description="What the origin is worth; set from the channel."
    )
    principal: PrincipalText = Field(description="Who acted, such as user:ana.")
    channel: ChannelName = Field(description="How it reached memfs.")
    source: Line = Field(default="", description="Pointer into the source.")
    digest: Line = Field(default="", description="Digest of the source text.")
    speaker: Line = Field(default="", description="Who said it, according to the transport.")


class RelationModel(BaseModel):
    """How another record bears on this one."""

    model_config = ConfigDict(strict=True, extra="forbid")

    kind: RelationName = Field(description="How the target bears on this record.")
    target: Line = Field(description="Id of the other record.")
    label: Line = Field(default="", description="Free label of a 'related' link.")


class EnvelopeModel(BaseModel):
    """What every record can say of itself. No field can grant an action."""

    model_config = ConfigDict(strict=True, extra="allow")

    id: Id = Field(default="", description="Identity; never changes.")
    kind: Line = Field(description="Kind of the record.")
    title: Title = Field(default="", description="One line; the first words of the body if absent.")
    status: StatusName = Field(default="active", description="Only active records are served.")
    version: int = Field(default=1, ge=1, le=MAX_VERSION, description="Raised by a correction.")
    scope: ScopeText | None = Field(default=None, description="Where it holds: project:NAME.")
    subject: Line = Field(default="", description="What it is about, a stable key.")
    record_class: Label = Field(
        default="", description="Sort of information; programs need a grant for it."
    )
    observed: Instant | None = Field(default=None, description="When memfs learned it.")
    event_time: Instant | None = Field(default=None, description="When it happened.")
    valid_from: Instant | None = Field(default=None, description="True from then on.")
    valid_until: Instant | None = Field(default=None, description="True until just before then.")
    review_after: Instant | None = Field(default=None, description="Look again then.")
    expires: Instant | None = Field(default=None, description="No longer served from then on.")
    authority: AuthorityName | None = Field(
        default=None, description="What it may be believed for; never a permission."
    )
    confidence: float | None = Field(default=None, ge=0, le=1, description="How likely; 0 to 1.")
    importance: int = Field(default=DEFAULT_IMPORTANCE, ge=1, le=10, description="1 to 10.")
    sensitivity: SensitivityName = Field(default="normal", description="How closely it is kept.")
    sinks: Annotated[list[SinkName], _Many] = Field(
        default=["person", "agent", "export", "remote"], description="Where its text may go."
    )
    taint: Annotated[list[Label], _Many] = Field(default=[], description="What flowed in.")
    tags: Annotated[list[Label], _Many] = Field(default=[], description="Free labels.")
    entities: Annotated[list[Line], _Many] = Field(default=[], description="Names it is about.")
    origin: OriginModel | None = Field(default=None, description="Where it came from.")
    evidence: Annotated[list[Reference], _Many] = Field(default=[], description="What it rests on.")
    derived_from: Annotated[list[Reference], _Many] = Field(
        default=[], description="Records it was made from."
    )
    transform: Line = Field(default="", description="How it was made from them.")
    supersedes: Annotated[list[Reference], _Many] = Field(
        default=[], description="What it replaced."
    )
    superseded_by: Reference = Field(default="", description="What replaced it.")
    superseded_from: Instant | None = Field(
        default=None, description="The successor holds from then on; until then this one does."
    )
    conflicts: Annotated[list[Reference], _Many] = Field(
        default=[], description="Active records that say otherwise."
    )
    relations: Annotated[list[RelationModel], _Many] = Field(default=[], description="Typed links.")
    branch: Line = Field(default="", description="Branch of the project it was learned on.")
    summary: Text = Field(default="", description="A few sentences.")
    abstract: Text = Field(default="", description="One sentence.")


_TYPES: Final[Mapping[FieldType, Any]] = {
    FieldType.STRING: FieldText,
    FieldType.INTEGER: int,
    FieldType.NUMBER: float,
    FieldType.BOOLEAN: bool,
    FieldType.INSTANT: Instant,
    FieldType.STRING_LIST: Annotated[list[FieldText], _Many],
    FieldType.OBJECT: dict[str, Any],
    FieldType.OBJECT_LIST: Annotated[list[dict[str, Any]], _Many],
}


def _field_type(spec: FieldSpec) -> Any:
    if not spec.choices:
        return _TYPES[spec.field_type]
    choice: Any = Literal.__getitem__(spec.choices)
    return Annotated[list[choice], _Many] if spec.field_type is FieldType.STRING_LIST else choice


@lru_cache(maxsize=256)
def model_for(kind: KindSpec) -> type[EnvelopeModel]:
    """Returns the model of one kind: the envelope, its id prefix and the fields that it adds."""
    pattern = ID_PATTERN.replace("[a-z]{2,8}", kind.id_prefix)
    fields: dict[str, Any] = {
        "kind": (Literal[kind.name], Field(description="Kind of the record.")),
        "id": (
            Annotated[str, StringConstraints(pattern=pattern)],
            Field(default="", description="Identity; never changes."),
        ),
    }
    for spec in kind.fields:
        annotation = _field_type(spec)
        if spec.required:
            fields[spec.name] = (annotation, Field(description=spec.description))
        else:
            optional = annotation | None
            fields[spec.name] = (optional, Field(default=None, description=spec.description))
    name = "".join(part.title() for part in kind.name.split("_")) + "Record"
    return create_model(name, __base__=EnvelopeModel, __doc__=kind.description, **fields)
