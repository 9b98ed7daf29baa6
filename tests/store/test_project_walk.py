"""Commits in the order in which they were made: from marks on, whatever shape the history has."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.store.project_walk import ProjectWalk
from tests.support.memory import git
from tests.support.project_histories import Made, write_history

HISTORY = (
    Made(message="Begin", files={"a.py": "1\n" * 20}),
    Made(message="On one side", files={"b.py": "1\n"}),
    Made(message="On the other\n\nwith a body\x01 and more", files={'a b\t"c.py': "1\n"}, parent=0),
    Made(message="Join them", onto=1, files={"b.py": "1\n"}),
    Made(message="Move it", moves=[("a.py", "lib/a.py")], files={".memfs/x": "hidden"}),
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("walk") / "datasync"
    project.mkdir()
    git(project, "init", "-q", "-b", "main")
    write_history(project, HISTORY)
    return project


def walk_of(project: Path) -> ProjectWalk:
    found = ProjectWalk.of(project, hidden=(project / ".memfs",))
    assert isinstance(found, ProjectWalk)
    return found


def test_a_walk_goes_on_behind_its_marks_with_parents_first(project: Path) -> None:
    walk = walk_of(project)
    every = walk.since(())
    ids = [item.id for item in every]
    assert len(ids) == len(HISTORY)
    assert all(parent in ids[: ids.index(item.id)] for item in every for parent in item.parents)
    assert walk.since((ids[-1],)) == ()
    assert [item.id for item in walk.since(("0" * 40, ids[-2], "--all"))] == ids[-1:]
    assert [item.id for item in walk.since((), newest=2)] == ids[-2:]


def test_what_is_told_of_a_commit_names_nobody(project: Path) -> None:
    walk = walk_of(project)
    ids = [item.id for item in walk.since(())]
    told = {item.subject: item for item in walk.told([*ids, "f" * 40, "--output=x"])}
    assert list(told) == [walk.told([name])[0].subject for name in ids]
    assert told["Begin"].files == (("A", "a.py", ""),)
    assert told["On the other"].files == (("A", 'a b\t"c.py', ""),)
    assert told["On the other"].body == "with a body\x01 and more"
    assert told["Join them"].files == (("A", "b.py", ""),)
    assert told["Move it"].files == (("R", "lib/a.py", "a.py"),)
    assert "dana" not in str(told).lower()


def test_paths_are_busy_that_many_commits_touch(project: Path) -> None:
    assert "a.py" in walk_of(project).busy_paths(2)
    assert walk_of(project).busy_paths(3) == frozenset()


def test_a_shallow_clone_names_no_file_where_it_was_cut(project: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{project}", "cut")
    walk = walk_of(tmp_path / "cut")
    (commit,) = walk.since(())
    assert walk.told([commit.id])[0].files == ()


def test_a_history_without_a_commit_has_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert walk_of(tmp_path).since(()) == ()
    assert walk_of(tmp_path).busy_paths(1) == frozenset()
    assert walk_of(tmp_path).written_at("HEAD") is None


def test_a_commit_that_says_very_much_keeps_no_other_from_being_told(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk = walk_of(project)
    ids = [item.id for item in walk.since(())]
    whole = walk.told(ids)
    monkeypatch.setattr("memfs.store.project_walk._TOLD_BYTES", 200)
    assert [item.subject for item in walk.told(ids)] == [item.subject for item in whole]
