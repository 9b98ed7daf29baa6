"""The nine stages as data, and what comes next: one table, pure (A76).

A stage says which mode is in force once it is done, and what it and its step back do. What was
forgotten or retracted stays so in both directions, so no row says anything of it. Steps never
jump: forward goes to the next stage, back undoes the newest.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.migration import STAGES, Migration, MigrationSource, Stage
from memfs.model.settings import Mode


@frozen
class StageRule:
    """One stage.

    Attributes:
        mode: In force once it is done; ``None`` for the one that was before the migration.
        does: What it does, in one sentence.
        undoes: What stepping back from it does, in one sentence.
    """

    mode: Mode | None
    does: str
    undoes: str


RULES: Final[Mapping[Stage, StageRule]] = MappingProxyType(
    {
        Stage.PREFLIGHT: StageRule(
            mode=None,
            does="looks at the source and the store, and writes nothing",
            undoes="ends the migration; everything is as it was before",
        ),
        Stage.QUIESCE: StageRule(
            mode=Mode.READ_ONLY,
            does="sets mode: read-only, so that nobody else writes",
            undoes="puts the mode of before in force again",
        ),
        Stage.BACKUP: StageRule(
            mode=Mode.READ_ONLY,
            does="copies ledger and inbox beside the store",
            undoes="leaves the copy where it is",
        ),
        Stage.IMPORT: StageRule(
            mode=Mode.READ_ONLY,
            does="takes in what the source says, unverified, each item with where it stood",
            undoes="takes back what it recorded and what of it waits; the next import restores it",
        ),
        Stage.RECONCILE: StageRule(
            mode=Mode.READ_ONLY,
            does="files what was edited by hand, and checks every record and every commit",
            undoes="leaves filed edits in the inbox, where they wait for you",
        ),
        Stage.PROJECT: StageRule(
            mode=Mode.READ_ONLY,
            does="makes index, views and MEMORY.md anew",
            undoes="leaves them; they are made anew from the ledger at any time",
        ),
        Stage.SHADOW: StageRule(
            mode=Mode.SHADOW,
            does="sets mode: shadow, and tries whether what came in would be found",
            undoes="sets mode: read-only",
        ),
        Stage.ENFORCE: StageRule(
            mode=Mode.ENFORCED,
            does="sets mode: enforced; memory serves and takes in",
            undoes="sets mode: shadow",
        ),
        Stage.FINALISE: StageRule(
            mode=Mode.ENFORCED,
            does="compares the backup with its digests and writes the receipt",
            undoes="opens the migration again",
        ),
    }
)
"""Every stage, in order."""


class Standing(StrEnum):
    """How a wish to migrate meets what is under way already."""

    BEGIN = "begin"
    RESUME = "resume"
    OVER = "over"
    OTHER = "other"


def mode_after(stage: Stage | None, before: Mode) -> Mode:
    """Returns the mode in force once ``stage`` is done; ``before`` where none is."""
    wanted = RULES[stage].mode if stage is not None else None
    return before if wanted is None else wanted


def stage_before(stage: Stage) -> Stage | None:
    """Returns the stage that is done once ``stage`` is undone; ``None`` for the first."""
    place = STAGES.index(stage)
    return STAGES[place - 1] if place else None


def stages_left(migration: Migration | None, until: Stage = Stage.FINALISE) -> tuple[Stage, ...]:
    """Returns the stages that are to be done, in order, up to and with ``until``.

    A stage whose step back was begun and not ended counts as not done: it is done again.
    """
    done = _reached(migration)
    return STAGES[0 if done is None else STAGES.index(done) + 1 : STAGES.index(until) + 1]


def stage_to_undo(migration: Migration) -> Stage:
    """Returns the stage that a step back undoes: the one it was undoing, else the newest."""
    return migration.undoing or migration.done


def standing_of(migration: Migration | None, wanted: MigrationSource | None) -> Standing:
    """Tells how a wish meets what is known.

    Args:
        migration: The newest one of this store; ``None`` where there was none.
        wanted: The source that is named; ``None`` where none is: go on with what is under way.
    """
    if migration is None:
        return Standing.BEGIN
    if migration.is_over:
        return Standing.OVER if wanted is None or wanted == migration.source else Standing.BEGIN
    is_same = wanted is None or (wanted.sort, wanted.path) == (
        migration.source.sort,
        migration.source.path,
    )
    return Standing.RESUME if is_same else Standing.OTHER


def _reached(migration: Migration | None) -> Stage | None:
    if migration is None:
        return None
    return migration.done if migration.undoing is None else stage_before(migration.undoing)
