"""A conflict: records that cannot all be true for the same time, and how that ended (A15)."""

from __future__ import annotations

from enum import StrEnum

from memfs.model.frozen import frozen
from memfs.model.ids import split_version
from memfs.model.record import Record
from memfs.model.scope import Scope

CONFLICT_KIND = "conflict"


class Resolution(StrEnum):
    """How a conflict ended."""

    PERSON = "person"
    """A person said which side stays."""
    VERIFIER = "verifier"
    """A deterministic check held for one side alone."""
    NEWER_STATEMENT = "newer_statement"
    """One who had stated a side stated something newer."""
    WITHDRAWN = "withdrawn"
    """A side was taken back, or ended."""
    MERGED = "merged"
    """Another set holds its members now."""


@frozen
class Conflict:
    """One conflict set as the ledger keeps it.

    Attributes:
        id: ``cfl_…``.
        about_kind: Kind of the members.
        subject: What they disagree about; empty once it is over.
        scope: Namespace of the members.
        members: ``mem_…@2``, sorted; two or more.
        resolution: How it ended; ``None`` while it is open.
        kept: Ids of the members that stayed.
        note: What the person said who resolved it.
    """

    id: str
    about_kind: str
    subject: str = ""
    scope: Scope | None = None
    members: tuple[str, ...] = ()
    resolution: Resolution | None = None
    kept: tuple[str, ...] = ()
    note: str = ""

    @property
    def is_open(self) -> bool:
        """Whether nobody has resolved it."""
        return self.resolution is None

    @property
    def member_ids(self) -> tuple[str, ...]:
        """Ids of the members, without versions."""
        return tuple(split_version(item)[0] for item in self.members)


def conflict_from(record: Record) -> Conflict | None:
    """Reads a conflict from its record; ``None`` where it is none or cannot be read."""
    if record.kind != CONFLICT_KIND:
        return None
    ended = record.fields.get("resolution")
    try:
        resolution = Resolution(ended) if isinstance(ended, str) else None
    except ValueError:
        return None
    return Conflict(
        id=record.id,
        about_kind=str(record.fields.get("about_kind", "")),
        subject=record.subject,
        scope=record.scope,
        members=_strings(record.fields.get("members")),
        resolution=resolution,
        kept=_strings(record.fields.get("kept")),
        note=record.summary,
    )


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        return ()
    return tuple(item for item in value if isinstance(item, str))
