"""Working files: put in place, kept, restored; a person's text is never overwritten."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from memfs.store.effects import Effects
from memfs.store.opening import TrackedPathError
from memfs.store.store import Store
from tests.support.stores import (
    assert_sound,
    digest,
    git,
    ledger_files,
    new_store,
    plan_for,
)

NOTE = "records/note/2026-11/a.md"


def test_a_file_that_a_person_has_edited_is_left_alone(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n", "records/b.md": b"b\n"})
    (root / NOTE).write_bytes(b"mine\n")
    (root / "records/b.md").unlink()
    (root / "records/new.md").write_bytes(b"also mine\n")
    with Store.open(root) as store:
        changes = {NOTE: b"two\n", "records/b.md": b"b2\n", "records/new.md": b"theirs\n"}
        done = store.commit(plan_for(store, changes))
    assert done.kept_working == ("records/b.md", "records/new.md", NOTE)
    assert (root / NOTE).read_bytes() == b"mine\n"
    assert not (root / "records/b.md").exists()
    assert (root / "records/new.md").read_bytes() == b"also mine\n"
    assert git(root, "status", "--porcelain").split("\n") == [
        " D records/b.md",
        " M records/new.md",
        f" M {NOTE}",
        "",
    ]


def test_a_text_that_a_person_handed_in_is_replaced(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    (root / NOTE).write_bytes(b"mine\n")
    with Store.open(root) as store:
        plan = plan_for(
            store, {NOTE: b"mine, with an id\n"}, replaces=frozenset({digest(b"mine\n")})
        )
        assert store.commit(plan).kept_working == ()
    assert (root / NOTE).read_bytes() == b"mine, with an id\n"
    assert_sound(root)


def test_an_accepted_hand_edit_keeps_its_file(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    (root / NOTE).write_bytes(b"mine\n")
    inode = (root / NOTE).stat().st_ino
    with Store.open(root) as store:
        assert store.commit(plan_for(store, {NOTE: b"mine\n"})).kept_working == ()
    assert (root / NOTE).stat().st_ino == inode
    assert_sound(root)


class SavingEffects(Effects):
    """An editor that saves at the very moment at which a file is put in place."""

    def __init__(self, target: Path) -> None:
        self._target = target

    def before(self, effect: str, target: str) -> None:
        if effect in ("exchange", "rename") and target == self._target.name:
            saved = self._target.with_suffix(".swap")
            saved.write_bytes(b"saved just now\n")
            saved.rename(self._target)


@pytest.mark.parametrize("content", [b"two\n", None], ids=["replace", "remove"])
def test_an_editor_that_saves_meanwhile_keeps_its_text(
    tmp_path: Path, content: bytes | None
) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    with Store.open(root, effects=SavingEffects(root / NOTE)) as store:
        done = store.commit(plan_for(store, {NOTE: content}))
    assert done.kept_working == (NOTE,)
    assert (root / NOTE).read_bytes() == b"saved just now\n"


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {"records/note/2026-11/b.md": b"b\n"})
    with Store.open(root, effects=SavingEffects(root / NOTE)) as store:
        done = store.commit(plan_for(store, {NOTE: b"one\n"}))
    assert done.kept_working == (NOTE,)
    assert (root / NOTE).read_bytes() == b"saved just now\n"


def test_an_accepted_file_becomes_private_and_plain(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    (root / "records/mine.md").write_bytes(b"mine\n")
    (root / "records/mine.md").chmod(0o755)
    with Store.open(root) as store:
        store.commit(plan_for(store, {"records/mine.md": b"mine\n"}))
    assert stat.S_IMODE((root / "records/mine.md").stat().st_mode) == 0o600
    assert_sound(root)


def test_a_linked_folder_is_never_written_through(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "records").symlink_to(outside)
    with Store.open(root) as store:
        assert store.commit(plan_for(store, {NOTE: b"a\n"})).kept_working == (NOTE,)
        assert store.snapshot().read(NOTE) == b"a\n"
    assert list(outside.iterdir()) == []


def test_staged_work_of_a_person_is_not_committed(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    (root / "mine.md").write_bytes(b"mine\n")
    git(root, "add", "mine.md")
    with Store.open(root) as store:
        store.commit(plan_for(store, {NOTE: b"two\n"}))
    assert git(root, "status", "--porcelain") == "A  mine.md\n"
    assert "mine.md" not in ledger_files(root)


def test_removing_the_last_file_removes_its_empty_folders(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    with Store.open(root) as store:
        store.commit(plan_for(store, {NOTE: None}))
    assert not (root / "records").exists()
    assert_sound(root)


def test_new_files_are_for_their_owner_only(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    with Store.open(root) as store:
        store.commit(plan_for(store, {NOTE: b"a\n"}, key="k"))
        store.write_untracked("inbox/c.md", b"c\n")
    for path in root.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 or ".git" in path.parts


def test_untracked_files_never_enter_the_ledger_and_nothing_else_goes_past_the_door(
    tmp_path: Path,
) -> None:
    root = new_store(tmp_path / "store")
    with Store.open(root) as store:
        store.write_untracked("inbox/c.md", b"c\n")
        store.write_untracked("MEMORY.md", b"view\n")
        assert store.list_untracked("inbox") == ("inbox/c.md",)
        for path in (NOTE, "memfs.yaml", "holds/x.json"):
            with pytest.raises(TrackedPathError):
                store.write_untracked(path, b"x\n")
            with pytest.raises(TrackedPathError):
                store.remove_untracked(path)
        store.remove_untracked("inbox/c.md")
        assert store.list_untracked("inbox") == ()
    assert git(root, "status", "--porcelain") == ""


def test_restoring_puts_the_branch_version_back(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n", "records/b.md": b"b\n"})
    (root / NOTE).write_bytes(b"mine\n")
    (root / "records/b.md").unlink()
    (root / "records/new.md").write_bytes(b"new\n")
    with Store.open(root) as store:
        for path in (NOTE, "records/b.md", "records/new.md"):
            store.restore_working(path)
    assert (root / NOTE).read_bytes() == b"one\n"
    assert not (root / "records/new.md").exists()
    assert_sound(root)
