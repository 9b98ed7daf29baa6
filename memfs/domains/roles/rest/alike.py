"""Short-term memories that say the same, put together: by target and topic, or by their words.

Pure, and the same for the same memories in any order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from memfs.model.record import Record
from memfs.model.record_fields import text_field
from memfs.model.role import number_of
from memfs.model.text import normalise_text
from memfs.policy.paraphrase import is_paraphrase, said_words

_COMPARED: Final = 64
"""Latest groups of one target that a memory without a topic is compared with, so that ten thousand
of them are not compared each with each; the very same words are found however long ago."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """Memories that say the same, by id; at least one."""

    members: tuple[Record, ...]

    @property
    def lead(self) -> Record:
        """The one that speaks for the others: it matters most, then came most often."""
        return max(
            self.members,
            key=lambda item: (
                number_of(item, "salience"),
                number_of(item, "repeats"),
                item.id,
            ),
        )


def groups_of(memories: Iterable[Record]) -> tuple[Alike, ...]:
    """Returns memories in groups of what says the same, in order of their first member.

    Of one target and topic, everything is one group; without a topic, what says the same in
    other words.
    """
    groups: dict[str, list[Record]] = {}
    near: dict[str, list[list[Record]]] = {}
    same: dict[tuple[str, frozenset[str]], list[Record]] = {}
    for record in sorted(memories, key=lambda item: item.id):
        target = normalise_text(text_field(record, "target"))
        if text_field(record, "topic"):
            groups.setdefault(normalise_text(record.subject), []).append(record)
            continue
        words = target, said_words(record.title)
        known = near.setdefault(target, [])
        group = same.get(words) or _met(record, known)
        if group is None or not is_paraphrase(group[0].title, record.title):
            group = []
            known.append(group)
        same.setdefault(words, group)
        group.append(record)
    found = [*groups.values(), *(group for known in near.values() for group in known)]
    return tuple(Alike(members=tuple(group)) for group in sorted(found, key=lambda g: g[0].id))


def _met(record: Record, known: list[list[Record]]) -> list[Record] | None:
    latest = known[-_COMPARED:]
    return next((group for group in latest if is_paraphrase(group[0].title, record.title)), None)
