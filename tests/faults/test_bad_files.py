"""Files that no record can be made of: each is named, none blocks another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfs.model.limits import FILE_BYTES
from memfs.model.problem import Severity
from tests.support.memory import git, memory_of, new_project, store_root

GOOD = "---\nkind: fact\n---\nThe build runs on Node 20.\n"

HOSTILE: dict[str, tuple[bytes, str, int]] = {
    "malformed.md": (b"---\nkind: fact\ntags: [a, b\n---\nText.\n", "yaml.syntax", 4),
    "truncated.md": (b"---\nkind: fact\ntitle: cut off he", "frontmatter.unclosed", 1),
    "zero-byte.md": (b"---\nkind: fact\n---\nText with \0 in it.\n", "text.nul", 4),
    "huge.md": (b"---\nkind: fact\n---\n" + b"x" * (FILE_BYTES + 1), "text.size", 0),
    "crlf-bom.md": (b"\xef\xbb\xbf---\r\nkind: fact\r\n---\r\nText.\r\n", "text.bom", 1),
    "duplicate-key.md": (
        b"---\nkind: fact\ntags: []\ntags: []\n---\nText.\n",
        "yaml.duplicate-key",
        4,
    ),
    "not-utf8.md": (b"---\nkind: fact\n---\nCaf\xe9.\n", "text.encoding", 4),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A store with two good records and every hostile file beside them."""
    made = new_project(tmp_path)
    with memory_of(made) as memory:
        memory.remember("Tenant ids are text", kind="fact")
    folder = store_root(made) / "records" / "fact" / "2026-11"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (content, _, _) in HOSTILE.items():
        (folder / name).write_bytes(content)
    (folder / "link.md").symlink_to(folder / "malformed.md")
    os.mkfifo(folder / "pipe.md")
    (folder / "good.md").write_text(GOOD, encoding="utf-8")
    return made


@pytest.mark.parametrize("name", HOSTILE)
def test_each_bad_file_is_named_with_its_line(project: Path, name: str) -> None:
    _, code, line = HOSTILE[name]
    path = f"records/fact/2026-11/{name}"
    with memory_of(project) as memory:
        found = [item for item in memory.check() if item.path == path]
    assert [(item.code, item.line, item.severity) for item in found][:1] == [
        (code, line, Severity.ERROR)
    ]


@pytest.mark.parametrize("name", ["link.md", "pipe.md"])
def test_what_is_no_plain_file_is_named_and_never_read(project: Path, name: str) -> None:
    with memory_of(project) as memory:
        found = [item for item in memory.check() if item.path.endswith(f"/{name}")]
    assert [item.code for item in found] == ["file.refused"]


def test_good_records_beside_bad_files_are_served_and_written(project: Path) -> None:
    with memory_of(project) as memory:
        memory.remember("Batches are 500 rows", kind="fact")
        memory.accept(None)
        bodies = {stored.record.body for stored in memory.list_records()}
    assert bodies == {
        "Tenant ids are text\n",
        "Batches are 500 rows\n",
        "The build runs on Node 20.\n",
    }


def test_bad_files_are_kept_byte_for_byte(project: Path) -> None:
    with memory_of(project) as memory:
        memory.remember("Batches are 500 rows", kind="fact")
        memory.accept(None)
        memory.doctor(fix=True)
    folder = store_root(project) / "records" / "fact" / "2026-11"
    for name, (content, _, _) in HOSTILE.items():
        assert (folder / name).read_bytes() == content


def test_bad_files_that_were_committed_by_hand_are_named_and_never_served(project: Path) -> None:
    root = store_root(project)
    (root / "records" / "fact" / "2026-11" / "pipe.md").unlink()
    git(root, "add", "-A")
    git(root, "commit", "-q", "--no-verify", "-m", "everything")
    with memory_of(project) as memory:
        memory.remember("Batches are 500 rows", kind="fact")
        named = {item.path.rsplit("/", 1)[-1] for item in memory.check()}
        bodies = {stored.record.body for stored in memory.list_records()}
    assert set(HOSTILE) <= named
    assert bodies == {"Tenant ids are text\n", "Batches are 500 rows\n"}
