from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from memfs.model.digests import blob_id
from memfs.store import files
from memfs.store.files import (
    FileKind,
    FileRefusedError,
    FileTooLargeError,
    atomic_write,
    digest_file,
    file_kind,
    list_files,
    make_private,
    open_root,
    read_file,
    remove_file,
)
from memfs.store.paths import PathRefusedError, check_path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    return folder


@pytest.fixture
def root_fd(root: Path) -> Iterator[int]:
    descriptor = open_root(root)
    yield descriptor
    os.close(descriptor)


def test_what_was_written_is_read_back(root: Path, root_fd: int) -> None:
    atomic_write(root_fd, "records/note/2026-11/a.md", b"one\r\n\x00two")
    assert read_file(root_fd, "records/note/2026-11/a.md") == b"one\r\n\x00two"
    assert digest_file(root_fd, "records/note/2026-11/a.md") == blob_id(b"one\r\n\x00two")
    assert (root / "records/note/2026-11/a.md").read_bytes() == b"one\r\n\x00two"


def test_new_files_and_folders_are_for_their_owner_only(root: Path, root_fd: int) -> None:
    old = os.umask(0)
    try:
        atomic_write(root_fd, "inbox/deep/a.md", b"x")
    finally:
        os.umask(old)
    assert (root / "inbox/deep/a.md").stat().st_mode & 0o777 == 0o600
    assert (root / "inbox/deep").stat().st_mode & 0o777 == 0o700


def test_an_absent_file_is_none_and_not_an_error(root_fd: int) -> None:
    assert read_file(root_fd, "records/none.md") is None
    assert digest_file(root_fd, "none.md") is None
    assert file_kind(root_fd, "none.md") is FileKind.ABSENT
    assert not remove_file(root_fd, "none/none.md")


def test_a_file_where_a_folder_should_be_gives_nothing_below_it(root: Path, root_fd: int) -> None:
    (root / "records").write_text("a file")
    with pytest.raises(FileRefusedError):
        read_file(root_fd, "records/a.md")
    assert file_kind(root_fd, "records/a.md") is FileKind.ABSENT


def test_a_symbolic_link_is_never_followed(tmp_path: Path, root: Path, root_fd: int) -> None:
    secret = tmp_path / "secret"
    secret.write_text("outside")
    (root / "a.md").symlink_to(secret)
    (root / "folder").symlink_to(tmp_path)
    for path in ("a.md", "folder/secret"):
        with pytest.raises(FileRefusedError):
            read_file(root_fd, path)
        with pytest.raises(FileRefusedError):
            digest_file(root_fd, path)
    with pytest.raises(FileRefusedError):
        atomic_write(root_fd, "folder/secret", b"overwritten")
    with pytest.raises(FileRefusedError):
        remove_file(root_fd, "folder/secret")
    assert secret.read_text() == "outside"


