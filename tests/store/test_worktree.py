from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memfs.formats.hold_codec import encode_hold
from memfs.model.hold import Hold
from memfs.store.layout import hold_path
from memfs.store.stamps import StampTable, load_table, save_table
from memfs.store.store import Store
from memfs.store.worktree import WorkingChange, WorkingKind, staged_changes
from tests.support.ledgers import blob_of, open_new_store, plan_for
from tests.support.repositories import Repository

A = "records/note/2026-11/a-aaaaaa.md"
B = "records/note/2026-11/b-bbbbbb.md"
NEW = "records/note/2026-11/new.md"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_new_store(tmp_path / ".memfs") as store:
        store.commit(plan_for(store, {A: "alpha\n", B: "beta\n"}, seconds=1))
        yield store


def person(store: Store) -> Repository:
    return Repository(store.root)


def change(
    path: str, new: str | None, old: str | None, state: WorkingKind, **more: str
) -> WorkingChange:
    return WorkingChange(
        path=path,
        digest=None if new is None else blob_of(new),
        base=None if old is None else blob_of(old),
        state=state,
        **more,
    )


def test_an_untouched_store_has_no_changes(store: Store) -> None:
    assert store.working_changes().is_clean


def test_each_kind_of_edit_is_found(store: Store) -> None:
    person(store).write({A: "edited\n", B: None, NEW: "kind: note\n"})
    assert store.working_changes().changes == (
        change(A, "edited\n", "alpha\n", WorkingKind.MODIFIED),
        change(B, None, "beta\n", WorkingKind.DELETED),
        change(NEW, "kind: note\n", None, WorkingKind.ADDED),
    )


def test_touching_a_file_is_no_edit(store: Store) -> None:
    os.utime(store.root / A, (1, 1))
    (store.root / B).write_text("beta\n")
    assert store.working_changes().is_clean


