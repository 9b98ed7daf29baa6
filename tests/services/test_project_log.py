"""The project's own commits: bounded, read only, without secrets for programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import MemfsError
from memfs.store.project_history import UnknownCommitError
from tests.support.memory import AGENT, ANA, git, memory_of, new_project

TOKEN = "gh" + "p_" + "Zx9" * 12
KEY = "-----BEGIN RSA PRIVATE" + " KEY-----"
KEY_LINE = "MIIEpAIBAAKCAQEA" + "x7Qz" * 12


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = new_project(tmp_path_factory.mktemp("log"))
    for number in range(1, 6):
        folder = project / ("src" if number % 2 else "docs")
        folder.mkdir(exist_ok=True)
        (folder / f"file{number}.txt").write_text(f"line {number}\n" * number)
        git(project, "add", "-A")
        _commit(project, f"Step {number}", f"2026-11-2{number}T10:00:00Z")
    (project / "keys.txt").write_text(f"before it all\n{TOKEN}\n{KEY}\n{KEY_LINE}\nafter\n")
    git(project, "add", "-A")
    _commit(project, f"Add keys {TOKEN}", "2026-11-26T10:00:00Z")
    return project


def _commit(project: Path, message: str, when: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for role in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{role}_DATE", when)
            patch.setenv(f"GIT_{role}_NAME", "Test Person")
            patch.setenv(f"GIT_{role}_EMAIL", "person@example.invalid")
        git(project, "commit", "-q", "-m", message)


def test_commits_are_listed_newest_first_since_a_time_and_of_a_path(project: Path) -> None:
    with memory_of(project, ANA) as memory:
        subjects = [item.subject for item in memory.project_log()]
        assert subjects[1:] == ["Step 5", "Step 4", "Step 3", "Step 2", "Step 1"]
        since = memory.project_log(since="2026-11-23", until="2026-11-25T10:00:00Z")
        assert [item.subject for item in since] == ["Step 4", "Step 3"]
        assert [item.subject for item in memory.project_log(path="docs")] == ["Step 4", "Step 2"]
        assert len(memory.project_log(limit=2)) == 2
        first = memory.project_log()[-1]
    assert (first.author, first.at.isoformat()) == ("Test Person", "2026-11-21T10:00:00+00:00")
    assert "@" not in str(first)


def test_a_commit_shows_its_files_and_its_diff(project: Path) -> None:
    with memory_of(project, AGENT) as memory:
        change = memory.project_change("HEAD~1")
        assert change.files == (("A", "src/file5.txt"),)
        assert change.diff.count("+line 5") == 5
        assert not change.is_cut
        root = memory.project_change(memory.project_log()[-1].id[:10])
        assert root.files == (("A", "src/file1.txt"),)
        assert memory.project_change("HEAD", path="src").files == ()


def test_a_large_change_is_cut_and_says_so(project: Path) -> None:
    with memory_of(project, ANA) as memory:
        change = memory.project_change("HEAD~1", limit_bytes=120)
    assert change.is_cut
    assert len(change.diff.encode()) == 120


def test_a_program_gets_no_line_with_a_secret_and_a_person_gets_all(project: Path) -> None:
    with memory_of(project, AGENT) as memory:
        told = f"{memory.project_change('HEAD')} {memory.project_log(limit=1)}"
        memory.actor = ANA
        whole = memory.project_change("HEAD")
    assert TOKEN not in told
    assert KEY_LINE not in told
    assert "+before it all" in told
    assert TOKEN in whole.diff
    assert TOKEN in whole.commit.subject


@pytest.mark.parametrize(
    "name",
    [
        "", "--output=/tmp/x", "-p", "HEAD:keys.txt", "nowhere", "HEAD..HEAD~1", "HEAD^{tree}x",
        "HEAD\n--all", "$(id)", "HEAD -- x", "a" * 300, ":/Step",
    ],
)  # fmt: skip
def test_what_is_no_commit_is_refused(project: Path, name: str) -> None:
    with memory_of(project, AGENT) as memory, pytest.raises(UnknownCommitError):
        memory.project_change(name)


def test_what_changed_in_the_store_itself_is_not_shown_here(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    (project / ".memfs" / "notes.txt").write_text("herons")
    (project / "a.txt").write_text("a\n")
    blob = git(project, "hash-object", "-w", ".memfs/notes.txt").strip()
    git(project, "update-index", "--add", "--cacheinfo", f"100644,{blob},.memfs/records/x.md")
    git(project, "add", "a.txt")
    git(project, "commit", "-q", "-m", "Both")
    with memory_of(project, AGENT) as memory:
        change = memory.project_change("HEAD")
        alone = memory.project_change("HEAD", path=".memfs")
    assert change.files == (("A", "a.txt"),)
    assert "herons" not in change.diff
    assert (alone.files, alone.diff) == ((), "")


def test_nothing_that_the_project_configures_is_run(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    trap = tmp_path / "ran"
    (project / ".gitattributes").write_text("*.txt diff=trap\n")
    (project / "a.txt").write_text("a\n")
    for name in ("diff.trap.textconv", "diff.external", "core.pager", "core.fsmonitor"):
        git(project, "config", name, f"touch {trap} #")
    git(project, "-c", "core.fsmonitor=false", "add", "-A")
    git(project, "-c", "core.fsmonitor=false", "commit", "-q", "-m", "Trap")
    trap.unlink(missing_ok=True)
    with memory_of(project, AGENT) as memory:
        assert memory.project_log()
        assert "+a" in memory.project_change("HEAD").diff
    assert not trap.exists()


def test_a_merge_shows_what_it_brought_to_its_first_parent(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    for moving, name in ((), "base"), (("-b", "side"), "side"), (("main",), "more"):
        if moving:
            git(project, "checkout", "-q", *moving)
        (project / name).write_text(f"{name}\n")
        git(project, "add", name)
        git(project, "commit", "-q", "-m", name)
    git(project, "merge", "-q", "--no-ff", "-m", "Merge side", "side")
    with memory_of(project, AGENT) as memory:
        change = memory.project_change("HEAD")
    assert change.files == (("A", "side"),)
    assert "+side" in change.diff


def test_a_project_without_commits_or_without_git_says_so(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project, ANA) as memory:
        assert memory.project_log() == ()
    (project / ".git").rename(tmp_path / "away")
    with memory_of(project, ANA) as memory, pytest.raises(MemfsError) as caught:
        memory.project_log()
    assert caught.value.code == "project.no-history"
