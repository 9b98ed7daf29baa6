from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

import pytest

from memfs.model.digests import blob_id
from memfs.store import maintenance
from memfs.store.maintenance import (
    count_loose_objects,
    count_packs,
    is_due,
    maintain,
    sweep_temporaries,
)
from tests.support.repositories import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.create(tmp_path / "store")


def test_nothing_is_done_before_it_is_due(repository: Repository) -> None:
    repository.commit({"a.md": "x"})
    assert not is_due(repository.git_dir)
    assert maintain(repository.git_dir).is_skipped
    assert count_packs(repository.git_dir) == 0


def test_loose_objects_are_packed_when_there_are_many(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = repository.commit({f"{number}.md": str(number) for number in range(600)})
    unfinished = repository.blob(b"of a write under way")
    monkeypatch.setattr(maintenance, "LOOSE_OBJECTS", 200)
    assert count_loose_objects(repository.git_dir) >= 200
    done = maintain(repository.git_dir)
    assert not done.is_skipped
    assert count_packs(repository.git_dir) == 1
    assert count_loose_objects(repository.git_dir) == 0
    assert repository.snapshot(commit).read("5.md") == b"5"
    assert repository.snapshot(commit).read_blob(unfinished) == b"of a write under way"
    assert repository.git("fsck", "--full", "--no-dangling") == ""


def test_many_small_packs_are_joined(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "PACKS", 3)
    for number in range(5):
        repository.commit({"a.md": str(number)})
        repository.git("repack", "-d", "-l", "-q")
    assert count_packs(repository.git_dir) == 5
    maintain(repository.git_dir)
    assert count_packs(repository.git_dir) < 5
    assert repository.snapshot().read_blob(blob_id(b"0")) == b"0"


def test_half_written_files_of_long_dead_processes_are_swept(repository: Repository) -> None:
    repository.write(
        {
            "inbox/deep/.memfs-0123.tmp": "half",
            "inbox/.memfs-fresh.tmp": "half",
            "inbox/a.md": "whole",
            ".git/memfs/.memfs-4567.tmp": "half",
            ".memfs-89ab.tmp": "half",
            "records/.memfs-0123.tmp": "not ours to judge",
        }
    )
    for path in ("inbox/deep/.memfs-0123.tmp", "inbox/a.md", ".git/memfs/.memfs-4567.tmp"):
        os.utime(repository.root / path, (1, 1))
    os.utime(repository.root / ".memfs-89ab.tmp", (1, 1))
    assert sweep_temporaries(repository.git_dir) == 3
    assert sorted(path.name for path in (repository.root / "inbox").rglob("*.*")) == [
        ".memfs-fresh.tmp",
        "a.md",
    ]
    assert sweep_temporaries(repository.git_dir, now_s=time.time() + 7200) == 1


def test_only_one_process_maintains_at_a_time(repository: Repository) -> None:
    repository.commit({"a.md": "x"})
    (repository.git_dir / "memfs").mkdir()
    with (repository.git_dir / "memfs/maintenance.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert maintain(repository.git_dir, is_forced=True).is_skipped
    assert not maintain(repository.git_dir, is_forced=True).is_skipped
