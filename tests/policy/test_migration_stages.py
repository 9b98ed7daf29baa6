"""The stages of a migration, and what comes next, for every place where one can stand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from memfs.model.migration import STAGES, Migration, MigrationSource, SourceSort, Stage
from memfs.model.settings import Mode
from memfs.policy.migration_stages import (
    RULES,
    Standing,
    mode_after,
    stage_before,
    stage_to_undo,
    stages_left,
    standing_of,
)
from tests.support.memory import START

NOTES = MigrationSource(sort=SourceSort.FILES, path="/notes", digest="sha256:x:1")
OTHER = MigrationSource(sort=SourceSort.FILES, path="/other", digest="sha256:x:2")


def at(stage: Stage, *, undoing: Stage | None = None) -> Migration:
    return Migration(
        name="migrate-1",
        source=NOTES,
        is_accepting=True,
        mode=Mode.SHADOW,
        started=START,
        done=stage,
        undoing=undoing,
    )


def test_there_are_nine_stages_each_with_its_row_in_order() -> None:
    named = ["preflight", "quiesce", "backup", "import", "reconcile"]
    named += ["project", "shadow", "enforce", "finalise"]
    assert [str(stage) for stage in STAGES] == [str(stage) for stage in RULES] == named


def test_nobody_else_writes_from_quiesce_until_enforce_and_nothing_is_served_in_shadow() -> None:
    modes = [mode_after(stage, Mode.ENFORCED) for stage in STAGES]
    assert modes == [
        Mode.ENFORCED,
        *[Mode.READ_ONLY] * 5,
        Mode.SHADOW,
        Mode.ENFORCED,
        Mode.ENFORCED,
    ]
    assert mode_after(Stage.PREFLIGHT, Mode.SHADOW) is Mode.SHADOW
    assert mode_after(None, Mode.READ_ONLY) is Mode.READ_ONLY


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_is_followed_by_the_next_and_undone_to_the_one_before(stage: Stage) -> None:
    left = stages_left(at(stage))
    assert left == STAGES[STAGES.index(stage) + 1 :]
    before = stage_before(stage)
    assert before is None or dict(pairwise(STAGES))[before] is stage
    assert stage_to_undo(at(stage)) is stage
    # Interrupted on the way back, it is undone once more, or done once more.
    assert stage_to_undo(at(stage, undoing=stage)) is stage
    assert stages_left(at(stage, undoing=stage)) == (stage, *left)
    assert not at(stage, undoing=stage).is_over


def test_it_stops_where_it_is_told_and_never_before_what_is_done() -> None:
    assert stages_left(None, Stage.BACKUP) == STAGES[:3]
    assert stages_left(at(Stage.IMPORT), Stage.BACKUP) == ()
    assert stages_left(at(Stage.QUIESCE), Stage.BACKUP) == (Stage.BACKUP,)
    assert stages_left(None) == STAGES


@pytest.mark.parametrize(
    ("known", "wanted", "standing"),
    [
        (None, NOTES, Standing.BEGIN),
        (at(Stage.IMPORT), NOTES, Standing.RESUME),
        (at(Stage.IMPORT), None, Standing.RESUME),
        (at(Stage.IMPORT), replace(NOTES, digest="sha256:x:9"), Standing.RESUME),
        (at(Stage.IMPORT), OTHER, Standing.OTHER),
        (at(Stage.FINALISE), NOTES, Standing.OVER),
        (at(Stage.FINALISE), None, Standing.OVER),
        (at(Stage.FINALISE), replace(NOTES, digest="sha256:x:9"), Standing.BEGIN),
        (at(Stage.FINALISE), OTHER, Standing.BEGIN),
        (at(Stage.FINALISE, undoing=Stage.FINALISE), OTHER, Standing.OTHER),
    ],
)
def test_a_wish_meets_what_is_under_way(
    known: Migration | None, wanted: MigrationSource | None, standing: Standing
) -> None:
    assert standing_of(known, wanted) is standing
