from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.store.catfile import CatFile
from memfs.store.tree import (
    MODE_FILE,
    MODE_TREE,
    TreeCache,
    TreeCorruptError,
    TreeItem,
    diff_trees,
    parse_tree,
    serialise_tree,
    walk_tree,
)
from tests.support.repositories import Repository

names = st.binary(min_size=1, max_size=12).filter(lambda raw: b"/" not in raw and b"\0" not in raw)
oids = st.binary(min_size=20, max_size=20).map(bytes.hex)
items = st.builds(
    TreeItem, names.map(os.fsdecode), st.sampled_from([MODE_FILE, MODE_TREE, 0o120000]), oids
)


@given(st.lists(items, unique_by=lambda item: item.name, max_size=20))
def test_every_tree_comes_back_byte_for_byte(wanted: list[TreeItem]) -> None:
    data = serialise_tree(wanted)
    parsed = parse_tree(data)
    assert set(parsed.values()) == set(wanted)
    assert serialise_tree(parsed.values()) == data


@pytest.mark.parametrize(
    "data",
    [
        b"100644 a",
        b"100644 a\0short",
        b"100644a\0" + b"x" * 20,
        b"1006x4 a\0" + b"x" * 20,
        b"100644 a\0" + b"x" * 20 + b"100644 a\0" + b"y" * 20,
    ],
)
def test_a_damaged_tree_is_an_error(data: bytes) -> None:
    with pytest.raises(TreeCorruptError):
        parse_tree(data)


def test_trees_are_written_in_the_order_of_git(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "r")
    commit = repository.commit(
        {"a.md": "1", "a/x.md": "2", "a-b.md": "3", "a0/y.md": "4", "ä/z.md": "5", "Z.md": "6"}
    )
    with CatFile(repository.git_dir) as objects:
        root = repository.git("rev-parse", f"{commit}^{{tree}}")
        data = objects.read_tree(root)
        assert serialise_tree(parse_tree(data).values()) == data
        paths = [path for path, _ in walk_tree(TreeCache(objects.read_tree), root)]
    listed = repository.git_bytes("ls-tree", "-r", "-z", "--name-only", commit)
    assert paths == [raw.decode() for raw in listed.split(b"\0") if raw]


contents = st.dictionaries(
    st.sampled_from(["a", "b.md", "b/c", "b/d/e", "b/d/f", "b-c", "x/y", "x.md"]),
    st.sampled_from(["1", "2", "3"]),
    max_size=8,
).map(
    lambda files: {
        path: text
        for path, text in files.items()
        if not any(other.startswith(path + "/") for other in files)
    }
)


def build(files: dict[str, str], trees: dict[str, bytes]) -> str:
    """Builds trees in memory and returns the id of the root, which is its place in ``trees``."""
    here = [TreeItem(path, MODE_FILE, text * 40) for path, text in files.items() if "/" not in path]
    folders: dict[str, dict[str, str]] = {}
    for path, text in files.items():
        folder, separator, rest = path.partition("/")
        if separator:
            folders.setdefault(folder, {})[rest] = text
    here += [TreeItem(name, MODE_TREE, build(sub, trees)) for name, sub in folders.items()]
    data = serialise_tree(here)
    oid = next((oid for oid, known in trees.items() if known == data), f"{len(trees):040x}")
    trees[oid] = data
    return oid


@given(contents, contents)
def test_the_difference_of_two_trees_is_that_of_their_files(
    before: dict[str, str], after: dict[str, str]
) -> None:
    trees: dict[str, bytes] = {}
    cache = TreeCache(trees.__getitem__)
    old, new = build(before, trees), build(after, trees)
    found = {
        item.path: (item.old and item.old.oid[0], item.new and item.new.oid[0])
        for item in diff_trees(cache, old, new)
    }
    assert found == {
        path: (before.get(path), after.get(path))
        for path in {*before, *after}
        if before.get(path) != after.get(path)
    }


def test_only_folders_that_differ_are_read(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "r")
    first = repository.fill(3000)
    path = "records/note/2026-01.2/note-000777.md"
    repository.git("read-tree", first)
    repository.git("update-index", "--cacheinfo", f"100644,{repository.blob(b'new')},{path}")
    second = repository.commit_tree(repository.git("write-tree"), first)
    read: list[str] = []
    with CatFile(repository.git_dir) as objects:

        def count(oid: str) -> bytes:
            read.append(oid)
            return objects.read_tree(oid)

        roots = [repository.git("rev-parse", f"{commit}^{{tree}}") for commit in (first, second)]
        found = list(diff_trees(TreeCache(count), *roots))
    assert [item.path for item in found] == [path]
    assert len(read) == 8


def test_the_cache_forgets_the_oldest_tree() -> None:
    trees = {f"{number:040x}": b"100644 a\0" + bytes(20) for number in range(3)}
    read: list[str] = []

    def count(oid: str) -> bytes:
        read.append(oid)
        return trees[oid]

    cache = TreeCache(count, capacity=2)
    for number in (0, 1, 0, 2, 0, 1):
        cache.items(f"{number:040x}")
    assert [int(oid) for oid in read] == [0, 1, 2, 1]
