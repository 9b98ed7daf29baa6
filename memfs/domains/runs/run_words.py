"""The words of a run as they are kept: screened piece by piece, bounded, counted (C1, C29)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from memfs.model.run import ITEM_CHARS, ITEMS, SUMMARY_CHARS, TASK_CHARS, RunOutcome, Worker
from memfs.services.word_screen import WordScreen

_NAME_CHARS: Final = 100


@dataclass(slots=True)
class Screen(WordScreen):
    """Keeps what may be kept of a run, and counts the rest."""

    def text(self, text: str, limit: int = TASK_CHARS) -> str:
        """Returns the lines of a text that may be kept."""
        return self.kept(text)[:limit].rstrip()

    def item(self, text: str) -> str:
        """Returns one item of a list that may be kept; empty for none."""
        return self.line(text, ITEM_CHARS)

    def lines(self, items: Iterable[str]) -> tuple[str, ...]:
        """Returns the lines that may be kept, at most twenty."""
        kept = map(self.item, items)
        return tuple(item for item in kept if item)[:ITEMS]

    def outcome(self, outcome: RunOutcome) -> RunOutcome:
        """Returns what may be kept of an outcome."""
        workers = (
            Worker(
                self.line(worker.name, _NAME_CHARS),
                self.line(worker.state, _NAME_CHARS),
                self.item(worker.line),
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
            verdict=self.item(outcome.verdict),
            workers=tuple(worker for worker in workers if worker.name),
        )
