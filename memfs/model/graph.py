"""What relates to what: entities, the edges that somebody asserts, and those that are built in.

An asserted edge is a record of its own and a claim like any other. A structural edge is only
read off records: what one was derived from, what it cites, what it replaced, which run started
which. The two are never mixed up: whoever walks the graph is told which is which.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum
from typing import Final

from memfs.model.frozen import frozen

ENTITY_KIND: Final = "entity"
EDGE_KIND: Final = "edge"
RELATED: Final = "related"
"""The relation of an edge that names none."""
PREVIEW_CHARS: Final = 80


class EdgeSort(StrEnum):
    """Where an edge of the graph comes from."""

    ASSERTED = "asserted"
    """Somebody says so: a record of its own."""
    DERIVED = "derived_from"
    """The start was derived from the end."""
    EVIDENCE = "evidence"
    """The start cites the end as its evidence."""
    SUPERSEDES = "supersedes"
    """The start took the place of the end."""
    LINEAGE = "lineage"
    """The start is a run that the end started, or that came after it."""
    MENTIONS = "mentions"
    """The start names the end: an entity, or what it links to in its prose."""

    @property
    def is_structural(self) -> bool:
        """Whether it is read off records, and asserted by nobody."""
        return self is not EdgeSort.ASSERTED


@frozen
class Link:
    """One edge of the graph, as a walk sees it: where it leads, what it is, who says so.

    Attributes:
        start: Id of the record or entity that it starts at.
        end: Id of what it leads to. What a record names by a name leads to ``name:`` or
            ``called:`` and digests; a catalogue never answers with that.
        relation: How the one bears on the other; of a structural link the name of its sort.
        sort: Where it comes from.
        record: Id of the record that it stands in: the edge, or the start or end themselves.
        path: The file of that record.
        since: From when on it holds; ``None`` for always.
        until: When it ceased to hold, or was replaced; ``None`` for never.
        is_pressure: It only says that two look alike: a reason to look, never a proof (E49).
        rivals: Whom else the name that leads there may mean, for each such name: the link is
            none for who sees one of every set; empty where nobody else is meant.
    """

    start: str
    end: str
    relation: str
    sort: EdgeSort
    record: str
    path: str = ""
    since: datetime | None = None
    until: datetime | None = None
    is_pressure: bool = False
    rivals: frozenset[frozenset[str]] = frozenset()

    def is_meant(self, seen: Collection[str]) -> bool:
        """Tells whether the link leads there for a reader who sees ``seen`` of its rivals."""
        return not self.rivals or any(some.isdisjoint(seen) for some in self.rivals)

    def holds_at(self, moment: datetime) -> bool:
        """Tells whether the link holds at ``moment``; its time is half open."""
        is_begun = self.since is None or self.since <= moment
        return is_begun and (self.until is None or moment < self.until)

    def other_end(self, identifier: str) -> str:
        """Returns the end that is not ``identifier``."""
        return self.end if identifier == self.start else self.start
