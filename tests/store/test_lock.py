"""Locks: fair, bounded, freed by death, and never taken from anybody else (O46)."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from memfs.model.settings import Durability
from memfs.store.effects import REAL_EFFECTS
from memfs.store.lock import (
    FileLock,
    LockTimeoutError,
    LockUnavailableError,
    WriteLock,
    is_stale_lock,
)
from memfs.store.staging import (
    Staging,
    find_leftovers,
    is_token_alive,
    process_token,
    remove_leftovers,
)
from tests.support.faults import run_in_child, start_child


def new_staging(tmp_path: Path) -> Staging:
    return Staging(str(tmp_path / "memfs" / "tmp"), REAL_EFFECTS, Durability.PROCESS)


def new_lock(tmp_path: Path, staging: Staging) -> FileLock:
    return FileLock(str(tmp_path / "index.lock"), staging.put_empty(), staging, REAL_EFFECTS)


def test_the_write_lock_keeps_others_out_until_it_is_released(tmp_path: Path) -> None:
    path = str(tmp_path / "memfs" / "write.lock")
    first, second = WriteLock(path, 0.01), WriteLock(path, 0.01)
    with first:
        assert not second.try_acquire()
        with pytest.raises(LockTimeoutError):
            second.acquire()
    # The thread that gave up waiting gets the lock now, and must give it back.
    with WriteLock(path, 10):
        pass


def test_a_waiting_writer_gets_the_lock(tmp_path: Path) -> None:
    path = str(tmp_path / "memfs" / "write.lock")
    order: list[str] = []
    started = threading.Event()

    def wait() -> None:
        started.set()
        with WriteLock(path, 30):
            order.append("second")

    with WriteLock(path, 30):
        waiter = threading.Thread(target=wait)
        waiter.start()
        started.wait()
        order.append("first")
    waiter.join()
    assert order == ["first", "second"]


def test_the_write_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    path = str(tmp_path / "memfs" / "write.lock")

    def take_and_die() -> None:
        WriteLock(path, 1).acquire()
        os.kill(os.getpid(), signal.SIGKILL)

    assert run_in_child(take_and_die) == -signal.SIGKILL
    with WriteLock(path, 0):
        pass


def test_a_folder_in_place_of_the_lock_is_an_error_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "write.lock"
    path.mkdir()
    with pytest.raises(LockUnavailableError) as caught:
        WriteLock(str(path), 0).acquire()
    assert caught.value.path == str(path)


def test_a_lock_file_is_taken_once_and_given_back(tmp_path: Path) -> None:
    staging = new_staging(tmp_path)
    first, second = new_lock(tmp_path, staging), new_lock(tmp_path, staging)
    assert first.try_acquire()
    with pytest.raises(LockTimeoutError):
        second.acquire(time.monotonic())
    first.release()
    first.release()
    assert second.try_acquire()
    second.publish(str(tmp_path / "index"))
    assert not (tmp_path / "index.lock").exists()
    second.release()
    assert (tmp_path / "index").exists()
    staging.discard()


def test_only_a_lock_with_a_twin_is_stale(tmp_path: Path) -> None:
    staging = new_staging(tmp_path)
    lock = new_lock(tmp_path, staging)
    folder = str(tmp_path / "memfs" / "tmp")
    assert not is_stale_lock(lock.target, folder)
    lock.acquire(time.monotonic())
    assert is_stale_lock(lock.target, folder)
    lock.release()
    Path(lock.target).touch()
    assert not is_stale_lock(lock.target, folder)
    os.link(lock.target, tmp_path / "elsewhere")
    assert not is_stale_lock(lock.target, folder)


def test_leftovers_of_the_dead_go_and_those_of_the_living_stay(tmp_path: Path) -> None:
    staging = new_staging(tmp_path)
    mine = staging.put(b"mine")
    folder = str(tmp_path / "memfs" / "tmp")

    def leave_something() -> None:
        new_staging(tmp_path).put(b"theirs")

    assert run_in_child(leave_something) == 0
    (tmp_path / "memfs" / "tmp" / "not-ours").touch()
    assert len(find_leftovers(folder)) == 1
    remove_leftovers(folder, REAL_EFFECTS)
    assert sorted(os.listdir(folder)) == sorted([Path(mine).name, "not-ours"])
    staging.discard()
    assert os.listdir(folder) == ["not-ours"]


def test_a_reused_process_number_is_not_the_same_process(tmp_path: Path) -> None:
    token = process_token(os.getpid())
    assert is_token_alive(token)
    assert not is_token_alive(f"{os.getpid()}-1")
    child = start_child(lambda: None)
    dead = process_token(child)
    os.waitpid(child, 0)
    assert not is_token_alive(dead)
    assert is_token_alive("somebody-elses-file")
