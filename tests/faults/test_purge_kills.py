"""``kill -9`` at every step of a purge: the old history whole, or the new one (A61)."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from memfs.store.effects import Effects
from memfs.store.store import Store
from tests.store.test_purge import KEPT, WORDS, residue, store_with_history, wish
from tests.support.faults import KillingEffects, RecordingEffects, run_in_child
from tests.support.stores import QUICK, assert_sound, git

pytestmark = pytest.mark.fault


def purge(root: Path, effects: Effects) -> None:
    with Store.open(root, settings=QUICK, effects=effects) as store:
        store.purge(wish())


def steps_of(folder: Path) -> list[str]:
    effects = RecordingEffects()
    purge(store_with_history(folder), effects)
    return [step for step in dict.fromkeys(effects.steps) if step.startswith("purge:")]


def test_a_kill_at_any_step_leaves_the_old_history_or_the_new_one(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    steps = steps_of(tmp_path / "first")
    assert {"purge:rewritten", "purge:packs", "purge:journal", "purge:refs"} <= set(steps)
    outcomes = []
    for number, step in enumerate(steps):
        folder = tmp_path / str(number)
        folder.mkdir()
        root = store_with_history(folder)
        old = git(root, "rev-parse", "refs/heads/main")
        assert run_in_child(lambda: purge(root, KillingEffects(step=step))) == -signal.SIGKILL  # noqa: B023
        assert_sound(root)
        assert not (root / ".git/memfs/purge").exists()
        is_old = git(root, "rev-parse", "refs/heads/main") == old
        assert bool(residue(root)) == is_old
        outcomes.append(is_old)
    assert outcomes == [steps.index(step) < steps.index("purge:journal") for step in steps]


def test_a_kill_while_a_purge_is_finished_is_finished_too(tmp_path: Path) -> None:
    for number, step in enumerate(("purge:refs", "purge:files", "purge:index", "purge:repack")):
        folder = tmp_path / str(number)
        folder.mkdir()
        root = store_with_history(folder)
        run_in_child(lambda: purge(root, KillingEffects(step="purge:journal")))  # noqa: B023
        status = run_in_child(
            lambda: Store.open(root, effects=KillingEffects(step=step)).close()  # noqa: B023
        )
        assert status == -signal.SIGKILL
        assert_sound(root)
        assert residue(root) == []


def test_a_commit_by_hand_after_a_kill_keeps_the_old_history_whole(tmp_path: Path) -> None:
    root = store_with_history(tmp_path)
    run_in_child(lambda: purge(root, KillingEffects(step="purge:journal")))
    (root / ".git/index.lock").unlink(missing_ok=True)  # as a person does who is told to
    (root / KEPT).write_text("by hand\n")
    git(root, "commit", "-q", "-a", "-m", "by hand")
    tip = git(root, "rev-parse", "HEAD")
    with Store.open(root) as store:
        assert store.main_head() == tip.strip()
        assert store.main_head() != store.ledger_head()
    assert git(root, "fsck", "--full", "--strict", "--no-dangling") == ""
    assert "objects" in residue(root)
    assert WORDS.decode() in git(root, "log", "-p")


def test_a_commit_by_hand_in_the_new_history_survives_the_finish(tmp_path: Path) -> None:
    root = store_with_history(tmp_path)
    run_in_child(lambda: purge(root, KillingEffects(step="purge:files")))
    (root / ".git/index.lock").unlink(missing_ok=True)
    (root / KEPT).write_text("by hand\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "by hand")
    with Store.open(root) as store:
        assert store.main_head() != store.ledger_head()
    assert git(root, "show", f"HEAD:{KEPT}") == "by hand\n"
    assert git(root, "fsck", "--full", "--strict", "--no-dangling") == ""
    assert residue(root) == []
