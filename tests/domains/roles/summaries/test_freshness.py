"""What the sources of role memory are now: files read as Git would hash them, records through the
gate, and nothing followed out of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfs.domains.roles.summaries import freshness
from memfs.domains.roles.summaries.freshness import file_digest, record_digest, sources_of
from memfs.model.digests import blob_id
from memfs.model.record import Record
from memfs.model.role import memory_hash
from memfs.policy.role_freshness import changed_sources
from tests.support.role_summaries import FIRST, SECOND, child


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "app.py").write_bytes(b"print('hi')\r\n")
    return folder


def test_a_file_has_the_id_that_git_gives_to_its_bytes(project: Path) -> None:
    assert file_digest(project, "src/app.py") == blob_id(b"print('hi')\r\n")
    (project / "empty").touch()
    assert file_digest(project, "empty") == blob_id(b"")
    (project / "src" / "größe 🙂.md").write_text("ü")
    assert file_digest(project, "src/größe 🙂.md") == blob_id("ü".encode())


@pytest.mark.parametrize(
    "place",
    [
        "", ".", "..", "../outside.txt", "src/../../outside.txt", "src/../src/app.py",
        "/etc/passwd", "src", "src/", "./src/app.py", "src//app.py", "src\\app.py", "src/app.py\0",
        "missing.py", ".git/config", "src/.GIT/config", ".memfs/memfs.yaml", ".MEMFS/memfs.yaml",
        "a" * 5_000,
    ],
)  # fmt: skip
def test_what_is_no_plain_file_of_the_project_counts_as_gone(project: Path, place: str) -> None:
    (project.parent / "outside.txt").write_text("outside")
    for folder in (".git", "src/.GIT", ".memfs", ".MEMFS"):
        (project / folder).mkdir()
        (project / folder / "config").write_text("inside")
        (project / folder / "memfs.yaml").write_text("inside")
    assert file_digest(project, place) is None


def test_no_link_is_followed_wherever_it_leads(project: Path) -> None:
    (project.parent / "outside.txt").write_text("outside")
    (project / "link.txt").symlink_to(project.parent / "outside.txt")
    (project / "inner.py").symlink_to("src/app.py")
    (project / "folder").symlink_to(project / "src", target_is_directory=True)
    (project / "loop").symlink_to("loop")
    for place in ("link.txt", "inner.py", "folder/app.py", "loop"):
        assert file_digest(project, place) is None


def test_what_is_no_file_is_not_waited_for(project: Path) -> None:
    os.mkfifo(project / "pipe")
    assert file_digest(project, "pipe") is None


def test_what_may_not_be_read_or_is_too_large_counts_as_gone(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert file_digest(project.parent / "nowhere", "src/app.py") is None
    monkeypatch.setattr(freshness, "MOST_FILE_BYTES", 12)
    assert file_digest(project, "src/app.py") is None


def test_a_digest_is_of_what_a_record_says_and_not_of_how_it_stands() -> None:
    assert record_digest(FIRST) == memory_hash(FIRST)
    note = Record(kind="fact", title="Port", body="5432", subject="db-port")
    moved = Record(
        kind="fact", title="Port", body="5432", subject="db-port", version=4, tags=("x",)
    )
    other = Record(kind="fact", title="Port", body="5433", subject="db-port")
    assert record_digest(note) == record_digest(moved) != record_digest(other)
    assert len(record_digest(note)) == 32


def test_sources_are_named_once_and_a_path_may_hold_an_equals_sign() -> None:
    read = child(3, source_hashes=["file:a=b.py=0123456789abcdef", "file:a=b.py=fedcba9876543210"])
    assert sources_of([read, SECOND]) == ("file:a=b.py", "file:notes.md")


def test_a_changed_or_gone_source_is_named_and_one_not_looked_at_is_not() -> None:
    read = child(3, source_hashes=["file:a.py=0123456789abcdef", "file:b.py=fedcba9876543210"])
    assert changed_sources(read, {}) == ()
    assert changed_sources(read, {"file:a.py": "0123456789abcdef"}) == ()
    assert changed_sources(read, {"file:a.py": "0123", "file:b.py": None}) == (
        "file:a.py",
        "file:b.py",
    )
