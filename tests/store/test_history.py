from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memfs.model.ids import CommitId
from memfs.model.origin import Actor, Channel, Principal
from memfs.store.catfile import ObjectMissingError
from memfs.store.git import GitFailedError
from memfs.store.history import is_ancestor
from memfs.store.paths import PathRefusedError
from memfs.store.store import Store
from tests.support.ledgers import START, moment, open_new_store, plan_for
from tests.support.repositories import Repository

A = "records/note/2026-11/a-aaaaaa.md"
B = "records/note/2026-11/b-bbbbbb.md"
AGENT = Actor(Principal.parse("agent:claude"), Channel.AGENT)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_new_store(tmp_path / ".memfs") as store:
        yield store


def test_history_names_the_operations_that_changed_a_file(store: Store) -> None:
    first = store.commit(plan_for(store, {A: "one\n"}, seconds=10))
    store.commit(plan_for(store, {B: "other\n"}, seconds=20))
    second = store.commit(plan_for(store, {A: "one\ntwo\n"}, seconds=30, actor=AGENT))
    found = store.history(A)
    assert [commit.id for commit in found] == [second.id, first.id]
    assert found == (second, first)
    assert [commit.author for commit in found] == ["agent:claude", "user:ana"]
    assert all(commit.is_operation for commit in found)
    assert found[1].at == moment(10)
    assert store.history(A, limit=1) == (second,)
    assert store.history("records/none.md") == ()


def test_blame_says_which_operation_wrote_each_line(store: Store) -> None:
    first = store.commit(plan_for(store, {A: "one\r\ntwo\n"}, seconds=10))
    second = store.commit(plan_for(store, {A: "one\r\nzwei\nthree"}, seconds=20, actor=AGENT))
    lines = store.blame(A)
    assert [(line.number, line.text, line.commit.id) for line in lines] == [
        (1, "one\r", first.id),
        (2, "zwei", second.id),
        (3, "three", second.id),
    ]
    assert lines[1].commit.author == "agent:claude"
    with pytest.raises(GitFailedError):
        store.blame("records/none.md")


def test_history_follows_a_file_under_its_earlier_name(store: Store) -> None:
    first = store.commit(plan_for(store, {A: "one\n" * 20}, seconds=10))
    moved = store.commit(plan_for(store, {A: None, B: "one\n" * 20}, seconds=20))
    third = store.commit(plan_for(store, {B: "one\n" * 20 + "two\n"}, seconds=30))
    versions = store.file_versions(B)
    assert [(item.commit.id, item.path) for item in versions] == [
        (third.id, B),
        (moved.id, B),
        (first.id, A),
    ]
    assert [item.commit.id for item in store.file_versions(B, limit=2)] == [third.id, moved.id]


def test_commits_are_listed_newest_first_within_a_period(store: Store) -> None:
    made = [store.commit(plan_for(store, {A: f"{n}\n"}, seconds=10 * n)).id for n in range(1, 5)]
    assert [commit.id for commit in store.commits(limit=2)] == made[:1:-1]
    found = store.commits(since=moment(20), until=moment(40))
    assert [commit.id for commit in found] == [made[2], made[1]]
    assert len(store.commits()) == 5


def test_the_ledger_of_a_moment_is_the_last_operation_up_to_it(store: Store) -> None:
    first = store.commit(plan_for(store, {A: "one\n"}, seconds=10))
    second = store.commit(plan_for(store, {A: "two\n"}, seconds=20))
    assert store.commit_at(moment(-1)) is None
    assert store.commit_at(moment(10)) == first.id
    assert store.commit_at(moment(19)) == first.id
    assert store.commit_at(moment(20)) == second.id
    assert store.commit_at(moment(99)) == second.id


def test_a_commit_by_hand_is_in_the_history_but_never_the_ledger_of_a_moment(
    store: Store,
) -> None:
    first = store.commit(plan_for(store, {A: "one\n"}, seconds=10))
    person = Repository(store.root)
    foreign = person.commit({A: "by hand\n"}, "my edit", at=START + 15)
    settled = store.commit(plan_for(store, {A: "one\n"}, seconds=20, settles=foreign))
    assert [(item.id, item.is_operation) for item in store.history(A)] == [
        (settled.id, True),
        (foreign, False),
        (first.id, True),
    ]
    assert store.history(A)[1].author == "Test Person"
    assert store.commit_at(moment(17)) == first.id


def test_a_commit_with_forged_trailers_is_no_operation(store: Store) -> None:
    real = store.commit(plan_for(store, {A: "one\n"}, seconds=10))
    person = Repository(store.root)
    body = person.git_bytes("log", "-1", "--format=%B").decode()
    person.git("config", "user.name", "memfs")
    person.git("config", "user.email", "memfs@memfs.invalid")
    forged = person.commit({A: "never admitted\n"}, body, at=START + 15)
    store.commit(plan_for(store, {A: "one\n"}, seconds=20, settles=forged))
    assert not store.commit_info(forged).is_operation
    assert store.commit_info(CommitId(real.id)).is_operation
    assert store.commit_at(moment(17)) == real.id
    assert not store.history(A)[1].is_operation


def test_a_clone_has_no_log_and_tells_operations_by_their_trailers(
    store: Store, tmp_path: Path
) -> None:
    made = store.commit(plan_for(store, {A: "one\n"}, seconds=10))
    person = Repository(store.root)
    person.git("clone", "--quiet", ".", str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone")
    clone.git("update-ref", "refs/memfs/ledger", made.id)
    with Store.open(clone.root) as copy:
        assert copy.commit_info(CommitId(made.id)).is_operation
        assert copy.commit_at(moment(10)) == made.id


@pytest.mark.parametrize("path", ["../x", "--all", ":(top)", ":!records", "*", ".git/config"])
def test_a_path_is_never_an_option_or_a_pattern(store: Store, path: str) -> None:
    store.commit(plan_for(store, {A: "one\n"}, seconds=10))
    try:
        assert store.history(path) == ()
    except PathRefusedError:
        assert path.startswith((".", ":!")) or "/" in path


def test_history_reads_the_same_with_a_commit_graph_and_packs(store: Store) -> None:
    for n in range(1, 20):
        store.commit(plan_for(store, {A: f"{n}\n", B: f"{n // 5}\n"}, seconds=n))
    before = store.history(B)
    assert len(before) == 4
    assert not store.maintain(is_forced=True).is_skipped
    assert store.history(B) == before
    assert (store.git_dir / "objects/info/commit-graphs").is_dir()


def test_an_unknown_commit_is_an_error(store: Store) -> None:
    with pytest.raises(ObjectMissingError):
        store.commit_info(CommitId("1" * 40))
    with pytest.raises(GitFailedError):
        is_ancestor(store.git_dir, CommitId("1" * 40), CommitId("2" * 40))


def test_ancestry_is_told(store: Store) -> None:
    first = CommitId(store.commit(plan_for(store, {A: "1\n"}, seconds=10)).id)
    second = CommitId(store.commit(plan_for(store, {A: "2\n"}, seconds=20)).id)
    assert is_ancestor(store.git_dir, first, second)
    assert not is_ancestor(store.git_dir, second, first)
