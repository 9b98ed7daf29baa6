"""Git's index stays in step in every form that it can have."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.model.settings import Durability, IndexMode, StoreSettings
from memfs.store.cachetree import invalidate_cache_tree
from memfs.store.gitindex import (
    IndexEdit,
    UnknownIndexError,
    apply_edits,
    encode_index,
    parse_index,
)
from memfs.store.store import Store
from tests.support.stores import assert_sound, digest, git, ledger_files, new_store, plan_for

FORMS: dict[str, Callable[[Path], object]] = {
    "plain": lambda root: None,
    "version-4": lambda root: git(root, "update-index", "--index-version", "4"),
    "split": lambda root: git(root, "update-index", "--split-index"),
    "split-by-config": lambda root: git(root, "config", "core.splitIndex", "true"),
    "never-split-by-config": lambda root: git(root, "config", "core.splitIndex", "false"),
    "many-files": lambda root: git(root, "config", "feature.manyFiles", "true"),
    "no-untracked-cache": lambda root: git(root, "config", "core.untrackedCache", "false"),
}


class Beside:
    """What a person and Git do to the index between two operations."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self._root = root
        self._chance = chance

    def act(self, store: Store, files: dict[str, bytes]) -> None:
        some = self._chance.choice(sorted(files)) if files else ""
        match self._chance.randrange(12):
            case 0:
                git(self._root, "status")
            case 1 if some:
                (self._root / some).touch()
            case 2:
                (self._root / "hand.txt").write_text(str(self._chance.random()))
                git(self._root, "add", "hand.txt")
                git(self._root, "commit", "-q", "-m", "by hand")
            case 3 if some:
                git(self._root, "rm", "-q", some)
                git(self._root, "commit", "-q", "-m", "by hand")
                del files[some]
            case 4:
                git(self._root, "read-tree", "HEAD")  # forgets what it knew of the files
            case 5:
                (self._root / ".git/index").unlink()
            case 6:
                git(self._root, "update-index", "--split-index")
            case 7:
                git(self._root, "update-index", "--no-split-index")
        if store.main_head() != store.ledger_head():
            tip = store.main_head() or ""
            store.commit(plan_for(store, {"receipts/r.json": tip.encode()}, settles=tip))


@pytest.mark.parametrize("mode", IndexMode)
@pytest.mark.parametrize("form", FORMS)
def test_status_is_clean_after_every_operation(tmp_path: Path, form: str, mode: IndexMode) -> None:
    root = new_store(tmp_path / "store")
    FORMS[form](root)
    chance = random.Random(f"{form} {mode}")
    beside = Beside(root, chance)
    files: dict[str, bytes] = {}
    settings = StoreSettings(durability=Durability.PROCESS, index=mode)
    with Store.open(root, settings=settings) as store:
        for number in range(16):
            changes = _draw(chance, files, number)
            store.commit(plan_for(store, changes))
            for path, content in changes.items():
                if content is None:
                    del files[path]
                else:
                    files[path] = content
            assert git(root, "status", "--porcelain") == ""
            beside.act(store, files)
    found = {path: oid for path, oid in ledger_files(root).items() if path.startswith("records/")}
    assert found == {path: digest(content) for path, content in files.items()}
    assert_sound(root)


def _draw(chance: random.Random, files: dict[str, bytes], number: int) -> dict[str, bytes | None]:
    changes: dict[str, bytes | None] = {}
    for _ in range(chance.randrange(1, 4)):
        some = chance.choice(sorted(files)) if files else ""
        kind = chance.random()
        if some and kind < 0.25:
            changes[some] = None
        elif some and kind < 0.5:
            changes[some] = b"again %d\n" % number
        else:
            folder = f"records/k{chance.randrange(3)}/2026-{chance.randrange(1, 4):02d}"
            changes[f"{folder}/{chance.randrange(1000)}.md"] = b"new %d\n" % number
    return changes


def test_a_stale_index_that_was_put_back_is_healed_under_the_lock(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {"records/a.md": b"a\n"})
    index = root / ".git/index"
    before = index.read_bytes()
    with Store.open(root) as store:
        store.commit(plan_for(store, {"records/b.md": b"b\n", "records/a.md": b"a2\n"}))
        # As `git commit` does that read the index before it was locked.
        index.unlink()
        index.write_bytes(before)
        store.commit(plan_for(store, {"records/c.md": b"c\n"}))
        assert git(root, "status", "--porcelain") == ""
        index.unlink()
        index.write_bytes(before)
    assert_sound(root)
    git(root, "commit", "-q", "--allow-empty", "-m", "by hand")
    assert git(root, "ls-tree", "--name-only", "HEAD:records").split() == ["a.md", "b.md", "c.md"]


