from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfs.formats.hold_codec import encode_hold
from memfs.model.digests import blob_id
from memfs.model.hold import Hold
from memfs.model.ids import CommitId
from memfs.store.layout import hold_path
from memfs.store.snapshot import IrregularEntry, Snapshot, TreeChange, TreeEntry
from memfs.store.tree import MODE_FILE, MODE_TREE, TreeItem, serialise_tree
from tests.support.repositories import Repository

A = "records/note/2026-11/a-aaaaaa.md"
B = "records/note/2026-11/b-bbbbbb.md"
C = "records/note/2026-12/c-cccccc.md"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.create(tmp_path / "store")


def hold_file(path: str, admitted: str, found: str) -> bytes:
    return encode_hold(Hold(path=path, admitted=admitted, found=found, candidate=f"cand_{0:026d}"))


def test_a_snapshot_shows_the_files_of_its_commit_in_order(repository: Repository) -> None:
    first = repository.commit({B: "b", A: "a", "memfs.yaml": "x"})
    repository.commit({A: "a2", C: "c", B: None})
    old, new = repository.snapshot(first), repository.snapshot()
    assert [entry.path for entry in old.entries()] == ["memfs.yaml", A, B]
    assert list(new.entries("records/")) == [
        TreeEntry(A, blob_id(b"a2")),
        TreeEntry(C, blob_id(b"c")),
    ]
    assert [entry.path for entry in new.entries("records/note/2026-12")] == [C]
    assert [entry.path for entry in new.entries("records/note/2026-11/a")] == [A]
    assert list(new.entries("records/none/")) == []
    assert (old.read(A), new.read(A), new.read(B)) == (b"a", b"a2", None)
    assert new.entry("records/note") is None


def test_the_empty_commit_id_is_an_empty_snapshot(repository: Repository) -> None:
    commit = repository.commit({A: "a"})
    nothing = Snapshot(repository.snapshot()._objects, CommitId(""))
    assert list(nothing.entries()) == []
    assert nothing.entry(A) is None
    changes = list(repository.snapshot(commit).changes_since(nothing))
    assert changes == [TreeChange(A, None, blob_id(b"a"))]


def test_a_held_path_is_served_as_it_was_admitted(repository: Repository) -> None:
    repository.commit({A: "admitted"})
    foreign = repository.commit({A: "foreign", B: "new by hand"})
    held = repository.commit(
        {
            hold_path(A): hold_file(A, blob_id(b"admitted"), blob_id(b"foreign")),
            hold_path(B): hold_file(B, "", blob_id(b"new by hand")),
        }
    )
    snapshot = repository.snapshot(held)
    assert snapshot.read(A) == b"admitted"
    assert snapshot.entry(B) is None
    assert snapshot.raw_entry(A) == TreeEntry(A, blob_id(b"foreign"))
    assert list(snapshot.entries("records/")) == [TreeEntry(A, blob_id(b"admitted"))]
    assert sorted(snapshot.holds()) == [A, B]
    assert snapshot.find_suffix("bbbbbb") == ()
    changes = list(snapshot.changes_since(repository.snapshot(foreign)))
    assert TreeChange(A, blob_id(b"foreign"), blob_id(b"admitted")) in changes
    assert TreeChange(B, blob_id(b"new by hand"), None) in changes


def test_a_held_deletion_is_still_served_in_its_place(repository: Repository) -> None:
    repository.commit({A: "a", B: "b", C: "c"})
    repository.commit({B: None, hold_path(B): hold_file(B, blob_id(b"b"), "")})
    snapshot = repository.snapshot()
    assert [entry.path for entry in snapshot.entries("records/")] == [A, B, C]
    assert snapshot.entry(B) == TreeEntry(B, blob_id(b"b"))
    assert snapshot.find_suffix("bbbbbb") == (TreeEntry(B, blob_id(b"b")),)


