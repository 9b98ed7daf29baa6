"""A person, or Git itself, works in the store while memfs writes: nothing is lost."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.errors import ConflictError, StoreError
from memfs.model.operation import OperationKind
from memfs.model.settings import StoreSettings
from memfs.store.lock import LockTimeoutError
from memfs.store.preconditions import (
    ForeignCommitsError,
    LedgerMovedError,
    PreconditionError,
    WrongBranchError,
)
from memfs.store.store import Store
from tests.support.faults import acknowledge, is_full_run, start_child
from tests.support.stores import (
    QUICK,
    SPLIT,
    assert_sound,
    digest,
    git,
    ledger_files,
    new_store,
    plan_for,
)

pytestmark = [pytest.mark.fault, pytest.mark.slow, pytest.mark.timeout(900)]

WRITERS = 2
OPERATIONS = 300 if is_full_run() else 25
PAUSE_S = 0.02


def settle(store: Store) -> None:
    """Takes the branch's commits in, and puts back what they took from the ledger.

    The policy of this test: whatever a person adds is admitted, and nothing of the ledger goes.
    """
    while store.main_head() != store.ledger_head():
        tip, ledger = store.main_head(), store.ledger_head()
        lost = {
            change.path: store.read_blob(change.old)
            for change in store.foreign_changes()
            if change.old is not None and change.path != "notes.txt"
        }
        marker = f"receipts/2026-11/{tip}.json"
        try:
            plan = plan_for(
                store,
                {**lost, marker: b"{}\n"},
                operation=OperationKind.REPAIR,
                settles=tip or "",
            )
            if plan.base == ledger:
                store.commit(plan)
        except (LedgerMovedError, ForeignCommitsError, PreconditionError):
            continue


def write_many(root: Path, settings: StoreSettings, log: Path, name: str) -> None:
    with Store.open(root, settings=settings) as store:
        for number in range(OPERATIONS):
            path = f"records/note/2026-11/{name}-{number}.md"
            while True:
                try:
                    store.commit(plan_for(store, {path: path.encode()}, key=path))
                    break
                except ForeignCommitsError:
                    settle_patiently(store)
                except ConflictError:
                    continue
                except (WrongBranchError, LockTimeoutError):
                    select.select([], [], [], PAUSE_S)
            acknowledge(log, path)
            # Writers that never pause would hardly let a person's commit through.
            select.select([], [], [], PAUSE_S)


def settle_patiently(store: Store) -> None:
    try:
        settle(store)
    except (WrongBranchError, LockTimeoutError):
        return


def run_beside(
    root: Path, settings: StoreSettings, log: Path, person: Callable[[int], None]
) -> int:
    """Lets writers work while ``person`` acts over and over; returns how often that was."""
    children = {
        start_child(lambda: write_many(root, settings, log, f"p{number}"))  # noqa: B023
        for number in range(WRITERS)
    }
    turns = 0
    while children:
        person(turns)
        turns += 1
        child, status = os.waitpid(-1, os.WNOHANG)
        if child:
            assert status == 0
            children.discard(child)
    return turns


def assert_nothing_lost(root: Path, log: Path) -> None:
    with Store.open(root) as store:
        store.recover()
        settle(store)
    paths = set(log.read_text().split())
    assert len(paths) == WRITERS * OPERATIONS
    files = ledger_files(root)
    assert {path for path in paths if files.get(path) != digest(path.encode())} == set()
    assert {path for path in paths if (root / path).read_bytes() != path.encode()} == set()
    with Store.open(root) as store:
        store.recover()
    assert_sound(root)


@pytest.mark.parametrize("settings", [QUICK, SPLIT], ids=["full", "split"])
def test_a_person_who_commits_all_the_time_makes_nobody_lose_anything(
    tmp_path: Path, settings: StoreSettings
) -> None:
    root = new_store(tmp_path / "store", {"notes.txt": b"mine\n"})
    log = tmp_path / "acknowledged"

    def person(turn: int) -> None:
        (root / "notes.txt").write_text(f"turn {turn}\n")
        git(root, "add", "-A", check=False)
        git(root, "commit", "-q", "-m", f"turn {turn}", check=False)

    turns = run_beside(root, settings, log, person)
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "the last word")
    assert_nothing_lost(root, log)
    by_hand = [
        name for name in git(root, "log", "--format=%an").split("\n") if name == "Test Person"
    ]
    assert len(by_hand) > 1
    assert (root / "notes.txt").read_text() == f"turn {turns - 1}\n"
    assert ledger_files(root)["notes.txt"] == digest(f"turn {turns - 1}\n".encode())


@pytest.mark.parametrize("settings", [QUICK, SPLIT], ids=["full", "split"])
def test_collecting_garbage_takes_nothing_away(tmp_path: Path, settings: StoreSettings) -> None:
    root = new_store(tmp_path / "store")
    log = tmp_path / "acknowledged"
    ways = (("gc", "-q"), ("repack", "-d", "-l", "-q"), ("pack-refs", "--all"), ("status",))
    run_beside(root, settings, log, lambda turn: void(git(root, *ways[turn % 4], check=False)))
    assert_nothing_lost(root, log)


def void(_: object) -> None:
    return None


@pytest.mark.parametrize("settings", [QUICK, SPLIT], ids=["full", "split"])
def test_stashing_takes_nothing_away(tmp_path: Path, settings: StoreSettings) -> None:
    root = new_store(tmp_path / "store", {"notes.txt": b"mine\n"})
    log = tmp_path / "acknowledged"

    def person(turn: int) -> None:
        (root / "notes.txt").write_text(f"turn {turn}\n")
        git(root, "stash", "-q", check=False)
        git(root, "stash", "pop", "-q", check=False)

    run_beside(root, settings, log, person)
    git(root, "checkout", "-q", "--", "notes.txt")
    assert_nothing_lost(root, log)


@pytest.mark.parametrize("settings", [QUICK, SPLIT], ids=["full", "split"])
def test_switching_branches_takes_nothing_away(tmp_path: Path, settings: StoreSettings) -> None:
    root = new_store(tmp_path / "store", {"notes.txt": b"mine\n"})
    git(root, "branch", "side")
    log = tmp_path / "acknowledged"

    def person(turn: int) -> None:
        branch = ("side", "main")[turn % 2]
        git(root, "checkout", "-q", branch, check=False)

    run_beside(root, settings, log, person)
    git(root, "checkout", "-q", "main")
    assert_nothing_lost(root, log)


def test_a_write_is_refused_while_another_branch_is_checked_out(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {"records/a.md": b"a\n"})
    git(root, "checkout", "-q", "-b", "side")
    with Store.open(root) as store:
        with pytest.raises(WrongBranchError) as caught:
            store.commit(plan_for(store, {"records/b.md": b"b\n"}))
        assert isinstance(caught.value, StoreError)
        assert store.snapshot().read("records/a.md") == b"a\n"
        assert store.head_branch() == "side"
