"""Bytes of the project are read from plain files inside of it, whatever stands in the way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfs.model.digests import blob_id
from memfs.services.project_bytes import FileBlob, TooLargeError, blob_of, read_inner

SIZE = 100


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("bytes")
    (base / "outside").mkdir()
    (base / "outside" / "secret.txt").write_text("secret")
    made = base / "project"
    for name in ("a/b", ".git", "a/.GIT", ".memfs", ".MEMFS"):
        (made / name).mkdir(parents=True)
        (made / name / "config").write_text("hidden")
    (made / "a" / "b" / "plain.txt").write_text("plain")
    (made / "a" / "größe 🙂.md").write_text("ü")
    (made / "empty").touch()
    (made / "large.txt").write_text("x" * (SIZE + 1))
    (made / "out").symlink_to(base / "outside")
    (made / "link.txt").symlink_to(made / "a" / "b" / "plain.txt")
    (made / "round").symlink_to(made)
    (made / "loop").symlink_to("loop")
    os.mkfifo(made / "pipe")
    return made


def test_a_plain_file_is_read_and_named_as_git_names_it(project: Path) -> None:
    assert read_inner(project, "a/b/plain.txt", limit_bytes=SIZE) == b"plain"
    for name, content in (
        ("a/b/plain.txt", b"plain"),
        ("empty", b""),
        ("a/größe 🙂.md", "ü".encode()),
    ):
        expected = FileBlob(id=blob_id(content), size_bytes=len(content))
        assert blob_of(project, name, limit_bytes=SIZE) == expected
    (project.parent / "alias").symlink_to(project)
    assert read_inner(project.parent / "alias", "a/b/plain.txt", limit_bytes=SIZE) == b"plain"


@pytest.mark.parametrize(
    "name",
    [
        "out/secret.txt", "link.txt", "round/a/b/plain.txt", "../outside/secret.txt", "a/../large",
        "/etc/hostname", ".git/config", "pipe", "a", "a/b/plain.txt/x", "nothing", "", "a\0b",
        "a/b/plain.txt" * 500, "loop", ".", "..", "a/../a/b/plain.txt", "a/b/", "./a/b/plain.txt",
        "a//b/plain.txt", "a\\b\\plain.txt", "a/b/plain.txt\0", "a/.GIT/config", ".memfs/config",
        ".MEMFS/config",
    ],
    ids=range(26),
)  # fmt: skip
def test_nothing_else_is(project: Path, name: str) -> None:
    assert read_inner(project, name, limit_bytes=SIZE) is None
    assert blob_of(project, name, limit_bytes=SIZE) is None


def test_what_is_too_large_is_said_to_be_and_has_no_digest(project: Path) -> None:
    with pytest.raises(TooLargeError):
        read_inner(project, "large.txt", limit_bytes=SIZE)
    assert blob_of(project, "large.txt", limit_bytes=SIZE) is None
    assert blob_of(project.parent / "nowhere", "large.txt", limit_bytes=SIZE) is None
