"""How using a record turned out, and what that makes the record worth (A41)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.origin import Origin
from memfs.model.record import Record

OUTCOME_KIND: Final = "outcome"


class UseResult(StrEnum):
    """How a use of a record ended."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILURE = "failure"


@frozen
class UseOutcome:
    """One outcome as the ledger keeps it; it holds no word of anybody.

    Attributes:
        id: ``out_…``.
        about: The version that was used, ``mem_…@2``.
        result: How it ended.
        origin: The person who says so, or memfs itself where it was looked up.
        evidence: What was observed, ``ev_…``; empty where a person's word is all.
        checks: Digests of what was looked up.
        observed: When it was recorded.
        episode: The attempt that it is taken from, ``mem_…``; empty for none.
        conditions: Digest of the conditions of that attempt; empty where none are said.
        is_harmful: Whether the use did harm.
        control: How an attempt under the same conditions ended without memory, if there was one.
        stage: The stage of a procedure when it was used; empty for what has none.
        round: The round that a procedure was in.
    """

    id: str
    about: str
    result: UseResult
    origin: Origin
    evidence: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    observed: datetime | None = None
    episode: str = ""
    conditions: str = ""
    is_harmful: bool = False
    control: UseResult | None = None
    stage: str = ""
    round: int = 0

    @property
    def grounds(self) -> frozenset[str]:
        """What it rests on; two outcomes that share some of it are one."""
        return frozenset((*self.evidence, *self.checks))


@frozen
class Utility:
    """How often using a record turned out how."""

    success: int = 0
    partial: int = 0
    failure: int = 0

    def __str__(self) -> str:
        counts = f"{self.success} success, {self.partial} partial, {self.failure} failure"
        return f"{counts}; worth {self.value:.2f} of 1"

    @property
    def count(self) -> int:
        """The number of outcomes."""
        return self.success + self.partial + self.failure

    @property
    def value(self) -> float:
        """Between -1 and 1, never reaching either; 0 where nothing is known."""
        return (self.success + self.partial / 2 - self.failure) / (self.count + 1)


NO_UTILITY: Final = Utility()


def outcome_from(record: Record) -> UseOutcome | None:
    """Reads an outcome from its record; ``None`` where it is none or cannot be read."""
    if record.kind != OUTCOME_KIND or record.origin is None:
        return None
    try:
        result = UseResult(str(record.fields.get("result", "")))
    except ValueError:
        return None
    checks = record.fields.get("checks", ())
    number = record.fields.get("round")
    control = record.fields.get("control")
    return UseOutcome(
        id=record.id,
        about=str(record.fields.get("about", "")),
        result=result,
        origin=record.origin,
        evidence=record.evidence,
        checks=tuple(map(str, checks)) if isinstance(checks, list | tuple) else (),
        observed=record.observed,
        episode=str(record.fields.get("episode", "")),
        conditions=str(record.fields.get("conditions", "")),
        is_harmful=record.fields.get("harmful") is True,
        control=UseResult(control) if control in tuple(UseResult) else None,
        stage=str(record.fields.get("stage", "")),
        round=number if isinstance(number, int) else 0,
    )
