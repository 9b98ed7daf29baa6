"""The words of a run as they are kept: screened piece by piece, bounded, counted (C1, C29)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from memfs.model.decision import Reason
from memfs.model.run import ITEM_CHARS, ITEMS, SUMMARY_CHARS, TASK_CHARS, RunOutcome, Worker
from memfs.services.work_words import KeptWords, kept_line, kept_words, merged

NOT_KEPT: Final = "(not kept)"
"""Stands for a task of which no word may be kept."""
_NAME_CHARS: Final = 100


@dataclass(slots=True)
class Screen:
    """Keeps what may be kept, and counts the rest.

    Attributes:
        is_person: A person says it on a channel where people decide.
        left_out: What was left out so far, one entry a piece of text.
    """

    is_person: bool
    left_out: list[tuple[Reason, ...]] = field(default_factory=list)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, as a record notes it."""
        return KeptWords("", merged(self.left_out)).notes

    def text(self, text: str, limit: int = TASK_CHARS) -> str:
        """Returns the lines of a text that may be kept."""
        kept = kept_words(text, is_person=self.is_person)
        self.left_out.append(kept.left_out)
        return kept.text[:limit].rstrip()

    def line(self, text: str, limit: int = ITEM_CHARS) -> str:
        """Returns a line that may be kept; empty for none."""
        if not text.strip():
            return ""
        kept = kept_line(text, is_person=self.is_person)
        self.left_out.append(kept.left_out)
        return kept.text[:limit].rstrip()

    def lines(self, items: Iterable[str]) -> tuple[str, ...]:
        """Returns the lines that may be kept, at most twenty."""
        kept = (self.line(item) for item in items)
        return tuple(item for item in kept if item)[:ITEMS]

    def outcome(self, outcome: RunOutcome) -> RunOutcome:
        """Returns what may be kept of an outcome."""
        workers = (
            Worker(
                self.line(worker.name, _NAME_CHARS),
                self.line(worker.state, _NAME_CHARS),
                self.line(worker.line),
            )
            for worker in outcome.workers[:ITEMS]
        )
        return replace(
            outcome,
            summary=self.line(outcome.summary, SUMMARY_CHARS),
            accomplished=self.lines(outcome.accomplished),
            issues=self.lines(outcome.issues),
            resolved=self.lines(outcome.resolved),
            next=self.lines(outcome.next),
            verdict=self.line(outcome.verdict),
            workers=tuple(worker for worker in workers if worker.name),
        )
