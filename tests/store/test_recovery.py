"""Recovery: what is finished, what is dropped, what is left alone, and what it costs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memfs.store.journal import Journal, read_boot_id
from memfs.store.preconditions import WrongBranchError
from memfs.store.refs import LEDGER_REF, MAIN_REF
from memfs.store.store import Store
from tests.support.faults import KillingEffects, RecordingEffects, run_in_child
from tests.support.stores import (
    QUICK,
    assert_sound,
    digest,
    git,
    ledger_files,
    new_store,
    plan_for,
)

NOTE = "records/note/2026-11/a.md"
OTHER = "records/note/2026-11/b.md"


def interrupted(root: Path, step: str) -> Path:
    """Makes a store in which a write of two files was killed at ``step``."""
    new_store(root, {NOTE: b"one\n"})

    def write() -> None:
        with Store.open(root, settings=QUICK, effects=KillingEffects(step=step)) as store:
            store.commit(plan_for(store, {NOTE: b"two\n", OTHER: b"new\n"}))

    assert run_in_child(write) < 0
    return root


def test_a_settled_store_opens_without_a_process_or_an_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    Store.open(root).close()  # the copy of the template has other inodes
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process"))
    effects = RecordingEffects()
    with Store.open(root, effects=effects) as store:
        assert store.ledger_head() == store.main_head()
    assert effects.effects == []


def test_a_write_that_reached_the_branch_is_finished(tmp_path: Path) -> None:
    root = interrupted(tmp_path / "store", f"ref:{MAIN_REF}")
    assert git(root, "rev-parse", MAIN_REF) != git(root, "rev-parse", LEDGER_REF)
    with Store.open(root) as store:
        assert store.snapshot().read(NOTE) == b"two\n"
    assert (root / NOTE).read_bytes() == b"two\n"
    assert_sound(root)


def test_a_write_that_did_not_is_dropped(tmp_path: Path) -> None:
    root = interrupted(tmp_path / "store", "reflog")
    with Store.open(root) as store:
        assert store.snapshot().read(NOTE) == b"one\n"
    assert (root / NOTE).read_bytes() == b"one\n"
    assert_sound(root)


def test_recovery_says_what_it_did(tmp_path: Path) -> None:
    root = interrupted(tmp_path / "store", f"ref:{MAIN_REF}")
    tip = git(root, "rev-parse", MAIN_REF).strip()
    (root / ".git/memfs/write.lock").touch()
    with Store.open(new_store(tmp_path / "other")) as other:
        nothing = other.recover()
        assert (nothing.finished, nothing.stale_locks) == ("", ())
    git_dir = root / ".git"
    assert (git_dir / "index.lock").exists()
    effects = RecordingEffects()
    with Store.open(root, effects=effects) as store:
        assert store.ledger_head() == tip
    assert effects.steps.index("recovered:refs") < effects.steps.index("recovered:files")


def test_a_store_that_was_open_meanwhile_finishes_what_another_left(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})

    def write() -> None:
        effects = KillingEffects(step=f"ref:{MAIN_REF}")
        with Store.open(root, settings=QUICK, effects=effects) as store:
            store.commit(plan_for(store, {NOTE: b"two\n"}))

    with Store.open(root) as store:
        assert run_in_child(write) < 0
        assert store.main_head() != store.ledger_head()
        with store.exclusive():
            assert store.main_head() == store.ledger_head()
            assert store.foreign_changes() == ()
    assert_sound(root)


def test_a_person_who_edits_before_the_next_opening_keeps_the_text(tmp_path: Path) -> None:
    root = interrupted(tmp_path / "store", f"ref:{LEDGER_REF}")
    (root / NOTE).write_bytes(b"mine\n")
    with Store.open(root) as store:
        assert store.snapshot().read(NOTE) == b"two\n"
    assert (root / NOTE).read_bytes() == b"mine\n"
    assert (root / OTHER).read_bytes() == b"new\n"
    assert git(root, "status", "--porcelain") == f" M {NOTE}\n"


def test_a_lock_of_git_is_waited_for_and_left(tmp_path: Path) -> None:
    root = interrupted(tmp_path / "store", f"ref:{MAIN_REF}")
    lock = root / ".git/index.lock"
    lock.unlink()
    lock.touch()
    with Store.open(root) as store:  # does not wait
        assert store.ledger_head() == store.main_head()
    assert (root / NOTE).read_bytes() == b"one\n"
    lock.unlink()
    assert_sound(root)
    assert (root / NOTE).read_bytes() == b"two\n"


def test_a_store_that_was_cloned_or_lost_its_journal_opens(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    for name in ("applied", "intent"):
        (root / ".git/memfs" / name).unlink(missing_ok=True)
    assert_sound(root)
    for name in ("applied", "intent"):
        (root / ".git/memfs" / name).write_bytes(b"\xff garbage")
    assert_sound(root)


def test_on_another_branch_only_the_refs_are_finished(tmp_path: Path) -> None:
    root = interrupted(tmp_path / "store", f"ref:{MAIN_REF}")
    for lock in (root / ".git").rglob("*.lock"):
        lock.unlink()
    git(root, "symbolic-ref", "HEAD", "refs/heads/side")
    with Store.open(root) as store:
        assert store.ledger_head() == store.main_head()
        assert store.snapshot().read(NOTE) == b"two\n"
    assert (root / NOTE).read_bytes() == b"one\n"


def pretend_restart(root: Path) -> None:
    """Makes the marker say that it was written before the machine was started."""
    marker = root / ".git/memfs/applied"
    marker.write_text(marker.read_text().replace(read_boot_id(), "another-boot"))


def lose(root: Path, *oids: str) -> None:
    """Empties loose objects, as a power cut does."""
    for oid in oids:
        path = root / ".git/objects" / oid[:2] / oid[2:]
        path.chmod(0o600)
        os.truncate(path, 0)


def test_after_a_power_cut_unreadable_heads_step_back(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    with Store.open(root, settings=QUICK) as store:
        good = store.commit(plan_for(store, {NOTE: b"two\n"}))
        store.commit(plan_for(store, {NOTE: b"three\n"}))
        store.commit(plan_for(store, {OTHER: b"four\n"}))
    lose(root, digest(b"three\n"))
    pretend_restart(root)
    with Store.open(root) as store:
        assert store.ledger_head() == store.main_head() == good.id
        assert store.snapshot().read(NOTE) == b"two\n"
        # What the disk still had is not thrown away: it waits as an edit.
        assert (root / NOTE).read_bytes() == b"three\n"
        assert store.commit(plan_for(store, {"records/c.md": b"c\n"})).parents == (good.id,)


@pytest.mark.parametrize("content", [b"", b"\0" * 41])
def test_after_a_power_cut_empty_refs_come_back_from_their_log(
    tmp_path: Path, content: bytes
) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    tip = git(root, "rev-parse", "main").strip()
    (root / ".git" / MAIN_REF).write_bytes(content)
    (root / ".git" / LEDGER_REF).write_bytes(content)
    with Store.open(root) as store:
        assert (store.main_head(), store.ledger_head()) == (tip, tip)
    assert_sound(root)


def test_a_restart_without_damage_changes_nothing(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    Store.open(root).close()
    before = ledger_files(root)
    pretend_restart(root)
    assert_sound(root)
    assert ledger_files(root) == before
    marker = Journal(f"{root}/.git/memfs", RecordingEffects()).read_marker()
    assert marker is not None
    assert marker.boot == read_boot_id()


@pytest.mark.parametrize("name", [MAIN_REF, LEDGER_REF])
def test_a_ref_that_is_gone_stands_again_where_it_was(tmp_path: Path, name: str) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    head = git(root, "rev-parse", LEDGER_REF)
    git(root, "update-ref", "-d", name)
    with Store.open(root) as store:
        store.commit(plan_for(store, {OTHER: b"new\n"}))
        assert store.snapshot().read(NOTE) == b"one\n"
        assert store.snapshot().read(OTHER) == b"new\n"
    assert git(root, "rev-parse", f"{LEDGER_REF}^") == head
    assert git(root, "rev-parse", MAIN_REF) == git(root, "rev-parse", LEDGER_REF)
    assert_sound(root)


def test_a_branch_that_was_renamed_away_is_there_to_go_back_to(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    git(root, "branch", "-m", "main", "trunk")
    with Store.open(root) as store:
        assert store.main_head() == store.ledger_head()
        with pytest.raises(WrongBranchError):
            store.commit(plan_for(store, {OTHER: b"new\n"}))
        git(root, "checkout", "-q", "main")
        store.commit(plan_for(store, {OTHER: b"new\n"}))
    assert_sound(root)


def test_commits_by_hand_on_a_ref_that_is_gone_are_kept(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    (root / OTHER).write_bytes(b"by hand\n")
    git(root, "add", OTHER)
    git(root, "commit", "-q", "-m", "by hand")
    tip = git(root, "rev-parse", MAIN_REF)
    (root / ".git" / MAIN_REF).unlink()
    Store.open(root).close()
    assert git(root, "rev-parse", MAIN_REF) == tip
