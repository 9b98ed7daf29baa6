from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memfs.model.ids import CommitId
from memfs.store.discovery import discover
from memfs.store.files import TEMPORARY_PREFIX
from memfs.store.git import GitFailedError, run_git
from memfs.store.scaffold import (
    HOOKS,
    MERGE_DRIVER,
    UnsuitableFolderError,
    config_drift,
    configure_repository,
    exclude_from_project,
    hook_text,
    install_hooks,
    link_store,
    prepare_store,
    template_files,
)
from memfs.store.store import Store
from tests.support.ledgers import STORE_ID, init_plan, plan_for
from tests.support.repositories import Repository
from tests.support.stores import create_store


def status(root: Path) -> str:
    return Repository(root).git("status", "--porcelain", "--ignored")


def test_a_new_store_has_its_files_one_commit_and_a_clean_status(tmp_path: Path) -> None:
    root = tmp_path / "project" / ".memfs"
    commit = create_store(root, init_plan(project="datasync"))
    assert commit is not None
    assert commit.operation == "init"
    assert status(root) == ""
    repository = Repository(root)
    assert repository.git("ls-files").split() == [
        ".gitattributes",
        ".gitignore",
        "README.md",
        "memfs.yaml",
    ]
    assert repository.git("rev-parse", "refs/memfs/ledger") == commit.id
    assert "project: datasync" in (root / "memfs.yaml").read_text()
    assert "datasync" in (root / "README.md").read_text()


def test_making_a_store_twice_changes_nothing(tmp_path: Path) -> None:
    root = tmp_path / ".memfs"
    first = create_store(root, init_plan())
    assert first is not None
    with Store.open(root) as store:
        store.commit(plan_for(store, {"records/note/2026-11/a.md": "x"}, seconds=1))
        head = store.ledger_head()
    assert create_store(root, init_plan()) is None
    assert Repository(root).head() == head
    assert status(root) == ""


def test_an_interrupted_scaffold_is_completed(tmp_path: Path) -> None:
    root = tmp_path / ".memfs"
    (root / ".git" / "memfs").mkdir(parents=True)
    assert create_store(root, init_plan()) is not None
    assert status(root) == ""


def test_everything_in_a_new_store_is_for_its_owner_only(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        create_store(tmp_path / ".memfs", init_plan())
    finally:
        os.umask(old)
    shared = [
        path
        for path in (tmp_path / ".memfs", *(tmp_path / ".memfs").rglob("*"))
        if path.stat().st_mode & 0o077
    ]
    assert shared == []


def test_inbox_and_projections_are_ignored_even_without_the_ignore_file(tmp_path: Path) -> None:
    root = tmp_path / ".memfs"
    create_store(root, init_plan())
    Repository(root).write({"inbox/a.md": "x", "views/g.json": "x", "MEMORY.md": "x"})
    (root / ".gitignore").unlink()
    assert Repository(root).git("status", "--porcelain") == "D .gitignore"


def test_what_a_killed_process_left_half_written_is_no_change(tmp_path: Path) -> None:
    root = tmp_path / ".memfs"
    create_store(root, init_plan())
    half = f"{TEMPORARY_PREFIX}0123456789abcdef.tmp"
    Repository(root).write({half: "x", f"records/note/2026-11/{half}": "x"})
    assert Repository(root).git("status", "--porcelain") == ""


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    foreign = Repository.create(tmp_path / "foreign")
    with pytest.raises(UnsuitableFolderError):
        prepare_store(foreign.root)
    create_store(tmp_path / "store", init_plan())
    (tmp_path / "link").symlink_to(tmp_path / "store")
    with pytest.raises(UnsuitableFolderError):
        prepare_store(tmp_path / "link")
    with pytest.raises(UnsuitableFolderError):
        prepare_store(tmp_path / "store" / "records" / ".memfs")


def test_files_that_were_there_before_are_kept(tmp_path: Path) -> None:
    root = tmp_path / ".memfs"
    root.mkdir()
    (root / "README.md").write_text("my own")
    (root / "notes.md").write_text("old note")
    commit = create_store(root, init_plan())
    assert commit is not None
    assert commit.kept_working == ("README.md",)
    assert (root / "README.md").read_text() == "my own"
    assert (root / "notes.md").read_text() == "old note"


def test_foreign_configuration_cannot_reach_the_store(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "hooks").mkdir()
    (home / "hooks" / "post-commit").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (home / "hooks" / "post-commit").chmod(0o755)
    with (home / ".gitconfig").open("a") as stream:
        stream.write(
            f"[core]\n\thooksPath = {home}/hooks\n\tautocrlf = true\n"
            "[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = false\n"
        )
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(home))
    root = tmp_path / ".memfs"
    create_store(root, init_plan())
    repository = Repository(root)
    repository.write({"records/note/2026-11/a.md": b"one\r\ntwo\n"})
    repository.git("add", "-A")
    repository.git("commit", "--quiet", "-m", "by hand")
    assert repository.git_bytes("show", "HEAD:records/note/2026-11/a.md") == b"one\r\ntwo\n"
    assert not (tmp_path / "ran").exists()
    assert repository.git("config", "--local", "core.hooksPath") == ".git/hooks"


