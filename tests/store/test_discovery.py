from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfs.errors import UsageError
from memfs.store import discovery
from memfs.store.discovery import (
    AmbiguousStoreError,
    Discovery,
    NoStoreError,
    UntrustedStoreError,
    discover,
    find_home_store,
    home_store_root,
    pointer_text,
    project_root_for,
    read_branch,
)
from tests.support.repositories import Repository

STORE_ID = "store_01kb8x3v6yq4m9t2r7w5z1c0de"


def make_store(root: Path) -> Path:
    (root / ".git" / "memfs").mkdir(parents=True)
    (root / "memfs.yaml").write_text("format: 1\n")
    return root


@pytest.fixture
def project(tmp_path: Path) -> Repository:
    repository = Repository.create(tmp_path / "project")
    repository.commit({"src/deep/main.py": "pass"})
    return repository


def test_the_store_is_found_from_every_folder_of_the_project(project: Repository) -> None:
    store = make_store(project.root / ".memfs")
    for folder in (project.root, project.root / "src" / "deep"):
        found = discover(folder, {})
        assert (found.root, found.project_root) == (store, project.root)
        assert found.how is Discovery.PROJECT


def test_the_store_is_found_from_inside_itself(project: Repository) -> None:
    store = make_store(project.root / ".memfs")
    (store / "records" / "note").mkdir(parents=True)
    found = discover(store / "records" / "note", {})
    assert (found.root, found.project_root) == (store, project.root)
    assert found.how is Discovery.INSIDE


def test_a_linked_working_tree_shares_the_store_of_the_main_one(
    project: Repository, tmp_path: Path
) -> None:
    store = make_store(project.root / ".memfs")
    project.git("worktree", "add", "--quiet", "-b", "topic", str(tmp_path / "linked"))
    found = discover(tmp_path / "linked" / "src", {})
    assert (found.root, found.project_root) == (store, tmp_path / "linked")
    assert found.how is Discovery.WORKTREE
    assert project_root_for(tmp_path / "linked" / "src") == project.root
    assert read_branch(tmp_path / "linked") == "topic"
    assert read_branch(project.root / "src") == "main"


def test_a_store_of_its_own_in_a_linked_working_tree_is_ambiguous(
    project: Repository, tmp_path: Path
) -> None:
    first = make_store(project.root / ".memfs")
    project.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    second = make_store(tmp_path / "linked" / ".memfs")
    with pytest.raises(AmbiguousStoreError) as caught:
        discover(tmp_path / "linked", {})
    assert str(first) in caught.value.message
    assert str(second) in caught.value.message
    assert discover(tmp_path / "linked", {}, explicit=first).root == first


def test_two_stores_in_one_project_are_ambiguous(project: Repository) -> None:
    make_store(project.root / ".memfs")
    make_store(project.root / "src" / ".memfs")
    with pytest.raises(AmbiguousStoreError) as caught:
        discover(project.root / "src" / "deep", {})
    assert caught.value.code == "store.ambiguous"
    assert discover(project.root, {}).root == project.root / ".memfs"


def test_working_trees_of_a_bare_repository_find_the_one_store(
    project: Repository, tmp_path: Path
) -> None:
    project.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    bare = Repository(tmp_path / "bare.git")
    for name in ("one", "two"):
        bare.git("worktree", "add", "--quiet", "-b", name, str(tmp_path / name))
    assert project_root_for(tmp_path / "one" / "src") == tmp_path / "one"
    store = make_store(tmp_path / "one" / ".memfs")
    assert discover(tmp_path / "two", {}).root == store
    make_store(tmp_path / "two" / ".memfs")
    with pytest.raises(AmbiguousStoreError):
        discover(tmp_path / "two", {})


def test_a_store_above_the_project_is_not_taken(project: Repository, tmp_path: Path) -> None:
    make_store(tmp_path / ".memfs")
    with pytest.raises(NoStoreError) as caught:
        discover(project.root / "src", {})
    assert str(project.root / "src") in caught.value.message
    assert "memfs init" in caught.value.hint
    assert caught.value.exit_status == 10


