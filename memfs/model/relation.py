"""Typed links from one record to another (A36): evidence for and against, and lineage."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RelationKind(StrEnum):
    """How the target bears on the record that names it."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    CORRECTS = "corrects"
    USER_CONFIRMED = "user_confirmed"
    OUTCOME_VALIDATED = "outcome_validated"
    RELATED = "related"


@dataclass(frozen=True, slots=True)
class Relation:
    """One link; ``label`` is free text for ``related`` and empty otherwise."""

    kind: RelationKind
    target: str
    label: str = ""