def test_a_drifted_setting_is_named_and_put_back(tmp_path: Path) -> None:
    root = tmp_path / ".memfs"
    create_store(root, init_plan())
    assert config_drift(root / ".git") == ()
    Repository(root).git("config", "gc.auto", "6700")
    Repository(root).git("config", "--add", "gc.auto", "1")
    drift = config_drift(root / ".git")
    assert [(item.name, item.expected, item.found) for item in drift] == [("gc.auto", "0", "1")]
    prepare_store(root)
    assert config_drift(root / ".git") == ()


def test_a_person_without_an_identity_can_commit_by_hand(tmp_path: Path, home: Path) -> None:
    (home / ".gitconfig").unlink()
    root = tmp_path / ".memfs"
    create_store(root, init_plan())
    assert Repository(root).git("config", "user.email").endswith("@memfs.invalid")


def test_a_person_with_an_identity_keeps_it(tmp_path: Path) -> None:
    root = tmp_path / ".memfs"
    create_store(root, init_plan())
    assert Repository(root).git("config", "user.email") == "person@example.invalid"


def test_the_project_ignores_its_store_once_and_in_all_working_trees(tmp_path: Path) -> None:
    project = Repository.create(tmp_path / "project")
    project.commit({"a.py": "pass"})
    exclude = project.git_dir / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_bytes(b"*.log")
    project.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    root = project.root / ".memfs"
    create_store(root, init_plan(), project_root=tmp_path / "linked")
    create_store(root, init_plan(), project_root=project.root)
    assert exclude.read_bytes() == b"*.log\n/.memfs/\n"
    assert project.git("status", "--porcelain") == ""
    assert not exclude_from_project(root, project.root)
    assert not exclude_from_project(tmp_path / "home", project.root)


def test_a_store_in_the_home_folder_is_linked_from_the_project(tmp_path: Path, home: Path) -> None:
    project = Repository.create(tmp_path / "project")
    env = {"MEMFS_HOME": str(home / "memfs-home")}
    root = home / "memfs-home" / "stores" / STORE_ID
    create_store(root, init_plan())
    link_store(project.root, STORE_ID)
    link_store(project.root, STORE_ID)
    assert discover(project.root, env).root == root
    assert project.git("status", "--porcelain") == ""
    with pytest.raises(UnsuitableFolderError):
        link_store(project.root, STORE_ID.replace("0de", "0df"))


def test_scripted_principals_are_named_in_the_settings() -> None:
    files = template_files(store_id=STORE_ID, project="demo", scripted=("user:ana", "user:bo"))
    assert b'scripted: ["user:ana", "user:bo"]\n' in files["memfs.yaml"]
    assert b"@" not in b"".join(files.values()).replace(b"--as user:NAME", b"")


def run_hook(folder: Path, name: str, python: str, env: dict[str, str] | None = None) -> int:
    script = folder / name
    script.write_text(hook_text(name, python=python))
    return subprocess.run(["/bin/sh", str(script)], env=env or {"PATH": ""}).returncode


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_shim_is_short_and_lets_git_go_on_without_memfs(tmp_path: Path, name: str) -> None:
    assert len(hook_text(name).splitlines()) < 20
    assert run_hook(tmp_path, name, "/nonexistent/python 'quoted'") == 0


@pytest.mark.parametrize(
    ("answer", "expected"), [(0, 0), (1, 1), (2, 0), (3, 0), (60, 0), (127, 0)]
)
def test_only_the_answer_no_of_the_check_stops_a_commit(
    tmp_path: Path, answer: int, expected: int
) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nexit {answer}\n")
    python.chmod(0o755)
    assert run_hook(tmp_path, "pre-commit", str(python)) == expected
    assert run_hook(tmp_path, "post-commit", str(python)) == 0


def test_an_interpreter_without_memfs_lets_git_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "memfs").mkdir()
    (tmp_path / "memfs" / "__init__.py").write_text("raise SystemExit(1)\n")
    (tmp_path / "click.py").write_text("raise SystemExit(1)\n")
    monkeypatch.chdir(tmp_path)
    env = {"PATH": "", "PYTHONNOUSERSITE": "1"}
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    assert run_hook(tmp_path, "pre-commit", str(python), env) == 0


