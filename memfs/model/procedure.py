"""How far a procedure has been proved, and how one attempt ended (A68, A69)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from memfs.model.digests import content_digest
from memfs.model.record import Record

PROCEDURE_KIND: Final = "procedure"
EPISODE_KIND: Final = "episode"
EARNED_FIELDS: Final = ("round", "pins", "harmed_by", "floor")
"""Fields of a procedure that memfs alone writes, beside its stage."""


class Stage(StrEnum):
    """How far a procedure has been proved, lowest first."""

    CANDIDATE = "candidate"
    TRIAL = "trial"
    HELD_OUT = "held_out"
    CANARY = "canary"
    ACTIVE = "active"
    DEPRECATED = "deprecated"


PROVEN: Final = frozenset({Stage.HELD_OUT, Stage.CANARY, Stage.ACTIVE})
"""Stages that are earned."""
TRIED: Final = PROVEN | {Stage.TRIAL}
"""Stages in which a use is counted."""


def stage_of(record: Record) -> Stage:
    """Returns the stage of a procedure; what says none, or none that exists, is a candidate."""
    try:
        return Stage(str(record.fields.get("stage", "")))
    except ValueError:
        return Stage.CANDIDATE


def round_of(record: Record) -> int:
    """Returns the round that a procedure is in; what an earlier one earned counts no more."""
    value = record.fields.get("round")
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def conditions_digest(conditions: Iterable[str]) -> str:
    """Returns what two attempts under the same conditions share; empty where none are said."""
    said = sorted({" ".join(item.split()) for item in conditions} - {""})
    return content_digest("conditions", "\n".join(said).encode()) if said else ""
