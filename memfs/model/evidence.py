"""What a claim rests on: a source pointer, a digest and, where needed, a quote or a check."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from memfs.model.frozen import frozen

EVIDENCE_KIND: Final = "evidence"
"""Kind of the content-free envelope around a source."""
EXCERPT_KIND: Final = "excerpt"
"""Kind of the words of a source, erasable apart from their envelope."""


@frozen
class Quote:
    """A span that is said to stand verbatim in an evidence record.

    Attributes:
        evidence_id: Id of the evidence record, ``ev_…``.
        text: The quoted words, compared in NFC with white space folded.
    """

    evidence_id: str
    text: str


class Outcome(StrEnum):
    """How something ended, as the host saw it."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


@frozen
class Observation:
    """What the host itself saw: values, never the text that a tool printed.

    Attributes:
        command: What was run, one line; empty when nothing was.
        exit_code: Its exit code, ``None`` when there is none.
        path: The file concerned, relative to the project; empty for none.
        commit: The commit that was checked out; empty when unknown.
        outcome: How it ended; by default what the exit code says.
    """

    command: str = ""
    exit_code: int | None = None
    path: str = ""
    commit: str = ""
    outcome: Outcome = Outcome.UNKNOWN

    @property
    def result(self) -> Outcome:
        """How it ended: what the host says, or else what the exit code does."""
        if self.outcome is not Outcome.UNKNOWN or self.exit_code is None:
            return self.outcome
        return Outcome.FAILED if self.exit_code else Outcome.PASSED


class CheckKind(StrEnum):
    """What can be verified without judgement and without running anything."""

    PATH = "path"
    """A file stands in the project: ``src/x.py``, ``src/x.py:12``, ``src/x.py#name``."""
    COMMIT = "commit"
    """A commit is in the project's history: its id, seven digits or more."""
    OUTCOME = "outcome"
    """The host saw a command end so: ``make test=passed``, ``make test=2``."""
    DATE = "date"
    """A day of the calendar: ``2026-11-30``."""


@frozen(kw_only=False)
class Check:
    """What a claim names to be verified: a kind, and the value as the claim writes it."""

    kind: CheckKind
    value: str
