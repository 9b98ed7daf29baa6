"""The record: one file, one claim, with the envelope of every kind.

The dataclass mirrors what a file says. It holds no policy: whether a record may be
served is asked of ``memfs.policy.access`` alone (A89).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from types import MappingProxyType

from memfs.model.authority import DEFAULT_SINKS, Authority, Sensitivity, Sink
from memfs.model.event import EVENT_KIND
from memfs.model.frozen import frozen
from memfs.model.graph import EDGE_KIND
from memfs.model.instants import format_instant
from memfs.model.intention import INTENTION_KIND, OPEN_STATES
from memfs.model.naming import entity_key
from memfs.model.origin import Origin
from memfs.model.relation import Relation
from memfs.model.scope import Scope
from memfs.model.status import Status
from memfs.model.values import JsonValue

DEFAULT_IMPORTANCE = 5
NO_FIELDS: Mapping[str, JsonValue] = MappingProxyType({})


@frozen
class Record:
    """One admitted or proposed claim.

    Instants are aware and in UTC. ``observed`` is when memfs learned it, ``event_time``
    when it happened; validity is half open: ``valid_from <= t < valid_until``.

    Attributes:
        id: ``mem_…`` (or the prefix of the kind); empty in a draft that has none yet.
        kind: Name of a registered kind.
        title: One line, at most 200 characters.
        body: Markdown after the frontmatter, exactly as in the file; for JSON kinds empty.
        version: 1 for the first; raised by a correction in the same file.
        subject: What the claim is about, a stable key such as ``python-backend-framework``.
        record_class: What sort of information it is, such as ``clinical``; programs read a
            record that names one only by a grant that names it too.
        confidence: 0 to 1; opens no door.
        importance: 1 to 10.
        taint: Labels of what flowed in, sorted and unique.
        superseded_from: From when on the successor holds; absent where it always did. Until
            then a replaced record still answers.
        conflicts: Ids of the records that say otherwise for some of the same time.
        branch: Branch of the project on which it was learned; empty for none.
        fields: Fields that the kind defines.
        unknown: Fields that no schema knows, kept as they are.
    """

    kind: str
    title: str = ""
    body: str = ""
    id: str = ""
    status: Status = Status.ACTIVE
    version: int = 1
    scope: Scope | None = None
    subject: str = ""
    record_class: str = ""
    observed: datetime | None = None
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    review_after: datetime | None = None
    expires: datetime | None = None
    origin: Origin | None = None
    authority: Authority | None = None
    confidence: float | None = None
    importance: int = DEFAULT_IMPORTANCE
    sensitivity: Sensitivity = Sensitivity.NORMAL
    sinks: frozenset[Sink] = DEFAULT_SINKS
    taint: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    transform: str = ""
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    superseded_from: datetime | None = None
    conflicts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    summary: str = ""
    abstract: str = ""
    branch: str = ""
    fields: Mapping[str, JsonValue] = field(default_factory=lambda: NO_FIELDS)
    unknown: Mapping[str, JsonValue] = field(default_factory=lambda: NO_FIELDS)

    @property
    def reference(self) -> str:
        """The version reference, ``mem_…@2``."""
        return f"{self.id}@{self.version}"

    @property
    def holds_until(self) -> datetime | None:
        """The end of the time that it answers for: of its validity, or where a successor begins."""
        if self.status is not Status.SUPERSEDED or self.superseded_from is None:
            return self.valid_until
        if self.valid_until is None:
            return self.superseded_from
        return min(self.valid_until, self.superseded_from)

    @property
    def said(self) -> str:
        """What it says beside its title, for comparison: its prose, or else its fields.

        What happened at another time is something else that happened: of an event the time and
        the whole of its words count too. An edge says where it leads, however its relation is
        spelled.
        """
        if self.kind == EDGE_KIND:
            start, end = self.fields.get("from", ""), self.fields.get("to", "")
            return f"{start} {entity_key(str(self.fields.get('relation', '')))} {end}"
        if self.kind == "role_memory":
            # How it stands is no part of what it says: what was forgotten stays forgotten.
            parts = (self.fields.get(name, "") for name in ("question", "tension", "implication"))
            return "\n".join(str(part) for part in parts)
        if self.kind == INTENTION_KIND:
            # The same words for another time are another intention, and so are those of one that
            # is over.
            is_open = self.fields.get("state") in OPEN_STATES
            return f"{self.body}\nopen: {is_open}\n{_in_order(self.fields.get('trigger'))}"
        if self.body or self.kind != EVENT_KIND:
            return self.body or self.field_text
        moment = "" if self.event_time is None else format_instant(self.event_time)
        return f"{self.field_text}\nevent_time: {moment}\n{self.summary}".rstrip()

    @property
    def field_text(self) -> str:
        """What its own fields say, a line each: the words of a record that has no prose."""
        lines = (
            f"{name}: {', '.join(map(str, value)) if isinstance(value, list | tuple) else value}"
            for values in (self.fields, self.unknown)
            for name, value in values.items()
        )
        return "\n".join(lines)


def _in_order(value: JsonValue) -> str:
    """Writes a value out, the parts of a mapping by name: the same in whatever order they came."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_in_order(value[name])}" for name in sorted(value))
    return str(value)


@frozen
class StoredRecord:
    """A record together with where the ledger keeps it.

    Attributes:
        record: The decoded record.
        path: Store-relative POSIX path.
        blob: Git blob id of the bytes that were decoded.
        store: Id of the store whose ledger that is; empty where none is concerned.
    """

    record: Record
    path: str
    blob: str
    store: str = ""