@pytest.mark.parametrize("name", [*HOOKS, MERGE_DRIVER])
def test_where_the_interpreter_lost_memfs_the_one_on_the_path_is_asked(
    tmp_path: Path, name: str
) -> None:
    python, memfs = tmp_path / "python", tmp_path / "bin" / "memfs"
    memfs.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    memfs.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/calls\n')
    for program in (python, memfs):
        program.chmod(0o755)

    env = {"PATH": str(memfs.parent), "PYTHONNOUSERSITE": "1"}
    assert run_hook(tmp_path, name, str(python), env) == 0
    assert (tmp_path / "calls").read_text() == ("issue\n" if name == MERGE_DRIVER else "hook\n")


def test_a_hook_does_not_run_inside_a_hook(tmp_path: Path) -> None:
    env = {"MEMFS_HOOK": "post-commit", "PATH": ""}
    assert run_hook(tmp_path, "pre-commit", "/bin/false", env) == 0
    assert run_hook(tmp_path, "pre-commit", "/bin/false") == 1


def test_git_runs_the_installed_hooks_in_the_store(tmp_path: Path) -> None:
    root = tmp_path / ".memfs"
    create_store(root, init_plan())
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nshift 3\necho "$@ $MEMFS_HOOK $PWD" >> {tmp_path}/calls\n')
    python.chmod(0o755)
    for name in HOOKS:
        (root / ".git/hooks" / name).write_text(hook_text(name, python=str(python)))
    (root / "records").mkdir()
    (root / "records/a.md").write_text("x")
    for command in (["add", "-A"], ["commit", "-qm", "by hand"], ["checkout", "-q", "-b", "side"]):
        subprocess.run(["git", "-C", str(root), *command], check=True)
    calls = [line.split(" ")[:3] for line in (tmp_path / "calls").read_text().splitlines()]
    assert calls == [
        ["hook", "git", name] for name in ("pre-commit", "post-commit", "post-checkout")
    ]
    assert all(line.endswith(str(root)) for line in (tmp_path / "calls").read_text().splitlines())


def test_a_hook_that_a_person_wrote_stays(tmp_path: Path) -> None:
    root = tmp_path / ".memfs"
    create_store(root, init_plan())
    (root / ".git/hooks/post-merge").write_text("#!/bin/sh\necho mine\n")
    (root / ".git/hooks/post-commit").write_text("#!/bin/sh\n# memfs hook: an older one\n")
    assert install_hooks(root / ".git") == ("post-merge",)
    assert "echo mine" in (root / ".git/hooks/post-merge").read_text()
    assert (root / ".git/hooks/post-commit").read_text() == hook_text("post-commit")
    assert os.access(root / ".git/hooks/post-commit", os.X_OK)


def test_attributes_of_the_tree_cannot_change_bytes(tmp_path: Path) -> None:
    root = tmp_path / ".memfs"
    create_store(root, init_plan())
    repository = Repository(root)
    repository.git("config", "filter.evil.clean", f"touch {tmp_path}/ran")
    repository.write(
        {
            "records/.gitattributes": "* text=auto eol=crlf filter=evil ident\n",
            "records/note/a.md": b"$Id$\r\n",
        }
    )
    repository.git("add", "-A")
    assert repository.git_bytes("show", ":records/note/a.md") == b"$Id$\r\n"
    assert not (tmp_path / "ran").exists()


def test_running_git_ignores_the_environment_of_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / ".memfs"
    create_store(root, init_plan())
    other = Repository.create(tmp_path / "other")
    other.commit({"x": "y"})
    for name, value in {
        "GIT_DIR": str(other.git_dir),
        "GIT_INDEX_FILE": "/dev/null",
        "GIT_OBJECT_DIRECTORY": str(other.git_dir / "objects"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_TRACE": "1",
    }.items():
        monkeypatch.setenv(name, value)
    with Store.open(root) as store:
        head = run_git(root / ".git", root, "rev-parse", "HEAD").decode().strip()
        assert CommitId(head) == store.main_head()
        assert store.working_changes().is_clean


def test_what_a_person_wrote_into_the_configuration_stays(tmp_path: Path) -> None:
    root = tmp_path / ".memfs"
    prepare_store(root)
    config = root / ".git" / "config"
    config.write_text("# mine\n[core]\n\tbare = false\n[gc]\n\tauto = 5\n", encoding="ascii")

    configure_repository(root / ".git")

    assert config_drift(root / ".git") == ()
    text = config.read_text("ascii")
    assert text.startswith("# mine\n[core]\n\tbare = false\n[gc]\n\tauto = 0\n")


def test_a_configuration_that_somebody_is_writing_is_not_written_over(tmp_path: Path) -> None:
    root = tmp_path / ".memfs"
    prepare_store(root)
    config = root / ".git" / "config"
    config.write_text("[core]\n\tbare = false\n", encoding="ascii")
    (root / ".git" / "config.lock").touch()

    with pytest.raises(GitFailedError):
        configure_repository(root / ".git")

    assert config.read_text("ascii") == "[core]\n\tbare = false\n"
