"""The one door: what a plan may do, what it refuses, and what it leaves behind."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from memfs.errors import ConflictError, MemfsError, StoreError
from memfs.model.decision import Decision, Reason, Verdict
from memfs.model.operation import FileChange, OperationKind, Plan
from memfs.model.settings import Durability, StoreSettings
from memfs.store.bulk import BULK_CHANGES
from memfs.store.lock import LockTimeoutError
from memfs.store.opening import NotAStoreError
from memfs.store.preconditions import (
    ForeignCommitsError,
    InvalidPlanError,
    LedgerMovedError,
    PreconditionError,
    UndecidedChangeError,
    WrongBranchError,
)
from memfs.store.store import Store
from memfs.store.treebuilder import PathTakenError
from tests.support.stores import (
    ANA,
    QUICK,
    assert_sound,
    digest,
    git,
    ledger_files,
    new_store,
    plan_for,
)

NOTE = "records/note/2026-11/a.md"


@pytest.mark.parametrize("durability", Durability)
def test_an_operation_is_one_commit_with_clean_status(
    tmp_path: Path, durability: Durability
) -> None:
    root = new_store(tmp_path / "store")
    with Store.open(root, settings=StoreSettings(durability=durability)) as store:
        before = store.ledger_head()
        done = store.commit(
            plan_for(store, {NOTE: b"text\n", "evidence/2026-11/e.json": b"{}\n"}, key="k1")
        )
        assert (store.main_head(), store.ledger_head()) == (done.id, done.id)
    assert done.parents == (before,)
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "show", "--name-only", "--format=%an <%ae> %cn", "HEAD").split("\n")[:5] == [
        "user:ana <user.ana@memfs.invalid> memfs",
        "",
        "evidence/2026-11/e.json",
        NOTE,
        "",
    ]
    assert (root / NOTE).read_bytes() == b"text\n"
    assert_sound(root)


def test_the_message_explains_the_operation(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    with Store.open(root) as store:
        plan = plan_for(store, {NOTE: b"a\n"}, key="k1", operation=OperationKind.ACTIVATE)
        plan = dataclasses.replace(plan, records=("mem_1@1", "mem_2@3"), subject="FastAPI")
        done = store.commit(plan)
    assert git(root, "log", "-1", "--format=%B") == (
        "remember: FastAPI\n"
        "\n"
        "Memfs-Txn: tx_01kb8x3v7a0000000000000000\n"
        "Memfs-Operation: activate\n"
        "Memfs-Actor: user:ana (terminal)\n"
        "Memfs-Decision: allow test.admitted\n"
        "Memfs-Policy: 0badcafe\n"
        "Memfs-Key: k1\n"
        "Memfs-Record: mem_1@1\n"
        "Memfs-Record: mem_2@3\n"
        "\n"
    )
    assert (done.operation, done.key, done.records) == ("activate", "k1", ("mem_1@1", "mem_2@3"))


def test_a_repeated_key_commits_nothing_and_gives_the_first_commit(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    with Store.open(root) as store:
        plan = plan_for(store, {NOTE: b"a\n"}, key="once")
        first = store.commit(plan)
        # The base is out of date by now; a repetition is recognised all the same.
        again = store.commit(plan)
        other = store.commit(plan_for(store, {NOTE: b"b\n"}, key="once\n"))
    assert again == dataclasses.replace(first, is_replay=True)
    assert not other.is_replay


def test_a_key_is_found_again_when_the_key_log_is_gone(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    with Store.open(root) as store:
        first = store.commit(plan_for(store, {NOTE: b"a\n"}, key="once"))
        for bucket in (root / ".git/memfs/keys").iterdir():
            bucket.unlink()
        assert store.commit(plan_for(store, {NOTE: b"b\n"}, key="once")).id == first.id


def test_an_undecided_change_never_passes(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    held = Decision(verdict=Verdict.QUARANTINE, rule="x.y", reasons=(Reason("x.y", "why"),))
    with Store.open(root) as store:
        plan = plan_for(store, {NOTE: b"a\n", "records/b.md": b"b\n"})
        changes = (plan.changes[0], dataclasses.replace(plan.changes[1], decision=held))
        with pytest.raises(UndecidedChangeError) as caught:
            store.commit(dataclasses.replace(plan, changes=changes))
    assert (caught.value.code, caught.value.path) == ("store.undecided-change", "records/b.md")
    assert caught.value.exit_status == 3
    assert NOTE not in ledger_files(root)


def _refused(root: Path, plan: Plan) -> MemfsError:
    before = ledger_files(root), git(root, "rev-parse", "main")
    with Store.open(root) as store, pytest.raises(MemfsError) as caught:
        store.commit(plan)
    assert (ledger_files(root), git(root, "rev-parse", "main")) == before
    assert_sound(root)
    return caught.value


def test_a_plan_on_an_older_head_is_refused_with_both_heads_named(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    with Store.open(root) as store:
        plan = plan_for(store, {NOTE: b"a\n"})
        later = store.commit(plan_for(store, {"records/b.md": b"b\n"}))
    error = _refused(root, plan)
    assert isinstance(error, LedgerMovedError)
    assert (error.expected, error.found, error.exit_status) == (plan.base, later.id, 40)


def test_a_stale_blob_is_refused_with_both_revisions_named(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    with Store.open(root) as store:
        plan = plan_for(store, {NOTE: b"two\n"})
    stale = dataclasses.replace(plan.changes[0], expected=digest(b"zero\n"))
    error = _refused(root, dataclasses.replace(plan, changes=(stale,)))
    assert isinstance(error, PreconditionError)
    assert (error.path, error.expected, error.found) == (NOTE, digest(b"zero\n"), digest(b"one\n"))


def test_one_bad_change_leaves_every_byte_unchanged(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    with Store.open(root) as store:
        plan = plan_for(store, {NOTE: b"two\n", "records/new.md": b"new\n"})
    absent = dataclasses.replace(plan.changes[1], expected=digest(b"not there\n"))
    _refused(root, dataclasses.replace(plan, changes=(plan.changes[0], absent)))
    assert (root / NOTE).read_bytes() == b"one\n"
    assert not (root / "records/new.md").exists()


@pytest.mark.parametrize("path", ["../out.md", "/etc/x", "a/.git/x", ".GIT/config", "a//b", "a\0b"])
def test_a_path_outside_of_the_records_is_refused(tmp_path: Path, path: str) -> None:
    root = new_store(tmp_path / "store")
    with Store.open(root) as store:
        plan = plan_for(store, {NOTE: b"a\n"})
    change = dataclasses.replace(plan.changes[0], path=path)
    assert _refused(root, dataclasses.replace(plan, changes=(change,))).code.startswith("path.")


def test_empty_and_double_plans_are_refused(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    with Store.open(root) as store:
        plan = plan_for(store, {NOTE: b"a\n"})
    assert isinstance(_refused(root, dataclasses.replace(plan, changes=())), InvalidPlanError)
    double = dataclasses.replace(plan, changes=plan.changes * 2)
    assert isinstance(_refused(root, double), InvalidPlanError)


def test_a_file_cannot_take_the_place_of_a_folder(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"a\n"})
    with Store.open(root) as store:
        below = plan_for(store, {f"{NOTE}/x.md": b"x\n"})
    assert isinstance(_refused(root, below), PathTakenError)


def test_a_folder_takes_the_place_of_a_file_that_is_removed(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {"records/a": b"a\n"})
    with Store.open(root) as store:
        store.commit(plan_for(store, {"records/a": None, "records/a/b.md": b"b\n"}))
    assert (root / "records/a/b.md").read_bytes() == b"b\n"
    assert_sound(root)


def test_foreign_commits_are_settled_first(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"a\n"})
    (root / "by-hand.md").write_bytes(b"hand\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "by hand")
    with Store.open(root) as store:
        ledger, tip = store.ledger_head(), store.main_head()
        assert ledger != tip
        with pytest.raises(ForeignCommitsError) as caught:
            store.commit(plan_for(store, {NOTE: b"b\n"}))
        assert (caught.value.code, caught.value.found) == ("conflict.foreign-commits", tip)
        done = store.commit(plan_for(store, {"holds/x.json": b"{}\n"}, settles=tip or ""))
        assert done.parents == (tip,)
        assert store.ledger_head() == store.main_head() == done.id
    assert_sound(root)


def test_after_a_reset_no_operation_becomes_unreachable(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    with Store.open(root) as store:
        done = store.commit(plan_for(store, {NOTE: b"a\n"}))
    git(root, "reset", "-q", "--hard", "HEAD~1")
    with Store.open(root) as store:
        assert store.ledger_head() == done.id
        assert store.snapshot().read(NOTE) == b"a\n"
        tip = store.main_head() or ""
        settled = store.commit(plan_for(store, {NOTE: b"a\n"}, settles=tip))
        assert settled.parents == (done.id, tip)
    assert_sound(root)


def test_a_large_plan_is_one_commit_in_one_pack(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n", "records/gone.md": b"gone\n"})
    many: dict[str, bytes | None] = {
        f"records/fact/2026-11/{number}.md": b"%d\n" % number for number in range(BULK_CHANGES)
    }
    many |= {NOTE: b"two\n", "records/gone.md": None}
    with Store.open(root) as store:
        done = store.commit(plan_for(store, many, key="batch"))
        assert store.commit(plan_for(store, many, key="batch")).id == done.id
    assert git(root, "rev-list", "--count", "main") == "2\n"
    assert git(root, "for-each-ref", "refs/memfs/bulk") == ""
    expected = {path: digest(content) for path, content in many.items() if content is not None}
    assert {p: b for p, b in ledger_files(root).items() if p in many} == expected
    assert_sound(root)


def test_a_write_waits_for_a_lock_no_longer_than_it_may(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    impatient = StoreSettings(durability=Durability.PROCESS, lock_timeout_s=0.01)
    with Store.open(root) as holder, Store.open(root, settings=impatient) as store:
        with holder.exclusive(), pytest.raises(LockTimeoutError) as caught:
            store.commit(plan_for(store, {NOTE: b"a\n"}))
        assert (caught.value.code, caught.value.exit_status) == ("store.locked", 11)
        (root / ".git" / "index.lock").touch()
        with pytest.raises(LockTimeoutError):
            store.commit(plan_for(store, {NOTE: b"a\n"}))
        assert (root / ".git" / "index.lock").exists()
        (root / ".git" / "index.lock").unlink()
        store.commit(plan_for(store, {NOTE: b"a\n"}))
    assert_sound(root)


def test_several_steps_can_be_taken_while_other_writers_wait(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    with Store.open(root, settings=QUICK) as store, store.exclusive():
        store.commit(plan_for(store, {NOTE: b"a\n"}))
        store.commit(plan_for(store, {NOTE: b"b\n"}))
    assert_sound(root)


def test_a_write_is_refused_on_another_branch(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store", {NOTE: b"one\n"})
    git(root, "checkout", "-q", "--detach")
    with Store.open(root) as store:
        with pytest.raises(WrongBranchError) as caught:
            store.commit(plan_for(store, {NOTE: b"two\n"}))
        assert "checkout main" in caught.value.hint
        assert store.head_branch() == ""


@pytest.mark.parametrize("setting", ["extensions.objectFormat", "extensions.refStorage"])
def test_an_unknown_repository_form_is_refused(tmp_path: Path, setting: str) -> None:
    root = new_store(tmp_path / "store")
    git(root, "config", setting, "sha256")
    with pytest.raises(NotAStoreError):
        Store.open(root)


def test_a_folder_without_a_repository_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        Store.open(tmp_path)
    assert (caught.value.code, caught.value.hint) == ("store.not-a-store", "run: memfs init")


def test_a_healthy_store_has_no_problem_and_a_foreign_lock_is_one(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    with Store.open(root) as store:
        assert store.health() == ()
        (root / ".git" / "index.lock").touch()
        assert [item.code for item in store.health()] == ["store.foreign-lock"]
        (root / ".git" / "index.lock").unlink()


def test_conflicts_share_a_family() -> None:
    for kind in (LedgerMovedError, ForeignCommitsError, PreconditionError, PathTakenError):
        assert issubclass(kind, ConflictError)
    assert ANA.is_person
    assert "__slots__" in vars(FileChange)
