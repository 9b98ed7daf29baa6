"""The moment that a question is about: what was true then, and what memory knew then."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from memfs.model.frozen import frozen


@frozen
class Moment:
    """When a question is about; ``None`` for now.

    Attributes:
        valid_at: What was true then.
        as_of: What memory knew then.
    """

    valid_at: datetime | None = None
    as_of: datetime | None = None

    @property
    def is_now(self) -> bool:
        """Whether nothing is asked about another time."""
        return self.valid_at is None and self.as_of is None


NOW: Final = Moment()