def test_an_edit_of_the_same_size_and_time_is_found(store: Store) -> None:
    before = (store.root / A).stat()
    (store.root / A).write_text("ALPHA\n")
    os.utime(store.root / A, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert store.working_changes().changes == (
        change(A, "ALPHA\n", "alpha\n", WorkingKind.MODIFIED),
    )


@pytest.mark.parametrize("is_staged", [False, True])
def test_a_rename_pairs_by_content(store: Store, is_staged: bool) -> None:
    (store.root / A).rename(store.root / NEW)
    if is_staged:
        person(store).git("add", "-A")
    assert store.working_changes().changes == (
        change(NEW, "alpha\n", "alpha\n", WorkingKind.RENAMED, renamed_from=A),
    )


def test_a_rename_with_an_edit_is_a_removal_and_a_new_file(store: Store) -> None:
    person(store).write({A: None, NEW: "alpha, edited\n"})
    assert [item.state for item in store.working_changes().changes] == [
        WorkingKind.DELETED,
        WorkingKind.ADDED,
    ]


def test_two_copies_of_a_removed_file_are_not_guessed_at(store: Store) -> None:
    person(store).write({A: None, NEW: "alpha\n", NEW + ".md": "alpha\n"})
    assert [item.state for item in store.working_changes().changes] == [
        WorkingKind.DELETED,
        WorkingKind.ADDED,
        WorkingKind.ADDED,
    ]


def test_ignored_files_never_appear(store: Store) -> None:
    person(store).write(
        {"inbox/a.md": "x", "inbox/deep/b.md": "x", "MEMORY.md": "x", "views/x.jsonl": "x"}
    )
    (store.root / ".gitignore").write_text("")
    (store.root / ".git/info/exclude").write_text("")
    assert [item.path for item in store.working_changes().changes] == [".gitignore"]


def test_staging_an_edit_and_undoing_it_in_the_file_is_no_edit(store: Store) -> None:
    person(store).write({A: "edited\n"})
    person(store).git("add", "-A")
    person(store).write({A: "alpha\n"})
    assert store.working_changes().is_clean


def test_a_staged_edit_is_found_although_the_index_has_it(store: Store) -> None:
    person(store).write({A: "edited\n"})
    person(store).git("add", "-A")
    assert store.working_changes().changes == (
        change(A, "edited\n", "alpha\n", WorkingKind.MODIFIED),
    )
    assert list(staged_changes(store.git_dir)) == [(A, blob_of("edited\n"))]


def test_removing_a_file_from_the_index_alone_is_no_edit(store: Store) -> None:
    person(store).git("rm", "--quiet", "--cached", A)
    assert store.working_changes().is_clean
    assert list(staged_changes(store.git_dir)) == []


def test_what_is_no_regular_file_is_irregular_and_never_read(store: Store, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("outside")
    (store.root / A).unlink()
    (store.root / A).symlink_to(tmp_path / "secret")
    (store.root / B).unlink()
    os.mkfifo(store.root / B)
    os.link(tmp_path / "secret", store.root / NEW)
    assert store.working_changes().changes == (
        change(A, None, "alpha\n", WorkingKind.IRREGULAR, reason="symlink"),
        change(B, None, "beta\n", WorkingKind.IRREGULAR, reason="special"),
        change(NEW, None, None, WorkingKind.IRREGULAR, reason="hard-link"),
    )


def test_what_cannot_be_read_is_unknown_and_not_gone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.commit(plan_for(store, {"records/fact/2026-11/c.md": "gamma\n"}, seconds=2))
    assert store.working_changes().is_clean
    real = os.open

    def refuse(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path in ("2026-11", os.path.basename(B)) and "note" in os.readlink(
            f"/proc/self/fd/{dir_fd}"
        ):
            raise PermissionError(13, "Permission denied")
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refuse)
    expected = (
        change(A, None, "alpha\n", WorkingKind.IRREGULAR, reason="unreadable"),
        change(B, None, "beta\n", WorkingKind.IRREGULAR, reason="unreadable"),
    )
    assert store.working_changes().changes == expected
    assert store.working_changes().changes == expected
    monkeypatch.undo()
    assert store.working_changes().is_clean


def test_one_unreadable_file_hides_no_other(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    person(store).write({A: "edited\n", B: "edited\n"})
    real = os.read

    def fail(descriptor: int, size: int) -> bytes:
        if os.readlink(f"/proc/self/fd/{descriptor}").endswith(A):
            raise OSError(5, "Input/output error")
        return real(descriptor, size)

    monkeypatch.setattr(os, "read", fail)
    assert store.working_changes().changes == (
        change(A, None, "alpha\n", WorkingKind.IRREGULAR, reason="unreadable"),
        change(B, "edited\n", "beta\n", WorkingKind.MODIFIED),
    )


def test_a_folder_replaced_by_a_link_is_not_entered(store: Store, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (store.root / "records/note/2026-11").rename(outside)
    (store.root / "records/note/2026-11").symlink_to(outside)
    assert store.working_changes().changes == (
        change("records/note/2026-11", None, None, WorkingKind.IRREGULAR, reason="symlink"),
        change(A, None, "alpha\n", WorkingKind.DELETED),
        change(B, None, "beta\n", WorkingKind.DELETED),
    )


def test_a_file_replaced_by_a_folder_is_gone_and_its_files_are_new(store: Store) -> None:
    (store.root / A).unlink()
    person(store).write({f"{A}/inner.md": "x"})
    assert store.working_changes().changes == (
        change(A, None, "alpha\n", WorkingKind.DELETED),
        change(f"{A}/inner.md", "x", None, WorkingKind.ADDED),
    )


def test_odd_names_are_reported_one_by_one_and_hide_no_other(store: Store) -> None:
    folder = os.fsencode(store.root / "records/note")
    for name in (b"bad-\xff.md", b"line\nbreak.md", b"con.md", b"a" * 255, b"good file.md"):
        with open(folder + b"/" + name, "w") as stream:
            stream.write("x")
    inner = Repository.create(store.root / "records/note/nested")
    inner.commit({"x.md": "x"})
    found = {item.path: (item.state, item.reason) for item in store.working_changes().changes}
    assert found == {
        "records/note/bad-\\udcff.md": (WorkingKind.IRREGULAR, "path.encoding"),
        "records/note/line\nbreak.md": (WorkingKind.IRREGULAR, "path.control"),
        "records/note/con.md": (WorkingKind.IRREGULAR, "path.reserved"),
        "records/note/" + "a" * 255: (WorkingKind.ADDED, ""),
        "records/note/good file.md": (WorkingKind.ADDED, ""),
        "records/note/nested/x.md": (WorkingKind.ADDED, ""),
    }


def test_a_name_in_another_unicode_form_is_another_file(store: Store) -> None:
    composed, decomposed = "records/note/caf\u00e9.md", "records/note/cafe\u0301.md"
    store.commit(plan_for(store, {composed: "x"}, seconds=2))
    (store.root / composed).rename(store.root / decomposed)
    assert store.working_changes().changes == (
        change(decomposed, "x", "x", WorkingKind.RENAMED, renamed_from=composed),
    )


def test_a_huge_file_is_digested_without_being_loaded(store: Store) -> None:
    with (store.root / NEW).open("wb") as stream:
        stream.truncate(200_000_000)
    [found] = store.working_changes().changes
    assert (found.path, found.state) == (NEW, WorkingKind.ADDED)


def test_hidden_and_ignored_files_that_the_branch_does_not_have_do_not_appear(
    store: Store,
) -> None:
    person(store).write(
        {
            ".obsidian/app.json": "x",
            "records/note/.a.md.swp": "x",
            "records/note/draft.bak.md": "x",
            NEW: "x",
        }
    )
    (store.root / "records/note/.#a.md").symlink_to("user@host.1234")
    (store.git_dir / "info/exclude").write_text("*.bak.md\n")
    assert [item.path for item in store.working_changes().changes] == [NEW]
    foreign = person(store).commit({"records/note/.kept.md": "x"})
    (store.root / "records/note/.kept.md").unlink()
    assert foreign == store.main_head()
    assert {item.path for item in store.working_changes().changes} >= {"records/note/.kept.md"}


def test_an_edit_in_the_same_second_is_found_after_a_later_write(store: Store) -> None:
    # Git compares whole seconds and would take the file for unchanged for ever.
    store.commit(plan_for(store, {A: "alpha 1\n"}, seconds=2))
    with (store.root / A).open("r+") as stream:
        stream.write("ALPHA 1\n")
    store.commit(plan_for(store, {B: "beta 1\n"}, seconds=3))
    for _ in range(2):
        assert store.working_changes().changes == (
            change(A, "ALPHA 1\n", "alpha 1\n", WorkingKind.MODIFIED),
        )


def test_each_look_starts_from_the_last_one(store: Store) -> None:
    for path in (A, B):
        os.utime(store.root / path, (1, 1))
    steps: list[tuple[dict[str, str | bytes | None], set[str]]] = [
        ({A: "edited\n"}, {A}),
        ({}, {A}),
        ({NEW: "new\n"}, {A, NEW}),
        ({B: None}, {A, B, NEW}),
        ({NEW: None, B: "beta\n"}, {A}),
        ({A: "alpha\n"}, set()),
        ({A: None}, {A}),
    ]
    for files, expected in steps:
        person(store).write(files)
        assert {item.path for item in store.working_changes().changes} == expected
    (store.git_dir / "memfs/stamps").unlink()
    assert {item.path for item in store.working_changes().changes} == {A}


def test_the_answer_follows_the_branch_when_it_moves_under_unchanged_files(store: Store) -> None:
    assert store.working_changes().is_clean
    person(store).git("update-ref", "refs/heads/main", "main~1")
    assert {item.path for item in store.working_changes().changes} == {A, B}
    person(store).git("update-ref", "refs/heads/main", "main@{1}")
    assert store.working_changes().is_clean


@pytest.mark.parametrize("damage", [b"", b"memfs-stamps 1\n", b"x" * 5000, None])
def test_a_damaged_table_is_made_again(store: Store, damage: bytes | None) -> None:
    person(store).write({A: "edited\n"})
    before = store.working_changes()
    table = store.git_dir / "memfs/stamps"
    data = table.read_bytes()
    table.write_bytes(data[:-1] + b"?" if damage is None else damage)
    assert store.working_changes() == before
    table.unlink()
    table.symlink_to("/etc/passwd")
    assert store.working_changes() == before


def test_a_table_that_names_a_lost_tree_is_not_believed(store: Store) -> None:
    store.working_changes()
    table = load_table(store.git_dir)
    lost = StampTable(tree="1" * 40, paths=table.paths, stamps=table.stamps, blobs=table.blobs)
    save_table(store.git_dir, lost)
    person(store).write({B: None})
    assert {item.path for item in store.working_changes().changes} == {B}


def test_looking_does_not_write_the_index(store: Store) -> None:
    os.utime(store.root / A, (1, 1))
    before = (store.git_dir / "index").stat()
    store.working_changes()
    after = (store.git_dir / "index").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize("form", ["split", "v4", "untracked-cache", "fsmonitor-valid"])
def test_every_form_of_the_index_gives_the_same_answer(store: Store, form: str) -> None:
    options = {
        "split": ("--split-index",),
        "v4": ("--index-version", "4"),
        "untracked-cache": ("--untracked-cache",),
        "fsmonitor-valid": ("--really-refresh",),
    }
    person(store).git("update-index", *options[form])
    assert store.working_changes().is_clean
    person(store).write({A: "edited\n", NEW: "x"})
    assert [item.path for item in store.working_changes().changes] == [A, NEW]


def test_after_gc_and_a_conflict_the_working_files_decide(store: Store) -> None:
    git = person(store)
    git.git("gc", "--quiet")
    git.git("checkout", "--quiet", "-b", "side")
    git.commit({A: "side\n"})
    git.git("checkout", "--quiet", "main")
    store.commit(plan_for(store, {A: "main\n"}, seconds=2))
    with pytest.raises(AssertionError):
        git.git("merge", "--quiet", "side")
    [found] = store.working_changes().changes
    assert (found.path, found.base, found.state) == (A, blob_of("main\n"), WorkingKind.MODIFIED)


def test_a_held_record_is_compared_with_the_branch_not_with_what_is_served(store: Store) -> None:
    foreign = person(store).commit({A: "by hand\n"})
    hold = encode_hold(
        Hold(
            path=A,
            admitted=blob_of("alpha\n"),
            found=blob_of("by hand\n"),
            candidate=f"cand_{0:026d}",
        )
    )
    store.commit(plan_for(store, {hold_path(A): hold}, seconds=2, settles=foreign))
    assert store.snapshot().read(A) == b"alpha\n"
    assert store.working_changes().is_clean


def test_staged_changes_of_another_index_are_read(store: Store, tmp_path: Path) -> None:
    git = person(store)
    git.write({A: "edited\n", B: None, NEW: "x"})
    (store.root / "records/link.md").symlink_to("note")
    git.git("add", "-A")
    git.git("update-index", "--add", "--cacheinfo", f"160000,{git.head()},records/module")
    (store.git_dir / "index").rename(tmp_path / "next-index")
    git.git("read-tree", "HEAD")
    assert list(staged_changes(store.git_dir)) == []
    assert list(staged_changes(store.git_dir, tmp_path / "next-index")) == [
        (A, blob_of("edited\n")),
        (NEW, blob_of("x")),
    ]
