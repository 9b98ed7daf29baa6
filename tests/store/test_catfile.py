from __future__ import annotations

import os
import signal
import threading
import zlib
from pathlib import Path

import pytest

from memfs.model.digests import blob_id
from memfs.store.catfile import (
    CatFile,
    ObjectCorruptError,
    ObjectMissingError,
    ObjectTooLargeError,
    unpack_loose,
)
from tests.support.repositories import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.create(tmp_path / "store")


def loose_path(repository: Repository, oid: str) -> Path:
    return repository.git_dir / "objects" / oid[:2] / oid[2:]


def test_loose_objects_are_read_without_a_process(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    oid = repository.blob(b"hello")
    monkeypatch.setenv("PATH", "")
    with CatFile(repository.git_dir) as objects:
        assert objects.read_blob(oid) == b"hello"


@pytest.mark.parametrize("content", [b"", b"x", b"x" * 63, b"\0" * 100_000])
def test_contents_of_every_size_come_back(repository: Repository, content: bytes) -> None:
    oid = repository.blob(content)
    with CatFile(repository.git_dir) as objects:
        assert objects.read_blob(oid) == content


def test_packed_objects_are_read_also_when_git_packs_them_meanwhile(
    repository: Repository,
) -> None:
    first = repository.commit({"a.md": "one"})
    with CatFile(repository.git_dir) as objects:
        assert objects.read_kind(first, "commit").startswith(b"tree ")
        repository.git("gc", "--quiet")
        assert not loose_path(repository, first).exists()
        assert objects.read_kind(first, "commit").startswith(b"tree ")
        second = repository.commit({"a.md": "two"})
        repository.git("gc", "--quiet", "--prune=now")
        assert objects.read_kind(second, "commit").startswith(b"tree ")
        assert objects.read_blob(blob_id(b"one")) == b"one"


def test_a_dead_child_is_replaced(repository: Repository) -> None:
    oid = repository.commit({"a.md": "one"})
    repository.git("gc", "--quiet")
    with CatFile(repository.git_dir) as objects:
        objects.read(oid)
        child = objects._child
        assert child is not None
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        assert objects.read_blob(blob_id(b"one")) == b"one"
        assert objects._child is not child


def test_closing_ends_the_child_and_a_later_read_starts_another(repository: Repository) -> None:
    oid = repository.commit({"a.md": "one"})
    repository.git("gc", "--quiet")
    objects = CatFile(repository.git_dir)
    objects.read(oid)
    child = objects._child
    assert child is not None
    objects.close()
    assert child.poll() is not None
    assert objects.read(oid).kind == "commit"
    objects.close()


@pytest.mark.parametrize("oid", ["0" * 40, "", "HEAD", "../../config", "a" * 39 + "\n"])
def test_what_is_no_object_of_the_repository_is_missing(repository: Repository, oid: str) -> None:
    with CatFile(repository.git_dir) as objects, pytest.raises(ObjectMissingError):
        objects.read(oid)


def test_an_object_of_another_kind_is_not_taken_for_a_blob(repository: Repository) -> None:
    commit = repository.commit({"a.md": "one"})
    with CatFile(repository.git_dir) as objects, pytest.raises(ObjectCorruptError):
        objects.read_blob(commit)


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"not deflated",
        zlib.compress(b"blob 5\0other"),
        zlib.compress(b"blob 9\0hello"),
        zlib.compress(b"blob 1\0hello"),
        zlib.compress(b"blob 5\0hello")[:-4],
        zlib.compress(b"no header at all"),
        zlib.compress(b"blob 0\0" + b"x" * 1_000_000),
    ],
)
def test_a_damaged_loose_object_is_an_error_and_never_content(
    repository: Repository, damage: bytes
) -> None:
    oid = repository.blob(b"hello")
    path = loose_path(repository, oid)
    path.chmod(0o600)
    path.write_bytes(damage)
    with CatFile(repository.git_dir) as objects, pytest.raises(ObjectCorruptError):
        objects.read_blob(oid)


def test_a_blob_above_the_limit_is_refused_loose_and_packed(repository: Repository) -> None:
    repository.commit({"big.md": "x" * 5000, "small.md": "y"})
    big, small = blob_id(b"x" * 5000), blob_id(b"y")
    for _ in range(2):
        with CatFile(repository.git_dir, limit_bytes=1000) as objects:
            with pytest.raises(ObjectTooLargeError):
                objects.read_blob(big)
            assert objects.read_blob(small) == b"y"
            assert dict(objects.read_blobs([big, small, "0" * 40])) == {small: b"y"}
        repository.git("gc", "--quiet")


def test_many_blobs_come_back_whether_loose_or_packed(repository: Repository) -> None:
    commit = repository.fill(2500)
    loose = [repository.blob(b"loose %d" % number) for number in range(20)]
    entries = list(repository.snapshot(commit).entries())
    with CatFile(repository.git_dir) as objects:
        found = dict(objects.read_blobs([entry.blob for entry in entries] + loose))
    assert len(found) == 2520
    assert all(blob_id(content) == oid for oid, content in found.items())


def test_threads_share_one_reader(repository: Repository) -> None:
    commit = repository.fill(600)
    blobs = [entry.blob for entry in repository.snapshot(commit).entries()]
    wrong: list[str] = []
    with CatFile(repository.git_dir) as objects:

        def read_all() -> None:
            wrong.extend(oid for oid in blobs if blob_id(objects.read_blob(oid)) != oid)
            wrong.extend(oid for oid, data in objects.read_blobs(blobs) if blob_id(data) != oid)

        threads = [threading.Thread(target=read_all) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_a_header_that_promises_little_does_not_unpack_a_bomb() -> None:
    bomb = zlib.compress(b"blob 10\0" + b"\0" * 50_000_000, 9)
    with pytest.raises(ValueError, match="expected 10 bytes"):
        unpack_loose("0" * 40, bomb)
