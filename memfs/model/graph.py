"""What relates to what: entities, the edges that somebody asserts, and those that are built in.

An asserted edge is a record of its own and a claim like any other. A structural edge is only
read off records: what one was derived from, what it cites, what it replaced, which run started
which. The two are never mixed up: whoever walks the graph is told which is which.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

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
    """The start names the end, an entity."""

    @property
    def is_structural(self) -> bool:
        """Whether it is read off records, and asserted by nobody."""
        return self is not EdgeSort.ASSERTED
