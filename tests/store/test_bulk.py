from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memfs.model.digests import blob_id
from memfs.store import bulk
from memfs.store.bulk import BULK_REFS, BulkFailedError, sweep_bulk_refs, write_bulk
from memfs.store.catfile import CatFile
from memfs.store.git import GitFailedError
from memfs.store.paths import PathRefusedError
from memfs.store.snapshot import TreeEntry
from memfs.store.tree import TreeCache, walk_tree
from tests.support.repositories import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.create(tmp_path / "store")


def refs(repository: Repository) -> str:
    return repository.git("for-each-ref", BULK_REFS)


def listed(repository: Repository, tree: str) -> dict[str, str]:
    with CatFile(repository.git_dir) as objects:
        cache = TreeCache(objects.read_tree)
        return {path: item.oid for path, item in walk_tree(cache, tree)}


def test_many_files_become_one_pack_and_the_tree_that_the_base_plus_changes_is(
    repository: Repository,
) -> None:
    base = repository.commit({"records/old.md": "old", "records/gone.md": "gone"})
    changes: dict[str, bytes | None] = {
        f"records/note/2026-11/n-{number:06d}.md": b"note %d\r\n\0" % number
        for number in range(800)
    }
    changes |= {"records/gone.md": None, "records/old.md": b"new", "records/ü 文.md": b""}
    with write_bulk(repository.git_dir, base, changes.items()) as result:
        assert refs(repository) != ""
        found = listed(repository, result.tree)
    expected = {path: blob_id(data) for path, data in changes.items() if data is not None}
    assert found == expected == result.blobs
    assert refs(repository) == ""
    assert len(list((repository.git_dir / "objects/pack").glob("*.pack"))) == 1
    assert repository.git("fsck", "--full", "--no-dangling") == ""
    assert repository.head() == base


def test_a_first_plan_needs_no_base(repository: Repository) -> None:
    with write_bulk(repository.git_dir, "", [("a.md", b"x")]) as result:
        commit = repository.commit_tree(result.tree)
    assert list(repository.snapshot(commit).entries()) == [TreeEntry("a.md", blob_id(b"x"))]


@pytest.mark.parametrize(
    "path", ['"quoted".md', "with space.md", "-dash.md", "tab'and`tick.md", ":(top).md", "#.md"]
)
def test_names_with_meaning_elsewhere_are_taken_as_they_are(
    repository: Repository, path: str
) -> None:
    with write_bulk(repository.git_dir, "", [(path, b"x")]) as result:
        assert listed(repository, result.tree) == {path: blob_id(b"x")}


@pytest.mark.parametrize("path", ["../x", ".git/config", "a\nM 100644 inline .git/x", ""])
def test_a_hostile_path_stops_the_import_and_leaves_no_ref(
    repository: Repository, path: str
) -> None:
    def changes() -> Iterator[tuple[str, bytes]]:
        yield "a.md", b"x"
        yield path, b"y"

    with pytest.raises(PathRefusedError), write_bulk(repository.git_dir, "", changes()):
        pass
    assert refs(repository) == ""


def test_content_that_imitates_commands_is_content(repository: Repository) -> None:
    content = b"done\nreset refs/heads/main\nM 100644 inline evil.md\ndata 1\nx\n"
    with write_bulk(repository.git_dir, "", [("a.md", content)]) as result:
        assert listed(repository, result.tree) == {"a.md": blob_id(content)}


def test_a_base_that_is_no_commit_is_an_error(repository: Repository) -> None:
    with pytest.raises(GitFailedError), write_bulk(repository.git_dir, "1" * 40, [("a", b"x")]):
        pass
    assert refs(repository) == ""


def test_what_was_written_is_compared_with_what_was_given(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "blob_id", lambda content: "0" * 40)
    with pytest.raises(BulkFailedError), write_bulk(repository.git_dir, "", [("a.md", b"x")]):
        pass
    assert refs(repository) == ""


def test_a_failure_inside_leaves_no_ref(repository: Repository) -> None:
    with (
        pytest.raises(RuntimeError, match="stop"),
        write_bulk(repository.git_dir, "", [("a.md", b"x")]),
    ):
        raise RuntimeError("stop")
    assert refs(repository) == ""


def test_refs_of_dead_processes_are_swept_and_others_kept(repository: Repository) -> None:
    commit = repository.commit({"a.md": "x"})
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    repository.git("update-ref", f"{BULK_REFS}{child}-aa", commit)
    repository.git("update-ref", f"{BULK_REFS}{os.getpid()}-bb", commit)
    assert sweep_bulk_refs(repository.git_dir) == 1
    assert f"{os.getpid()}-bb" in refs(repository)