def test_releasing_a_hold_is_a_change_although_the_record_did_not_move(
    repository: Repository,
) -> None:
    repository.commit({A: "admitted"})
    repository.commit({A: "foreign", hold_path(A): hold_file(A, blob_id(b"admitted"), "")})
    held = repository.snapshot()
    repository.commit({hold_path(A): None})
    changes = [
        change
        for change in repository.snapshot().changes_since(held)
        if change.path.startswith("records/")
    ]
    assert changes == [TreeChange(A, blob_id(b"admitted"), blob_id(b"foreign"))]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "not json",
        "[]",
        "null",
        '{"path": 1}',
        hold_file("records/other.md", "", ""),
        hold_file(A, "", "").replace(b"cand_", b"mem_"),
        "[" * 100_000,
    ],
)
def test_an_unreadable_hold_withholds_its_record_and_no_other(
    repository: Repository, content: str | bytes
) -> None:
    before = repository.commit({A: "a", B: "b"})
    repository.commit({A: "foreign", hold_path(A): content})
    snapshot = repository.snapshot()
    assert snapshot.entry(A) is None
    assert [entry.path for entry in snapshot.entries("records/")] == [B]
    assert snapshot.broken_holds() == (hold_path(A),)
    changes = list(snapshot.changes_since(repository.snapshot(before)))
    assert TreeChange(A, blob_id(b"a"), None) in changes


def test_links_submodules_and_odd_names_are_listed_and_never_served(
    repository: Repository,
) -> None:
    blob, commit = repository.blob(b"x"), repository.commit({"seed.md": "x"})
    inner = repository.tree([("config", MODE_FILE, blob)])
    note = repository.tree(
        [
            ("good.md", MODE_FILE, blob),
            ("link.md", 0o120000, blob),
            ("module", 0o160000, commit),
            (".git", MODE_TREE, inner),
            ("GIT~1", MODE_FILE, blob),
            ("..", MODE_TREE, inner),
            ("a\\b.md", MODE_FILE, blob),
            ("con.md", MODE_FILE, blob),
            ("note/forged.md", MODE_FILE, blob),
            ("folder/deep", MODE_TREE, inner),
            (os.fsdecode(b"bad-\xff.md"), MODE_FILE, blob),
            ("run.md", 0o100755, blob),
        ]
    )
    root = repository.tree([("records", MODE_TREE, note)])
    snapshot = repository.snapshot(repository.commit_tree(root))
    assert [entry.path for entry in snapshot.entries()] == ["records/good.md", "records/run.md"]
    assert {(item.path, item.reason) for item in snapshot.irregular()} == {
        ("records/link.md", "symlink"),
        ("records/module", "submodule"),
        ("records/.git", "git"),
        ("records/GIT~1", "git"),
        ("records/..", "traversal"),
        ("records/a\\b.md", "separator"),
        ("records/con.md", "reserved"),
        ("records/note/forged.md", "separator"),
        ("records/folder/deep", "separator"),
        (os.fsdecode(b"records/bad-\xff.md"), "encoding"),
    }
    for path in ("records/link.md", "records/.git/config", "records/../config", "records/module"):
        assert snapshot.entry(path) is None
    empty = Snapshot(snapshot._objects, CommitId(""))
    changed = [change.path for change in snapshot.changes_since(empty)]
    assert changed == ["records/good.md", "records/run.md"]


def test_a_tree_deeper_than_any_path_is_reported_and_not_entered(repository: Repository) -> None:
    tree = repository.tree([("deep.md", MODE_FILE, repository.blob(b"x"))])
    for _ in range(1100):
        tree = repository.put("tree", serialise_tree([TreeItem("a", MODE_TREE, tree)]))
    blob = repository.blob(b"y")
    root = repository.tree([("a", MODE_TREE, tree), ("b.md", MODE_FILE, blob)])
    snapshot = repository.snapshot(repository.commit_tree(root))
    assert list(snapshot.entries()) == [TreeEntry("b.md", blob)]
    assert snapshot.entry("/".join(["a"] * 1101 + ["deep.md"])) is None
    assert [item.reason for item in snapshot.irregular()] == ["depth"]
    assert snapshot.find_suffix("deep") == ()
    changes = list(snapshot.changes_since(Snapshot(snapshot._objects, CommitId(""))))
    assert changes == [TreeChange("b.md", None, blob)]


