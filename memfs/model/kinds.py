"""What a kind of record is: its folder, its format and the fields it adds.

A kind is data. Decoding, schema export, folder choice and policy read it, so that a
domain adds a kind with one module and one line in ``memfs.app.registry``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType

from memfs.model.frozen import frozen


class FieldType(StrEnum):
    """The shapes a kind-specific field can have."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    INSTANT = "instant"
    STRING_LIST = "string_list"
    OBJECT = "object"
    OBJECT_LIST = "object_list"


class Filing(StrEnum):
    """How the files of a kind are spread over folders."""

    BY_MONTH = "by_month"
    """``<folder>/2026-11/…``, split before a month grows wide."""
    BY_EVENT_MONTH = "by_event_month"
    """As by month, but the month in which it happened, not the one in which it was learned."""
    BY_ID = "by_id"
    """``<folder>/<end of the id>/…``: the place follows from the id alone, so that two clones
    that make the same record file it in the same place."""
    BY_SUBJECT = "by_subject"
    """``<folder>/<end of the subject>/<subject>-…``: what is about one record stands together."""
    BY_ROLE = "by_role"
    """``<folder>/<role>/<profile>/<end of the id>/…``: what one role remembers stands together."""


@frozen
class FieldSpec:
    """One field that a kind adds to the envelope."""

    name: str
    field_type: FieldType
    description: str
    required: bool = False
    choices: tuple[str, ...] = ()


@frozen
class KindSpec:
    """One kind of record.

    Attributes:
        name: The singular name, as in ``kind: preference``.
        description: One sentence for people and for the schema.
        folder: Store-relative folder, such as ``records/preference``.
        extension: ``.md`` where there is prose, ``.json`` where there is none.
        id_prefix: Prefix of the ids of this kind (``mem`` for claims).
        append_only: Content is never rewritten; only status and successor change (C3).
        single_valued: At most one active record per (subject, scope); two contradict.
        review_after_days: Days until a person should look again; ``None`` for never.
        is_claim: Listed, recalled and projected as a claim; evidence and receipts are not.
        is_found: No claim, and all the same an answer to a question: runs and issues.
        is_stated: No claim that is listed, and all the same what somebody says: events, entities
            and edges are judged like claims.
        is_named_by_id: Its file is called by its id alone, not by its title.
        filing: How its files are spread over folders.
        fields: Fields beyond the envelope.
    """

    name: str
    description: str
    folder: str
    extension: str = ".md"
    id_prefix: str = "mem"
    append_only: bool = False
    single_valued: bool = False
    review_after_days: int | None = None
    is_claim: bool = True
    is_found: bool = False
    is_stated: bool = False
    is_named_by_id: bool = False
    filing: Filing = Filing.BY_MONTH
    fields: tuple[FieldSpec, ...] = ()

    @property
    def is_answer(self) -> bool:
        """Whether a question can be answered with records of this kind."""
        return self.is_claim or self.is_found

    @property
    def is_statement(self) -> bool:
        """Whether a record of this kind is what somebody says, and worth what they are."""
        return self.is_claim or self.is_stated


class KindRegistry:
    """The kinds that a store knows, by name; immutable after construction."""

    __slots__ = ("_by_name",)

    def __init__(self, kinds: Iterable[KindSpec]) -> None:
        by_name: dict[str, KindSpec] = {}
        for kind in kinds:
            if kind.name in by_name:
                raise ValueError(f"the kind {kind.name!r} is registered twice")
            by_name[kind.name] = kind
        self._by_name: Mapping[str, KindSpec] = MappingProxyType(by_name)

    def __iter__(self) -> Iterator[KindSpec]:
        return iter(self._by_name.values())

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def get(self, name: str) -> KindSpec | None:
        """Returns the kind of that name, or ``None``."""
        return self._by_name.get(name)

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in registration order."""
        return tuple(self._by_name)
