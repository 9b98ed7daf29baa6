"""Refs: read as Git reads them, moved together or not at all."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from memfs.model.settings import Durability
from memfs.store.effects import REAL_EFFECTS
from memfs.store.lock import LockTimeoutError
from memfs.store.refs import (
    LEDGER_REF,
    MAIN_REF,
    BrokenRefError,
    RefMove,
    RefMovedError,
    RefTransaction,
    append_reflog,
    read_branch,
    read_ref,
)
from memfs.store.staging import Staging
from memfs.store.store import Store
from tests.support.stores import git, new_store, plan_for


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A store with two commits."""
    root = new_store(tmp_path / "store")
    with Store.open(root) as store:
        store.commit(plan_for(store, {"a.md": b"a\n"}))
    return root


def begin(root: Path, *moves: RefMove) -> tuple[RefTransaction, Staging]:
    staging = Staging(f"{root}/.git/memfs/tmp", REAL_EFFECTS, Durability.PROCESS)
    refs = RefTransaction(f"{root}/.git", moves, staging, REAL_EFFECTS)
    refs.stage()
    return refs, staging


def test_loose_and_packed_refs_read_alike(root: Path) -> None:
    git_dir = f"{root}/.git"
    loose = read_ref(git_dir, MAIN_REF), read_ref(git_dir, LEDGER_REF)
    git(root, "pack-refs", "--all")
    assert not (root / ".git" / MAIN_REF).exists()
    assert (read_ref(git_dir, MAIN_REF), read_ref(git_dir, LEDGER_REF)) == loose
    assert loose == (git(root, "rev-parse", "main").strip(),) * 2


def test_a_store_with_packed_refs_is_written(root: Path) -> None:
    git(root, "pack-refs", "--all")
    with Store.open(root) as store:
        done = store.commit(plan_for(store, {"b.md": b"b\n"}))
    assert git(root, "rev-parse", MAIN_REF, LEDGER_REF).split() == [done.id, done.id]


def test_an_absent_ref_reads_as_nothing(root: Path) -> None:
    assert read_ref(f"{root}/.git", "refs/heads/none") == ""
    assert read_ref(f"{root}/.git", "refs/heads") == ""


@pytest.mark.parametrize("content", [b"", b"\0" * 41, b"main\n"])
def test_a_ref_without_an_object_id_is_broken(root: Path, content: bytes) -> None:
    (root / ".git" / MAIN_REF).write_bytes(content)
    with pytest.raises(BrokenRefError):
        read_ref(f"{root}/.git", MAIN_REF)


def test_the_branch_is_what_head_points_at(root: Path) -> None:
    assert read_branch(f"{root}/.git") == "main"
    git(root, "checkout", "-q", "-b", "side/branch")
    assert read_branch(f"{root}/.git") == "side/branch"
    git(root, "checkout", "-q", "--detach")
    assert read_branch(f"{root}/.git") == ""


def test_neither_ref_moves_when_one_has_another_value(root: Path) -> None:
    git_dir = f"{root}/.git"
    old = read_ref(git_dir, MAIN_REF)
    older = git(root, "rev-parse", "main~1").strip()
    refs, staging = begin(
        root,
        RefMove(name=MAIN_REF, old=old, new=older),
        RefMove(name=LEDGER_REF, old=older, new=older),
    )
    with pytest.raises(RefMovedError):
        refs.lock(time.monotonic())
    refs.release()
    staging.discard()
    assert (read_ref(git_dir, MAIN_REF), read_ref(git_dir, LEDGER_REF)) == (old, old)
    assert list((root / ".git/refs").rglob("*.lock")) == []


def test_git_cannot_move_a_ref_that_is_locked(root: Path) -> None:
    old = read_ref(f"{root}/.git", MAIN_REF)
    older = git(root, "rev-parse", "main~1").strip()
    refs, staging = begin(root, RefMove(name=MAIN_REF, old=old, new=older))
    refs.lock(time.monotonic())
    git(root, "update-ref", MAIN_REF, older, check=False)
    assert read_ref(f"{root}/.git", MAIN_REF) == old
    refs.publish(step="ref")
    assert read_ref(f"{root}/.git", MAIN_REF) == older
    staging.discard()


def test_a_foreign_lock_is_never_removed(root: Path) -> None:
    lock = root / ".git" / f"{MAIN_REF}.lock"
    lock.touch()
    old = read_ref(f"{root}/.git", MAIN_REF)
    refs, staging = begin(root, RefMove(name=MAIN_REF, old=old, new=old))
    with pytest.raises(LockTimeoutError):
        refs.lock(time.monotonic())
    refs.release()
    staging.discard()
    with Store.open(root) as store:
        store.recover()
    assert lock.exists()


def test_the_log_of_a_ref_is_what_git_shows(root: Path) -> None:
    assert git(root, "log", "-g", "-1", "--format=%gs", "main") == "memfs: record: something\n"
    assert git(root, "log", "-g", "-1", "--format=%gs", "HEAD") == "memfs: record: something\n"
    old = read_ref(f"{root}/.git", MAIN_REF)
    append_reflog(
        f"{root}/.git",
        RefMove(name="refs/x/y", old="", new=old),
        identity="memfs <memfs@memfs.invalid> 0 +0000",
        message="made",
        effects=REAL_EFFECTS,
    )
    assert (root / ".git/logs/refs/x/y").read_text().endswith("\tmade\n")
    assert os.listdir(root / ".git/logs/refs/x") == ["y"]
