"""Typed links from one record to another (A36): evidence for and against, and lineage."""

from __future__ import annotations

from enum import StrEnum

from memfs.model.frozen import frozen


class RelationKind(StrEnum):
    """How the target bears on the record that names it."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    CORRECTS = "corrects"
    USER_CONFIRMED = "user_confirmed"
    OUTCOME_VALIDATED = "outcome_validated"
    RELATED = "related"


@frozen(kw_only=False)
class Relation:
    """One link; ``label`` is free text for ``related`` and empty otherwise."""

    kind: RelationKind
    target: str
    label: str = ""