def test_outside_of_git_the_nearest_store_counts(tmp_path: Path) -> None:
    make_store(tmp_path / ".memfs")
    inner = make_store(tmp_path / "notes" / ".memfs")
    (tmp_path / "notes" / "2026").mkdir()
    assert discover(tmp_path / "notes" / "2026", {}).root == inner


def test_an_unknown_store_is_never_replaced_by_the_global_one(
    project: Repository, tmp_path: Path
) -> None:
    env = {"MEMFS_HOME": str(tmp_path / "home")}
    store = make_store(tmp_path / "home" / "global")
    assert (found := find_home_store(env)) is not None
    assert (found.root, found.how, found.project_root) == (store, Discovery.HOME, None)
    with pytest.raises(NoStoreError):
        discover(project.root, env)


def test_a_named_store_may_be_the_store_or_its_project(project: Repository, tmp_path: Path) -> None:
    store = make_store(project.root / ".memfs")
    for named in (store, project.root):
        found = discover(tmp_path, {}, explicit=named)
        assert (found.root, found.project_root, found.how) == (
            store,
            project.root,
            Discovery.EXPLICIT,
        )
    with pytest.raises(NoStoreError):
        discover(project.root, {}, explicit=tmp_path)
    with pytest.raises(NoStoreError):
        discover(project.root, {}, explicit=project.root / "src")


def test_a_pointer_leads_to_a_store_in_the_home_folder_and_nowhere_else(
    project: Repository, tmp_path: Path
) -> None:
    env = {"MEMFS_HOME": str(tmp_path / "home")}
    store = make_store(home_store_root(env, STORE_ID))
    (project.root / ".memfs").write_text(pointer_text(STORE_ID))
    found = discover(project.root / "src", env)
    assert (found.root, found.project_root) == (store, project.root)
    make_store(tmp_path / "elsewhere")
    for text in (
        "memfs-store: ../../elsewhere\n",
        f"memfs-store: {tmp_path}/elsewhere\n",
        "",
        "\0",
    ):
        (project.root / ".memfs").write_text(text)
        with pytest.raises(NoStoreError):
            discover(project.root, env)


@pytest.mark.parametrize("kind", ["link", "link-git", "no-git", "gitfile"])
def test_what_only_looks_like_a_store_is_named_and_not_used(
    project: Repository, tmp_path: Path, kind: str
) -> None:
    real = make_store(tmp_path / "real")
    inner = project.root / ".memfs"
    if kind == "link":
        inner.symlink_to(real)
    else:
        inner.mkdir()
        (inner / "memfs.yaml").write_text("format: 1\n")
        if kind == "link-git":
            (inner / ".git").symlink_to(real / ".git")
        if kind == "gitfile":
            (inner / ".git").write_text(f"gitdir: {real}/.git\n")
    with pytest.raises(NoStoreError) as caught:
        discover(project.root, {})
    assert f"{inner} is there but is no store" in caught.value.message


def test_a_store_of_another_account_must_be_named(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(project.root / ".memfs")
    monkeypatch.setattr(os, "geteuid", lambda: store.stat().st_uid + 1)
    with pytest.raises(UntrustedStoreError) as caught:
        discover(project.root, {})
    assert str(store) in caught.value.hint
    assert discover(project.root, {}, explicit=store).root == store


def test_the_environment_of_git_changes_nothing(
    project: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(project.root / ".memfs")
    other = Repository.create(tmp_path / "other")
    make_store(other.root / ".memfs")
    monkeypatch.setenv("GIT_DIR", str(other.git_dir))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    assert discover(project.root, {}).root == store


def test_the_home_folder_must_be_absolute() -> None:
    with pytest.raises(UsageError):
        find_home_store({"MEMFS_HOME": "relative"})
    assert discovery.home_folder({"XDG_DATA_HOME": "/data"}) == Path("/data/memfs")


def test_a_start_reached_through_a_link_is_the_folder_it_leads_to(
    project: Repository, tmp_path: Path
) -> None:
    store = make_store(project.root / ".memfs")
    (tmp_path / "link").symlink_to(project.root / "src")
    assert discover(tmp_path / "link", {}).root == store
