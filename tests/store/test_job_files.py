"""Files of put-off work: whole or not there, private, and each step one rename."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memfs.store.job_files import (
    JobFiles,
    QueueFolderError,
    is_worker_alive,
    own_worker,
    ticks_s,
)

STORE = "store_01kb8x3v6yq4m9t2r7w5z1c0de"


@pytest.fixture
def files(tmp_path: Path) -> JobFiles:
    return JobFiles(tmp_path / "home", STORE)


def test_a_job_is_added_once_and_read_back(files: JobFiles) -> None:
    assert files.names("waiting") == ()
    assert files.add("waiting", "a.json", b"one")
    assert not files.add("waiting", "a.json", b"two")
    assert files.read("waiting", "a.json") == b"one"
    assert files.names("waiting") == ("a.json",)
    assert files.read("waiting", "b.json") is None


def test_everything_is_the_owners_alone(files: JobFiles) -> None:
    files.add("waiting", "a.json", b"one")

    place = files.folder / "waiting"
    assert stat.S_IMODE((place / "a.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert stat.S_IMODE(files.folder.stat().st_mode) == 0o700


def test_of_two_movers_one_is_told_that_it_moved(files: JobFiles) -> None:
    files.add("waiting", "a.json", b"one")

    assert files.move("waiting", "a.json", "running", "a.1.json")
    assert not files.move("waiting", "a.json", "running", "a.2.json")
    assert files.names("running") == ("a.1.json",)
    assert files.remove("running", "a.1.json")
    assert not files.remove("running", "a.1.json")


def test_no_link_is_followed(files: JobFiles, tmp_path: Path) -> None:
    files.add("waiting", "a.json", b"one")
    secret = tmp_path / "secret"
    secret.write_text("no")
    (files.folder / "waiting" / "b.json").symlink_to(secret)
    os.mkfifo(files.folder / "waiting" / "c.json")

    assert files.read("waiting", "b.json") is None
    assert files.read("waiting", "c.json") is None
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (files.folder / "running").symlink_to(elsewhere)
    with pytest.raises(QueueFolderError):
        files.move("waiting", "a.json", "running", "a.json")
    assert list(elsewhere.iterdir()) == []


def test_a_torn_file_is_no_job_and_is_swept_when_it_is_old(files: JobFiles) -> None:
    files.add("waiting", "a.json", b"one")
    torn = files.folder / "waiting" / ".memfs-0123.tmp"
    torn.write_bytes(b'{"v":1')

    assert files.names("waiting") == ("a.json",)
    assert files.sweep("waiting") == 0
    os.utime(torn, (1, 1))
    assert files.sweep("waiting") == 1
    assert not torn.exists()


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file stands there")

    with pytest.raises(QueueFolderError, match="cannot be put off"):
        JobFiles(tmp_path / "home", STORE).add("waiting", "a.json", b"one")


def test_a_home_that_is_no_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QueueFolderError):
        JobFiles(Path("relative"), STORE)
    with pytest.raises(QueueFolderError):
        JobFiles(tmp_path, "../escape")


def test_a_worker_is_alive_as_long_as_its_process_since_this_boot() -> None:
    mine = own_worker()
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    boot, _, _ = mine.partition("-")

    assert is_worker_alive(mine)
    assert not is_worker_alive(f"{boot}-{child.pid}-1")
    assert not is_worker_alive(f"another{mine[7:]}")
    assert not is_worker_alive(f"{boot}-{os.getpid()}-1"), "the number was given again"
    assert ticks_s() > 0


@pytest.mark.fault
@pytest.mark.parametrize("step", ["open", "write", "fsync", "rename"])
def test_a_process_that_dies_while_it_adds_leaves_a_whole_job_or_none(
    files: JobFiles, step: str
) -> None:
    files.add("waiting", "first.json", b"one")
    child = os.fork()
    if child == 0:
        setattr(os, step, lambda *_, **__: os._exit(9))
        files.add("waiting", "second.json", b"two")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9

    found = {name: files.read("waiting", name) for name in files.names("waiting")}
    assert found in (
        {"first.json": b"one"},
        {"first.json": b"one", "second.json": b"two"},
    )
    assert files.add("waiting", "third.json", b"three")
