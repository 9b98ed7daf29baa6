"""How far a deletion reached in one place: five levels, each including those before (A21, A61)."""

from __future__ import annotations

from enum import StrEnum


class DeletionLevel(StrEnum):
    """What a receipt may claim of a place; it never claims more than was looked at."""

    WITHHELD = "withheld"
    """No read path serves it; its bytes are where they were."""
    REMOVED = "removed"
    """Its file is gone from the ledger's head and the working tree; a tombstone stays."""
    PURGED = "purged"
    """Nothing that was derived from it (index, catalogue, projections, inbox) holds it."""
    ERASED = "erased"
    """Its bytes are gone from the history of this repository as well."""
    DESTROYED = "destroyed"
    """It cannot be read anywhere any more: the key that it was sealed with is gone."""
    KEPT = "kept"
    """Nothing was done to this place; the receipt says so."""
    BEYOND_REACH = "beyond_reach"
    """It may be there, and memfs cannot do anything about it."""
