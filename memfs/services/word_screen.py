"""Screens the words of one piece of work and keeps count of what was left out of them.

One screen for each thing that is recorded, so that its record notes what all of its texts lost.
What may be kept is not decided here: see :mod:`memfs.services.work_words`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from memfs.model.decision import Reason
from memfs.services.work_words import KeptWords, kept_line, kept_words, merged

NOT_KEPT: Final = "(not kept)"
"""Stands for words of which none may be kept, where a record needs some."""


@dataclass(slots=True)
class WordScreen:
    """Keeps what may be kept, and counts the rest.

    Attributes:
        is_person: A person says it on a channel where people decide.
        left_out: What was left out so far, one entry a piece of text.
    """

    is_person: bool
    left_out: list[tuple[Reason, ...]] = field(default_factory=list)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, as a record notes it: codes and numbers alone."""
        return KeptWords("", merged(self.left_out)).notes

    def kept(self, text: str) -> str:
        """Returns the lines of a text that may be kept, at most as many as a body holds."""
        kept = kept_words(text, is_person=self.is_person)
        self.left_out.append(kept.left_out)
        return kept.text

    def line(self, text: str, limit: int) -> str:
        """Returns a line that may be kept; empty for none.

        Args:
            text: As it arrived.
            limit: Most characters of it.
        """
        if not text.strip():
            return ""
        kept = kept_line(text, is_person=self.is_person)
        self.left_out.append(kept.left_out)
        return kept.text[:limit].rstrip()