def test_what_a_person_staged_survives_the_healing(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {"records/a.md": b"a\n", "records/b.md": b"b\n"})
    (root / "records/a.md").write_bytes(b"mine\n")
    (root / "new.md").write_bytes(b"new\n")
    git(root, "add", "-A")
    git(root, "rm", "-q", "records/b.md")
    with Store.open(root) as store:
        store.commit(plan_for(store, {"records/c.md": b"c\n"}))
    assert git(root, "status", "--porcelain").split("\n") == [
        "A  new.md",
        "M  records/a.md",
        "D  records/b.md",
        "",
    ]


def test_a_damaged_index_is_made_again(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {"records/a.md": b"a\n"})
    (root / ".git/index").write_bytes(b"DIRC\0\0\0\2\0\0\0\1 cut")
    with Store.open(root) as store:
        store.commit(plan_for(store, {"records/b.md": b"b\n"}))
    assert_sound(root)


def test_a_conflict_that_a_person_is_resolving_stays_one(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {"records/a.md": b"base\n", "records/b.md": b"b\n"})
    git(root, "checkout", "-q", "-b", "side")
    (root / "records/a.md").write_bytes(b"theirs\n")
    git(root, "commit", "-q", "-a", "-m", "theirs")
    git(root, "checkout", "-q", "main")
    with Store.open(root) as store:
        store.commit(plan_for(store, {"records/a.md": b"ours\n"}))
        git(root, "merge", "-q", "side", check=False)
        text = (root / "records/a.md").read_bytes()
        done = store.commit(plan_for(store, {"records/a.md": b"ours 2\n", "records/b.md": b"b2\n"}))
    assert done.kept_working == ("records/a.md",)
    assert (root / "records/a.md").read_bytes() == text
    assert git(root, "status", "--porcelain") == "UU records/a.md\n"


def test_the_index_is_split_when_it_grows_and_joined_when_told(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    split = StoreSettings(durability=Durability.PROCESS, index=IndexMode.SPLIT)
    with Store.open(root, settings=split) as store:
        store.commit(plan_for(store, {"a.md": b"a\n"}))
        assert parse_index((root / ".git/index").read_bytes()).is_split
        store.configure(StoreSettings(durability=Durability.PROCESS, index=IndexMode.FULL))
        store.commit(plan_for(store, {"b.md": b"b\n"}))
    assert not parse_index((root / ".git/index").read_bytes()).is_split
    assert_sound(root)


def test_git_accepts_what_is_written_and_parsing_is_lossless(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {f"records/{n}.md": b"%d\n" % n for n in range(50)})
    git(root, "status")
    data = (root / ".git/index").read_bytes()
    assert encode_index(parse_index(data)) == data


def test_odd_names_are_entered_as_git_enters_them(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    names = ["ä.md", "a b.md", "日本語.md", "x" * 200 + ".md", "a'b.md"]
    with Store.open(root) as store:
        store.commit(plan_for(store, {f"records/{name}": b"x\n" for name in names}))
    listed = git(root, "ls-files", "-z", "records").split("\0")
    assert sorted(listed[:-1]) == sorted(f"records/{name}" for name in names)
    assert_sound(root)


@pytest.mark.parametrize("data", [b"", b"DIRC", b"DIRC\0\0\0\4\0\0\0\0" + b"\0" * 20, b"x" * 64])
def test_an_unknown_form_is_left_to_git(data: bytes) -> None:
    with pytest.raises(UnknownIndexError):
        parse_index(data)


def test_a_file_where_a_folder_was_is_left_to_git(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {"a/b.md": b"b\n"})
    image = parse_index((root / ".git/index").read_bytes())
    with pytest.raises(UnknownIndexError):
        apply_edits(image, [IndexEdit(b"a", 0o100644, digest(b"x"))])


def test_only_folders_above_a_change_become_unknown() -> None:
    def node(name: bytes, count: int, children: int, oid: bytes) -> bytes:
        return b"%s\0%d %d\n" % (name, count, children) + oid * 20

    whole = node(b"", 3, 2, b"r") + node(b"a", 2, 1, b"a") + node(b"x", 1, 0, b"x")
    data = whole + node(b"b", 1, 0, b"b")
    assert invalidate_cache_tree(data, [b"a/new.md"]) == (
        b"\0-1 2\n" + b"a\0-1 1\n" + node(b"x", 1, 0, b"x") + node(b"b", 1, 0, b"b")
    )
    assert invalidate_cache_tree(b"broken", [b"a"]) == b""