def test_writing_replaces_a_link_instead_of_its_target(
    tmp_path: Path, root: Path, root_fd: int
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("outside")
    (root / "a.md").symlink_to(secret)
    atomic_write(root_fd, "a.md", b"inside")
    assert secret.read_text() == "outside"
    assert read_file(root_fd, "a.md") == b"inside"


def test_a_folder_swapped_for_a_link_between_check_and_use_does_not_lead_out(
    tmp_path: Path, root: Path, root_fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "inbox").mkdir()
    real = check_path

    def swap_after_check(path: str) -> tuple[str, ...]:
        parts = real(path)
        if (root / "inbox").is_dir() and not (root / "inbox").is_symlink():
            (root / "inbox").rmdir()
            (root / "inbox").symlink_to(outside)
        return parts

    monkeypatch.setattr(files, "check_path", swap_after_check)
    with pytest.raises(FileRefusedError):
        atomic_write(root_fd, "inbox/a.md", b"x")
    assert list(outside.iterdir()) == []


def test_a_fifo_does_not_hang_the_reader(root: Path, root_fd: int) -> None:
    os.mkfifo(root / "a.md")
    with pytest.raises(FileRefusedError) as caught:
        read_file(root_fd, "a.md")
    assert caught.value.code == "file.refused"
    assert file_kind(root_fd, "a.md") is FileKind.SPECIAL


def test_a_socket_is_refused(root: Path, root_fd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)  # socket paths are short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("a.md")
        with pytest.raises(FileRefusedError):
            read_file(root_fd, "a.md")


def test_a_hard_link_to_a_file_elsewhere_is_refused(
    tmp_path: Path, root: Path, root_fd: int
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("outside")
    os.link(secret, root / "a.md")
    with pytest.raises(FileRefusedError):
        read_file(root_fd, "a.md")
    assert file_kind(root_fd, "a.md") is FileKind.HARD_LINK
    atomic_write(root_fd, "a.md", b"inside")
    assert secret.read_text() == "outside"


def test_a_folder_is_no_file(root: Path, root_fd: int) -> None:
    (root / "a.md").mkdir()
    with pytest.raises(FileRefusedError):
        read_file(root_fd, "a.md")
    with pytest.raises(FileRefusedError):
        atomic_write(root_fd, "a.md", b"x")
    with pytest.raises(FileRefusedError):
        remove_file(root_fd, "a.md")
    assert list(root.iterdir()) == [root / "a.md"]


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", ".git/config", "a/../../x", "x\0"])
def test_no_path_leads_out_of_the_store(root_fd: int, path: str) -> None:
    with pytest.raises(PathRefusedError):
        read_file(root_fd, path)
    with pytest.raises(PathRefusedError):
        atomic_write(root_fd, path, b"x")
    with pytest.raises(PathRefusedError):
        remove_file(root_fd, path)


def test_a_file_larger_than_the_limit_is_refused_by_size(root: Path, root_fd: int) -> None:
    (root / "a.md").write_bytes(b"x" * 11)
    with pytest.raises(FileTooLargeError) as caught:
        read_file(root_fd, "a.md", limit_bytes=10)
    assert caught.value.path == "a.md"
    assert read_file(root_fd, "a.md", limit_bytes=11) == b"x" * 11


def test_a_huge_sparse_file_is_refused_without_being_read(root: Path, root_fd: int) -> None:
    with (root / "a.md").open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(FileTooLargeError):
        read_file(root_fd, "a.md")


def test_a_failed_write_leaves_the_old_file_and_no_temporary_one(
    root: Path, root_fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    atomic_write(root_fd, "a.md", b"old")

    def full_disk(descriptor: int, content: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full_disk)
    with pytest.raises(OSError, match="No space left"):
        atomic_write(root_fd, "a.md", b"new")
    monkeypatch.undo()
    assert [path.name for path in root.iterdir()] == ["a.md"]
    assert read_file(root_fd, "a.md") == b"old"


def test_listing_is_sorted_and_names_links_without_entering_them(
    tmp_path: Path, root: Path, root_fd: int
) -> None:
    for path in ("inbox/b.md", "inbox/a/c.md"):
        atomic_write(root_fd, path, b"x")
    (root / "inbox" / "out").symlink_to(tmp_path)
    os.mkfifo(root / "inbox" / "pipe")
    (root / "inbox" / ".memfs-left-over.tmp").write_text("half")
    (root / "inbox" / ".git").mkdir()
    (root / "inbox" / ".git" / "config").write_text("x")
    (root / "inbox" / os.fsdecode(b"bad-\xff.md")).write_text("x")
    assert list(list_files(root_fd, "inbox")) == [
        ("inbox/a/c.md", FileKind.REGULAR),
        ("inbox/b.md", FileKind.REGULAR),
        ("inbox/out", FileKind.SYMLINK),
        ("inbox/pipe", FileKind.SPECIAL),
    ]
    assert list(list_files(root_fd, "nothing")) == []


def test_old_files_lose_the_access_of_others_and_links_are_not_followed(
    tmp_path: Path, root: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("outside")
    secret.chmod(0o644)
    (root / "deep").mkdir(mode=0o755)
    (root / "deep" / "a.md").write_text("x")
    (root / "deep" / "a.md").chmod(0o664)
    (root / "deep" / "hook").write_text("x")
    (root / "deep" / "hook").chmod(0o755)
    (root / "deep" / "object").write_text("x")
    (root / "deep" / "object").chmod(0o444)
    (root / "link").symlink_to(secret)
    root.chmod(0o755)
    (root / "deep").chmod(0o755)
    assert make_private(root) == 5
    modes = {path.name: path.stat().st_mode & 0o777 for path in (root / "deep").iterdir()}
    assert modes == {"a.md": 0o600, "hook": 0o700, "object": 0o400}
    assert root.stat().st_mode & 0o777 == 0o700
    assert secret.stat().st_mode & 0o777 == 0o644
    assert make_private(root) == 0


def test_a_root_that_is_a_link_is_refused(tmp_path: Path, root: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    with pytest.raises(FileRefusedError):
        open_root(tmp_path / "link")
