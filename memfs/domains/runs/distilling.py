"""The seam for a model that reads a run once more: opt-in, one call a record, add-only (C12, C13).

Nothing here calls a model. Whoever has one gives a :class:`Distil`; without it nothing is asked.
What it answers can add words to this one record and nothing else, is screened like any other
words, and a failure is a note in the record that would have been made anyway (C14).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from memfs.domains.runs.outcome import RunFacts
from memfs.model.run import NO_OUTCOME, RunOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Distilled:
    """What a model made of one run.

    Attributes:
        outcome: What it would add; empty where it failed.
        model: Name of the model, for the record's ``transform``; empty where nothing was added.
        note: What went wrong, as a code such as ``model.timeout``; empty for nothing.
    """

    outcome: RunOutcome = NO_OUTCOME
    model: str = ""
    note: str = ""


Distil: TypeAlias = Callable[[RunFacts, RunOutcome], Distilled]
"""Reads what is known of a run and what was extracted; raises nothing."""
