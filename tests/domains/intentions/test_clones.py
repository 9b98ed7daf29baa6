"""Two clones that both asked agree on it: after a merge nothing is asked about again."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

from memfs.app.container import init_store
from memfs.app.memory import Memory
from tests.support.memory import (
    ANA,
    CountedIds,
    SteppedClock,
    git,
    new_project,
    store_root,
    workspace_of,
)

PULL = ("-c", "core.hooksPath=/dev/null", "pull", "-q", "--no-rebase", "--no-edit")
HOUR = timedelta(hours=1)


def test_what_both_clones_marked_is_one_mark_after_a_merge(tmp_path: Path) -> None:
    left, right = new_project(tmp_path, "left"), tmp_path / "right"
    clock = SteppedClock()

    def due(project: Path, start: int) -> tuple[str, ...]:
        with workspace_of(project, clock=clock, ids=CountedIds(start)) as workspace:
            return Memory(workspace, ANA).intentions_due().new

    with workspace_of(left, clock=clock, ids=CountedIds()) as workspace:
        memory = Memory(workspace, ANA)
        name = memory.add_intention(
            "Daily", at="2026-11-29T12:00", zone="UTC", rrule="FREQ=DAILY;COUNT=3"
        ).target
    right.mkdir()
    git(right, "clone", "-q", str(store_root(left)), ".memfs")
    init_store(
        folder=right,
        explicit=right / ".memfs",
        env=dict(os.environ),
        is_scripted=True,
        as_principal="user:ana",
        yes=True,
    )
    clock.advance(3 * HOUR)
    assert due(left, 1_000) == due(right, 2_000) == (name,)
    (path,) = (store_root(left) / "intentions").rglob("*.md")
    other = store_root(right) / path.relative_to(store_root(left))
    assert path.read_bytes() == other.read_bytes()

    git(store_root(left), *PULL, str(store_root(right)), "main")
    assert path.read_bytes() == other.read_bytes()
    assert due(left, 3_000) == ()
    with workspace_of(left, clock=clock, ids=CountedIds(4_000)) as workspace:
        memory = Memory(workspace, ANA)
        assert [view.id for view in memory.list_intentions(states=["due"])] == [name]
        assert memory.candidates() == ()
    clock.advance(24 * HOUR)
    assert due(left, 5_000) == (name,)
