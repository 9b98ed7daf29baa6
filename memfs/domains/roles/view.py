"""What a role remembers, as an operation sees it: read only, and the same for every operation.

A view is a value. What an operation plans gives another view, so that several operations are
planned one behind the other and committed as one. Pure: reading it is ``loading``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType

from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.role import Profile, profile_of, subject_of
from memfs.model.text import normalise_text
from memfs.model.values import JsonValue
from memfs.policy.role_lifecycle import is_open
from memfs.policy.role_sleep import open_short_term


@frozen
class Planned:
    """What one operation would do; nothing of it is done.

    Attributes:
        made: New memories, with their ids.
        changed: Memories as they would stand, by what they say now.
        edges: New edges, with their ids.
        reasons: Why it is refused; then everything else is empty.
        is_nothing: It is not wrong, and there is nothing to do; the reasons say why.
        because: What its receipt says of why.
        words: Words that memories which stand would take in: they are screened.
        heard: The same as memories of their own: none of them may have been forgotten.
        details: What its receipt says besides; counts and ids alone.
    """

    made: tuple[Record, ...] = ()
    changed: tuple[Record, ...] = ()
    edges: tuple[Record, ...] = ()
    reasons: tuple[Reason, ...] = ()
    is_nothing: bool = False
    because: str = ""
    words: tuple[str, ...] = ()
    heard: tuple[Record, ...] = ()
    details: Mapping[str, JsonValue] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleView:
    """What a role remembers.

    Attributes:
        role: Its name.
        now: The present, aware, UTC.
        memories: Its memories by id, in any state; those that were loaded.
        known: Ids of other records that whoever applies the operation may see.
        held: Ids of memories on which a commit made by hand waits: a rest leaves them alone.
        by_subject: Ids of its memories by normalised subject.
    """

    role: str
    now: datetime
    memories: Mapping[str, Record]
    known: frozenset[str] = frozenset()
    held: frozenset[str] = frozenset()
    by_subject: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if self.memories and not self.by_subject:
            grouped = _grouped({}, self.memories.values())
            object.__setattr__(self, "by_subject", MappingProxyType(grouped))

    def get(self, identifier: str) -> Record | None:
        """Returns a memory of the role."""
        return self.memories.get(identifier)

    def has(self, identifier: str) -> bool:
        """Tells whether something of this id can be pointed at."""
        return identifier in self.memories or identifier in self.known

    def short_term(self) -> Mapping[str, Record]:
        """Returns the open memories of conversations that a rest may settle, by id, sorted.

        One on which a commit made by hand waits is a person's to decide on first.
        """
        every = open_short_term(self.memories.values())
        return {name: item for name, item in every.items() if name not in self.held}

    def named(self, subject: str) -> tuple[str, ...]:
        """Returns the ids of the memories of one subject, in any state."""
        return self.by_subject.get(normalise_text(subject), ())

    def open_ones(self, profile: Profile, target: str, topic: str = "") -> Iterator[Record]:
        """Yields the open memories of one profile, target and topic, oldest first."""
        for name in sorted(self.named(subject_of(target, topic))):
            record = self.memories[name]
            if profile_of(record) is profile and is_open(record):
                yield record

    def after(self, planned: Planned) -> RoleView:
        """Returns the view as it would be behind an operation."""
        touched = {record.id: record for record in (*planned.made, *planned.changed)}
        edges = frozenset(edge.id for edge in planned.edges)
        return self._with(touched, self.known | edges)

    def beside(self, more: RoleView) -> RoleView:
        """Returns the view with what was read besides; what stands here already stays."""
        added = {name: item for name, item in more.memories.items() if name not in self.memories}
        return self._with(added, (self.known | more.known) - more.memories.keys())

    def _with(self, records: Mapping[str, Record], known: frozenset[str]) -> RoleView:
        """Returns a view with other memories; what did not change is not looked at again."""
        moved = {
            name
            for name, item in records.items()
            if name not in self.memories or self.memories[name].subject != item.subject
        }
        grouped = _without(self.by_subject, moved, self.memories)
        return replace(
            self,
            memories={**self.memories, **records},
            known=known,
            by_subject=MappingProxyType(_grouped(grouped, (records[name] for name in moved))),
        )


def _grouped(
    standing: Mapping[str, tuple[str, ...]], records: Iterable[Record]
) -> dict[str, tuple[str, ...]]:
    """Returns ids by normalised subject, with those of some records added."""
    found: dict[str, list[str]] = {}
    for record in records:
        found.setdefault(normalise_text(record.subject), []).append(record.id)
    return {
        **standing,
        **{subject: (*standing.get(subject, ()), *names) for subject, names in found.items()},
    }


def _without(
    grouped: Mapping[str, tuple[str, ...]], names: set[str], memories: Mapping[str, Record]
) -> Mapping[str, tuple[str, ...]]:
    """Returns ids by normalised subject without those whose subject is another now."""
    subjects = {normalise_text(memories[name].subject) for name in names if name in memories}
    left = {
        subject: tuple(name for name in grouped.get(subject, ()) if name not in names)
        for subject in subjects
    }
    return {**grouped, **left} if left else grouped