def test_a_record_that_became_a_link_counts_as_gone(repository: Repository) -> None:
    before = repository.commit({A: "a"})
    (repository.root / A).unlink()
    (repository.root / A).symlink_to("/etc/passwd")
    after = repository.commit({})
    changes = list(repository.snapshot(after).changes_since(repository.snapshot(before)))
    assert changes == [TreeChange(A, blob_id(b"a"), None)]
    assert list(repository.snapshot(after).irregular()) == [IrregularEntry(A, 0o120000, "symlink")]


def test_a_change_of_mode_alone_is_no_change(repository: Repository) -> None:
    before = repository.commit({A: "a"})
    (repository.root / A).chmod(0o755)
    after = repository.commit({})
    assert before != after
    assert list(repository.snapshot(after).changes_since(repository.snapshot(before))) == []


def test_names_are_found_in_either_unicode_form_and_kept_as_they_are(
    repository: Repository,
) -> None:
    decomposed = "records/note/cafe\u0301-aaaaaa.md"
    repository.commit({decomposed: "x"})
    snapshot = repository.snapshot()
    assert snapshot.entry("records/note/caf\u00e9-aaaaaa.md") == TreeEntry(
        decomposed, blob_id(b"x")
    )
    assert snapshot.entry(decomposed) == TreeEntry(decomposed, blob_id(b"x"))


def test_a_record_is_found_by_the_end_of_its_id(repository: Repository) -> None:
    full = "mem_01kb8x3v6yq4m9t2r7w5z1c0de"
    opaque = "mem_01kb8x3v6yq4m9t2r7w5zzzzzz"
    files = {
        f"records/note/2026-11/some-title-{full[-6:]}.md": "1",
        f"records/fact/2026-11/other-title-{full[-6:]}.md": "2",
        f"records/note/2026-11/{opaque}.md": "3",
        "records/note/2026-11/misleading-1c0de.md": "4",
        "records/note/2026-11/x1c0de-aaaaaa.md": "5",
        f"evidence/2026-11/{opaque.replace('mem', 'ev')}.json": "6",
    }
    repository.commit(dict(files))
    snapshot = repository.snapshot()
    both = tuple(sorted(path for path in files if full[-6:] in path))
    assert tuple(entry.path for entry in snapshot.find_suffix(full[-6:])) == both
    assert tuple(entry.path for entry in snapshot.find_suffix(full)) == both
    assert tuple(entry.path for entry in snapshot.find_suffix(full.upper())) == both
    assert [entry.path for entry in snapshot.find_suffix(opaque)] == [
        f"records/note/2026-11/{opaque}.md"
    ]
    assert len(snapshot.find_suffix("zzzzzz")) == 2
    assert snapshot.find_suffix("nosuch") == ()


def test_month_folders_are_counted(repository: Repository) -> None:
    repository.commit({A: "a", B: "b", C: "c", "records/note/loose.md": "x"})
    assert dict(repository.snapshot().shard_sizes("records/note")) == {"2026-11": 2, "2026-12": 1}
    assert dict(repository.snapshot().shard_sizes("records/none")) == {}


def test_a_snapshot_reads_the_same_after_everything_was_packed(repository: Repository) -> None:
    commit = repository.commit({A: "a", B: "b"})
    snapshot = repository.snapshot(commit)
    before = list(snapshot.entries())
    repository.git("gc", "--quiet", "--prune=now")
    assert list(repository.snapshot(commit).entries()) == before
    assert snapshot.read(A) == b"a"
    assert dict(snapshot.read_blobs([entry.blob for entry in before])) == {
        blob_id(b"a"): b"a",
        blob_id(b"b"): b"b",
    }


def test_ten_thousand_files_are_listed_and_compared_by_reading_few_trees(
    repository: Repository,
) -> None:
    first = repository.fill(10_000)
    snapshot = repository.snapshot(first)
    assert sum(1 for _ in snapshot.entries("records/")) == 10_000
    assert [entry.path for entry in snapshot.find_suffix("009999")] == [
        "records/note/2026-01.20/note-009999.md"
    ]
