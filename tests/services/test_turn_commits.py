"""Commits in the project: off by default, only from a clean tree, under an agent's name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.services.ports import Workspace
from memfs.services.turn_commits import TurnEnd, begin_turn, end_turn
from tests.support.hooks import called, payload
from tests.support.memory import git, new_project, replaced_settings, workspace_of
from tests.support.project_histories import Made, write_history

SESSION = "talk-1"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = new_project(tmp_path)
    write_history(project, [Made(message="Begin", files={"a.py": "1\n", ".gitignore": "*.log\n"})])
    return project


@pytest.fixture
def workspace(project: Path) -> Iterator[Workspace]:
    with workspace_of(project) as opened:
        runs = replace(opened.settings.runs, commit_turns=True)
        yield replace(opened, settings=replace(opened.settings, runs=runs))


def test_nothing_is_committed_unless_a_person_wants_it(project: Path) -> None:
    with workspace_of(project) as workspace:
        assert not workspace.settings.runs.commit_turns
        begin_turn(workspace, SESSION)
        (project / "a.py").write_text("2\n")
        assert end_turn(workspace, SESSION, "claude").end is TurnEnd.NOTHING
        assert git(project, "log", "--format=%s").split() == ["Begin"]


def test_a_turn_from_a_clean_tree_is_one_commit_of_an_agent(
    project: Path, workspace: Workspace
) -> None:
    begin_turn(workspace, SESSION)
    (project / "a.py").unlink()
    (project / "sub").mkdir()
    (project / "sub" / "b\tc.py").write_text("2\n")
    (project / "trace.log").write_text("ignored\n")
    done = end_turn(workspace, SESSION, "claude")
    assert (done.end, done.files, done.warning) == (TurnEnd.COMMITTED, 2, "")
    assert git(project, "log", "-1", "--format=%H %an %ae").split() == [
        done.commit, "claude", "(agent)", "agent@memfs.invalid",
    ]  # fmt: skip
    assert "Memfs-Session: talk-1" in git(project, "log", "-1", "--format=%B")
    assert git(project, "status", "--porcelain") == ""
    assert end_turn(workspace, SESSION, "claude").end is TurnEnd.NOTHING


@pytest.mark.parametrize("is_staged", [False, True])
def test_what_a_person_had_begun_is_left_alone_and_told(
    project: Path, workspace: Workspace, is_staged: bool
) -> None:
    (project / "mine.py").write_text("half\n")
    if is_staged:
        git(project, "add", "mine.py")
    begin_turn(workspace, SESSION)
    (project / "a.py").write_text("2\n")
    before = git(project, "status", "--porcelain")
    done = end_turn(workspace, SESSION, "claude")
    assert (done.end, done.warning) == (TurnEnd.WAS_NOT_CLEAN, "project.was-not-clean")
    assert git(project, "status", "--porcelain") == before
    assert git(project, "log", "--format=%s").split() == ["Begin"]


def test_another_branch_a_merge_and_a_secret_are_left_to_the_person(
    project: Path, workspace: Workspace
) -> None:
    begin_turn(workspace, SESSION)
    git(project, "switch", "-q", "-c", "other")
    (project / "a.py").write_text("2\n")
    assert end_turn(workspace, SESSION, "claude").end is TurnEnd.MOVED
    git(project, "checkout", "-q", "--", "a.py")
    begin_turn(workspace, SESSION)
    key = "AKIA" + "Q3EGRZ7TJX5VNB2M"
    (project / "a.py").write_text(f'key = "{key}"\n')
    assert end_turn(workspace, SESSION, "claude").end is TurnEnd.SECRET
    assert git(project, "status", "--porcelain").split() == ["M", "a.py"]
    assert git(project, "diff", "--cached") == ""
    git(project, "checkout", "-q", "--", "a.py")
    begin_turn(workspace, SESSION)
    (project / "a.py").write_text("3\n")
    (project / ".git" / "MERGE_HEAD").write_text("0" * 40 + "\n")
    assert end_turn(workspace, SESSION, "claude").end is TurnEnd.MOVED


def test_no_hook_of_the_project_runs(project: Path, workspace: Workspace) -> None:
    hook = project / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    begin_turn(workspace, SESSION)
    (project / "a.py").write_text("2\n")
    assert end_turn(workspace, SESSION, "claude").end is TurnEnd.COMMITTED
    assert not (project / "ran").exists()


def test_the_hooks_of_a_host_begin_and_end_a_turn(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    replaced_settings(project, "commit_turns: false", "commit_turns: true")
    prompt = payload(project, prompt="Please change the second line of it")
    called("prompt", prompt)
    (project / "a.py").write_text("2\n")
    called("stop", payload(project))
    assert git(project, "log", "-1", "--format=%an").strip() == "claude (agent)"
    (project / "a.py").write_text("mine\n")
    called("prompt", prompt)
    (project / "b.py").write_text("2\n")
    called("stop", payload(project))
    assert "project.was-not-clean" in capfd.readouterr().err
    assert git(project, "status", "--porcelain").split() == ["M", "a.py", "??", "b.py"]
