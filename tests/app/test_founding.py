"""Making a store: whole, private, once, and never a way around who may act."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfs.app.container import init_store, open_memory
from memfs.errors import MemfsError
from memfs.model.result import Result, ResultStatus
from tests.support.memory import git, memory_of, new_project, store_root
from tests.support.review import is_clean, said


def found(
    folder: Path, as_principal: str | None = None, *, is_scripted: bool = False, yes: bool = True
) -> Result:
    return init_store(
        folder=folder,
        env=dict(os.environ),
        is_scripted=is_scripted,
        as_principal=as_principal,
        yes=yes,
    )


def test_a_new_store_is_one_commit_and_leaves_the_project_clean(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    assert git(project, "status", "--porcelain") == ""
    assert git(store_root(project), "rev-list", "--count", "main").strip() == "1"
    assert git(store_root(project), "log", "-1", "--format=%an").strip() == "user:ana"
    assert is_clean(project)


def test_everything_in_a_new_store_is_its_owners_alone(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember("CI needs Node 20", kind="fact")
    root = store_root(project)
    shown = [path for path in root.rglob("*") if ".git" not in path.parts]
    assert {path.stat().st_mode & 0o077 for path in (root, *shown) if not path.is_symlink()} == {0}


def test_making_it_again_changes_nothing(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember("CI needs Node 20", kind="fact")
    before = git(store_root(project), "rev-parse", "main")
    again = found(project, "user:eve", is_scripted=True)
    assert again.status is ResultStatus.NOTHING
    assert git(store_root(project), "rev-parse", "main") == before
    with memory_of(project) as memory:
        assert memory.settings.trust.scripted == ("user:ana",)
    assert said(project) == ["CI needs Node 20"]


@pytest.mark.parametrize("name", [None, "agent:x", "tool:x", "system:memfs", "nobody"])
def test_a_store_for_scripts_needs_a_person_to_be_for(tmp_path: Path, name: str | None) -> None:
    with pytest.raises(MemfsError) as caught:
        found(tmp_path, name, is_scripted=True)
    assert caught.value.exit_status in (2, 30)
    assert not (tmp_path / ".memfs").exists()


def test_a_store_is_not_for_scripts_unless_it_is_asked_for(tmp_path: Path) -> None:
    found(tmp_path, "agent:x")
    with pytest.raises(MemfsError) as caught:
        open_memory(start=tmp_path, env=dict(os.environ), as_principal="user:ana", yes=True)
    assert caught.value.code == "access.not-scripted"


def test_two_projects_of_one_name_share_nothing(tmp_path: Path) -> None:
    projects = []
    for parent in ("a", "b"):
        (tmp_path / parent).mkdir()
        projects.append(new_project(tmp_path / parent))
    with memory_of(projects[0]) as memory:
        memory.remember("CI needs Node 20", kind="fact")
        first = memory.workspace
    with memory_of(projects[1]) as memory:
        assert memory.list_records() == ()
        assert memory.search("node") == ()
        assert memory.workspace.store_id != first.store_id
        assert memory.workspace.cache_dir != first.cache_dir
    assert said(projects[0]) == ["CI needs Node 20"]


def test_a_copy_of_a_store_has_a_cache_of_its_own(tmp_path: Path) -> None:
    import shutil

    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember("CI needs Node 20", kind="fact")
    copy = tmp_path / "copy"
    shutil.copytree(project, copy)
    with memory_of(copy) as memory:
        memory.remember("The port is 8000", kind="fact")
        copied = memory.workspace.cache_dir
    with memory_of(project) as memory:
        assert memory.workspace.cache_dir != copied
    assert said(project) == ["CI needs Node 20"]
    assert said(copy) == ["CI needs Node 20", "The port is 8000"]
