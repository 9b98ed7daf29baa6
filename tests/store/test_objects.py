"""Objects and trees are what Git would have written."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.model.settings import Durability
from memfs.store.catfile import CatFile
from memfs.store.effects import REAL_EFFECTS
from memfs.store.objects import ObjectWriter, encode_object
from memfs.store.staging import Staging
from memfs.store.tree import EMPTY_TREE, TreeCache
from memfs.store.treebuilder import PathTakenError, build_tree
from tests.support.stores import digest, git, new_store


def write(root: Path, items: list[tuple[str, bytes]], durability: Durability) -> list[str]:
    staging = Staging(f"{root}/.git/memfs/tmp", REAL_EFFECTS, durability)
    writer = ObjectWriter(f"{root}/.git", staging, REAL_EFFECTS)
    encoded = [encode_object(*item) for item in items]
    for item in encoded:
        writer.add(item)
    staging.flush()
    writer.publish()
    staging.discard()
    return [item.oid for item in encoded]


@pytest.mark.parametrize("durability", Durability)
def test_git_reads_what_was_written(tmp_path: Path, durability: Durability) -> None:
    root = new_store(tmp_path / "store")
    contents = [b"", b"text\n", bytes(range(256)) * 1000]
    oids = write(root, [("blob", content) for content in contents], durability)
    assert oids == [digest(content) for content in contents]
    assert git(root, "cat-file", "-p", oids[1]) == "text\n"
    assert git(root, "fsck", "--full", "--no-dangling") == ""
    path = root / ".git/objects" / oids[1][:2] / oids[1][2:]
    assert stat.S_IMODE(path.stat().st_mode) == 0o400


def test_an_object_that_is_there_is_written_again(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    (oid,) = write(root, [("blob", b"text\n")], Durability.PROCESS)
    path = root / ".git/objects" / oid[:2] / oid[2:]
    first = path.stat().st_ino
    write(root, [("blob", b"text\n")], Durability.PROCESS)
    assert path.stat().st_ino != first
    assert git(root, "cat-file", "-p", oid) == "text\n"


NAMES = st.sampled_from(["a", "a-b", "a.b", "a0", "b", "ab", "é", "z"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


@settings(max_examples=30)
@given(st.dictionaries(PATHS, st.binary(max_size=3), max_size=12), st.data())
def test_a_tree_is_what_git_makes_of_the_same_files(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes], data: st.DataObject
) -> None:
    kept = {
        path: content
        for path, content in files.items()
        if not any(other.startswith(path + "/") for other in files)
    }
    root = new_store(tmp_path_factory.mktemp("tree") / "store")
    cache = TreeCache(CatFile(root / ".git").read_tree)
    first, objects = build_tree(cache, "", {path: digest(body) for path, body in kept.items()})
    gone = data.draw(st.sets(st.sampled_from(sorted(kept)))) if kept else set()
    second, more = build_tree(cache, first, dict.fromkeys(gone))
    write(root, [("blob", body) for body in kept.values()], Durability.PROCESS)
    staging = Staging(f"{root}/.git/memfs/tmp", REAL_EFFECTS, Durability.PROCESS)
    writer = ObjectWriter(f"{root}/.git", staging, REAL_EFFECTS)
    for item in (*objects, *more, encode_object("tree", b"")):
        writer.add(item)
    writer.publish()
    git(root, "read-tree", "--empty")
    for path in kept.keys() - gone:
        git(root, "update-index", "--add", "--cacheinfo", f"100644,{digest(kept[path])},{path}")
    assert git(root, "write-tree").strip() == second
    assert git(root, "fsck", "--strict", "--no-dangling") == ""


def test_a_tree_without_files_is_the_empty_tree() -> None:
    cache = TreeCache(lambda oid: pytest.fail(f"nothing to read at {oid}"))
    root, _ = build_tree(cache, "", {"a/b": digest(b"x")})
    assert build_tree(cache, root, {"a/b": None})[0] == EMPTY_TREE


def test_a_file_and_a_folder_cannot_share_a_name() -> None:
    cache = TreeCache(lambda oid: pytest.fail(f"nothing to read at {oid}"))
    root, _ = build_tree(cache, "", {"a": digest(b"x"), "f/b": digest(b"y")})
    for path in ("a/b", "f"):
        with pytest.raises(PathTakenError):
            build_tree(cache, root, {path: digest(b"z")})
