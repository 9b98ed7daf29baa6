"""Two clones of a store work on the same issues; Git merges them by their events."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from memfs.app.container import init_store
from memfs.formats.issue_log import parse_log
from memfs.model.authority import Authority
from memfs.model.issue import IssueState
from memfs.model.origin import Actor, Channel, Principal
from memfs.store.scaffold import MERGE_DRIVER, hook_text
from tests.support.memory import AGENT, ANA, git, memory_of, new_project, store_root
from tests.support.processes import command_folder

TOOL = Actor(Principal.parse("user:ana"), Channel.TOOL)
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
PULL = ("pull", "-q", "--no-rebase", "--no-edit")


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Path, Path]:
    """Two projects with the same store, one issue in it, and a merge driver that is quick."""
    left = new_project(tmp_path, "left")
    with memory_of(left, AGENT) as agent:
        agent.open_issue("Flaky upload", detail="first")
    right = tmp_path / "right"
    right.mkdir()
    git(right, "clone", "-q", str(store_root(left)), ".memfs")
    init_store(
        folder=right,
        explicit=right / ".memfs",
        env=dict(os.environ),
        is_scripted=True,
        as_principal="user:ana",
        yes=True,
    )
    program = command_folder(tmp_path / "bin") / "memfs"
    for project in (left, right):
        quick = f'#!/bin/sh\nexec "{program}" issue merge-driver "$1" "$2" "$3" "$4"\n'
        (store_root(project) / ".git/hooks" / MERGE_DRIVER).write_text(quick)
    return left, right


def pull(project: Path, other: Path) -> None:
    git(store_root(project), *NO_HOOKS, *PULL, str(store_root(other)), "main")


def issues_of(project: Path) -> dict[str, bytes]:
    root = store_root(project)
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted((root / "issues").rglob("*.md"))
    }


def work_apart(left: Path, right: Path) -> None:
    with memory_of(right, AGENT) as agent:
        agent.resolve_issue("flaky upload", detail="on the right")
        agent.open_issue("Both open this", detail="right says")
    with memory_of(left, AGENT) as agent:
        agent.note_issue("flaky upload", "on the left")
        agent.open_issue("both open  THIS.", detail="left says")
        agent.open_issue("Only on the left")


def test_concurrent_events_merge_in_both_orders_to_the_same_bytes(
    clones: tuple[Path, Path], tmp_path: Path
) -> None:
    left, right = clones
    work_apart(left, right)
    before = {**issues_of(left), **issues_of(right)}
    copy = tmp_path / "copy"
    shutil.copytree(left, copy)

    pull(left, right)
    pull(right, copy)

    assert issues_of(left) == issues_of(right)
    assert issues_of(left).keys() == before.keys()
    logs = [parse_log(text.decode().partition("\n---\n")[2]) for text in issues_of(left).values()]
    assert sorted(len(log.events) for log in logs) == [1, 2, 3]
    assert all(log.faults == () for log in logs)


def test_what_a_merge_brought_waits_and_stays_the_same_bytes_once_accepted(
    clones: tuple[Path, Path], tmp_path: Path
) -> None:
    left, right = clones
    work_apart(left, right)
    copy = tmp_path / "copy"
    shutil.copytree(left, copy)
    pull(left, right)
    pull(right, copy)
    merged = issues_of(left)

    for project, waiting in ((left, 2), (right, 3)):
        with memory_of(project) as ana:
            assert len(ana.candidates()) == waiting
            served = {item.title: item for item in ana.list_issues()}
            assert len(served["Flaky upload"].events) == 2
            ana.accept(None)
            assert ana.candidates() == ()
            views = {item.title: item for item in ana.list_issues(is_all=True)}
            assert len(views) == 3
            assert {item.stored.record.version for item in views.values()} == {1}
            assert views["Flaky upload"].state is IssueState.RESOLVED
            assert ana.audit().is_sound
            assert ana.check() == ()
        assert issues_of(project) == merged
        assert git(store_root(project), "status", "--porcelain") == ""


def test_a_persons_words_in_an_agents_issue_keep_nobody_from_accepting_it(
    clones: tuple[Path, Path],
) -> None:
    left, right = clones
    words = "The allowlist is out of date"
    with memory_of(right) as ana:
        ana.note_issue("flaky upload", words)
    with memory_of(right, AGENT) as agent:
        agent.open_issue("New on the right")
    with memory_of(right) as ana:
        ana.note_issue("new on the right", words)
    pull(left, right)

    with memory_of(left) as ana:
        results = ana.accept(None)
        assert [str(item.status) for item in results] == ["done", "done"]
        assert len(ana.show_issue("flaky upload").events) == 2
    assert issues_of(left) == issues_of(right)


def test_merges_that_cross_lose_nothing(clones: tuple[Path, Path], tmp_path: Path) -> None:
    left, right = clones
    roots = [store_root(left), store_root(right)]
    for number in range(2):
        for project, name in ((left, "left"), (right, "right")):
            with memory_of(project) as ana:
                ana.accept(None)
                ana.note_issue("flaky upload", f"{name} {number}")
        before = [git(root, "rev-parse", "main").strip() for root in roots]
        # Each takes what the other had before it merged: two merges with the same parents.
        git(roots[0], "fetch", "-q", str(roots[1]), "main")
        git(roots[1], "fetch", "-q", str(roots[0]), "main")
        for root, other in zip(roots, reversed(before), strict=True):
            git(root, *NO_HOOKS, "merge", "-q", "--no-edit", other)
    pull(left, right)
    pull(right, left)

    assert issues_of(left) == issues_of(right)
    (text,) = issues_of(left).values()
    details = [item.detail for item in parse_log(text.decode().partition("\n---\n")[2]).events]
    assert sorted(details) == ["first", "left 0", "left 1", "right 0", "right 1"]


def accounts_of(project: Path) -> dict[str, bytes]:
    root = store_root(project)
    found = [
        path for folder in ("runs", "evidence", "excerpts") for path in (root / folder).rglob("*.*")
    ]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(found)}


def test_a_run_that_went_to_another_clone_and_back_is_the_same_run(
    clones: tuple[Path, Path],
) -> None:
    left, right = clones
    with memory_of(left, AGENT) as agent:
        run = agent.finish_run(task="Send it in blocks", issues=["Slow"]).target
        agent.capture("The tests ran through: 12 passed")
    with memory_of(left, TOOL) as tool:
        tool.finish_run(task="Look at it")
    with memory_of(left) as ana:
        ana.capture("We send in blocks of 4 MB")
    made = accounts_of(left)

    pull(right, left)
    with memory_of(right) as ana:
        assert {str(item.status) for item in ana.accept(None)} == {"done"}
        assert ana.candidates() == ()
        assert ana.audit().is_sound
        assert ana.show_run(run).stored.record.origin.principal == AGENT.principal  # type: ignore[union-attr]
    assert accounts_of(right) == made

    pull(left, right)
    with memory_of(left) as ana:
        assert ana.candidates() == ()
    assert accounts_of(left) == made


def test_a_corrected_run_is_replaced_in_the_other_clone_as_well(clones: tuple[Path, Path]) -> None:
    left, right = clones
    with memory_of(left, AGENT) as agent:
        run = agent.finish_run(task="Send it", summary="It is wrong.").target
    pull(right, left)
    with memory_of(right) as ana:
        ana.accept(None)
    with memory_of(left, AGENT) as agent:
        newer = agent.finish_run(corrects=run, summary="It is right.").target

    pull(right, left)
    with memory_of(right) as ana:
        assert {str(item.status) for item in ana.accept(None)} == {"done"}
        assert ana.candidates() == ()
        assert [view.run for view in ana.list_runs()] == [newer]
        assert ana.show_run(run).run == newer
        assert (ana.audit().is_sound, ana.check()) == (True, ())
    assert accounts_of(right) == accounts_of(left)


@pytest.mark.parametrize(
    ("said", "believed"),
    [("user_stated, principal: user:eve", ANA), ("agent_stated, principal: agent:builder", AGENT)],
)
def test_an_account_from_outside_is_believed_for_no_more_than_it_could_be(
    said: str, believed: Actor, clones: tuple[Path, Path]
) -> None:
    left, right = clones
    with memory_of(left, AGENT) as agent:
        run = agent.finish_run(task="Send it in blocks").target
    [path] = [store_root(left) / name for name in accounts_of(left)]
    text = path.read_text(encoding="utf-8").replace("authority: none", "authority: user")
    forged = text.replace("agent_stated, principal: agent:builder", said)
    path.write_text(forged.replace("taint: [agent]\n", ""), encoding="utf-8")
    git(store_root(left), *NO_HOOKS, "commit", "-qam", "by hand")

    pull(right, left)
    with memory_of(right) as ana:
        ana.accept(None)
        stored = ana.show_run(run).stored
    assert stored is not None
    assert stored.record.origin is not None
    assert stored.record.origin.principal == believed.principal
    if believed is AGENT:
        assert (stored.record.authority, stored.record.taint) == (Authority.NONE, ("agent",))


def test_two_sides_that_only_a_person_can_join_are_a_conflict_of_git(
    clones: tuple[Path, Path],
) -> None:
    left, right = clones
    for project, label in ((left, "confidential"), (right, "secret")):
        with memory_of(project) as ana:
            path = store_root(project) / ana.show_issue("flaky upload").stored.path
        text = path.read_text().replace("authority:", f"sensitivity: {label}\nauthority:", 1)
        path.write_text(text)
        git(store_root(project), *NO_HOOKS, "commit", "-qam", "by hand")

    with pytest.raises(subprocess.CalledProcessError):
        pull(left, right)

    assert "UU" in git(store_root(left), "status", "--porcelain")


def test_the_driver_that_init_installs_is_one_that_git_runs(tmp_path: Path) -> None:
    left = new_project(tmp_path, "left")
    root = store_root(left)
    driver = root / ".git" / "hooks" / MERGE_DRIVER

    assert driver.read_text() == hook_text(MERGE_DRIVER)
    assert len(driver.read_text().splitlines()) < 20
    assert git(root, "check-attr", "merge", "issues/de/a.md").strip().endswith("memfs-issue")
    assert "unspecified" in git(root, "check-attr", "merge", "records/note/a.md")
    base, ours, theirs = (tmp_path / name for name in ("base", "ours", "theirs"))
    for path, text in ((base, "one\n"), (ours, "one\ntwo\n"), (theirs, "zero\none\n")):
        path.write_text(text)
    # No issue: the driver leaves it to Git, which can merge these lines.
    done = subprocess.run([str(driver), str(base), str(ours), str(theirs), "x.md"], cwd=root)
    assert (done.returncode, ours.read_text()) == (0, "zero\none\ntwo\n")
    theirs.write_text("one\nthree\n")
    ours.write_text("one\ntwo\n")
    done = subprocess.run([str(driver), str(base), str(ours), str(theirs), "x.md"], cwd=root)
    assert done.returncode == 1
    assert "<<<<<<< ours" in ours.read_text()


def test_doctor_puts_a_missing_driver_back(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    root = store_root(project)
    (root / ".git" / "hooks" / MERGE_DRIVER).unlink()
    (root / ".git" / "info" / "attributes").write_text("")
    git(root, "config", "--unset", "merge.memfs-issue.driver")
    with memory_of(project) as ana:
        assert "store.config-drift" in {item.code for item in ana.doctor()}
        assert ana.doctor(fix=True) == ()
    assert git(root, "check-attr", "merge", "issues/de/a.md").strip().endswith("memfs-issue")
    assert (root / ".git" / "hooks" / MERGE_DRIVER).exists()
