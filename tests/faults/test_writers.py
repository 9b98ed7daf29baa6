"""Several writers on one store: both land or the second decides again; nothing is lost (O46)."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from memfs.errors import ConflictError
from memfs.model.settings import StoreSettings
from memfs.store.preconditions import LedgerMovedError
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

PROCESSES = 8
OPERATIONS = 100 if is_full_run() else 15


def write_many(root: Path, settings: StoreSettings, log: Path, name: str) -> None:
    """Makes its operations, deciding again whenever another writer was first."""
    with Store.open(root, settings=settings) as store:
        for number in range(OPERATIONS):
            path = f"records/note/2026-11/{name}-{number}.md"
            while True:
                try:
                    store.commit(plan_for(store, {path: path.encode()}, key=path))
                    break
                except ConflictError:
                    continue
            acknowledge(log, path)


@pytest.mark.parametrize(
    "settings", [QUICK, SPLIT, StoreSettings()], ids=["full", "split", "batch"]
)
def test_eight_processes_lose_nothing(tmp_path: Path, settings: StoreSettings) -> None:
    root = new_store(tmp_path / "store")
    log = tmp_path / "acknowledged"
    children = [
        start_child(lambda: write_many(root, settings, log, f"p{number}"))  # noqa: B023
        for number in range(PROCESSES)
    ]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * PROCESSES
    paths = set(log.read_text().split())
    assert len(paths) == PROCESSES * OPERATIONS
    files = ledger_files(root)
    assert {path: files.get(path) for path in paths} == {p: digest(p.encode()) for p in paths}
    assert int(git(root, "rev-list", "--count", "main")) == PROCESSES * OPERATIONS + 1
    assert_sound(root)


def test_two_writers_of_one_record_never_overwrite_each_other(tmp_path: Path) -> None:
    path = "records/note/2026-11/counter.md"
    root = new_store(tmp_path / "store", {path: b"0\n"})

    def count_up() -> None:
        with Store.open(root, settings=QUICK) as store:
            done = 0
            while done < OPERATIONS:
                snapshot = store.snapshot()
                number = int(snapshot.read(path) or b"0")
                try:
                    plan = plan_for(store, {path: b"%d\n" % (number + 1)})
                    if plan.base == snapshot.commit:
                        store.commit(plan)
                        done += 1
                except LedgerMovedError:
                    continue

    children = [start_child(count_up) for _ in range(3)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    assert (root / path).read_bytes() == b"%d\n" % (3 * OPERATIONS)
    assert_sound(root)


def test_threads_that_share_a_store_lose_nothing(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")

    def write(store: Store, name: str) -> None:
        for number in range(OPERATIONS):
            path = f"records/note/2026-11/{name}-{number}.md"
            while True:
                try:
                    store.commit(plan_for(store, {path: path.encode()}))
                    break
                except ConflictError:
                    continue

    with Store.open(root, settings=QUICK) as store:
        threads = [threading.Thread(target=write, args=(store, f"t{n}")) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        paths = [entry.path for entry in store.snapshot().entries("records/")]
    assert len(paths) == 4 * OPERATIONS
    assert_sound(root)


def test_one_operation_repeated_by_many_processes_is_committed_once(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")

    def write_the_same() -> None:
        with Store.open(root, settings=QUICK) as store:
            while True:
                try:
                    store.commit(plan_for(store, {"records/a.md": b"a\n"}, key="same"))
                    return
                except ConflictError:
                    continue

    children = [start_child(write_the_same) for _ in range(PROCESSES)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * PROCESSES
    assert int(git(root, "rev-list", "--count", "main")) == 2
    assert_sound(root)
