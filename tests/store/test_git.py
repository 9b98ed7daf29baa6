from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memfs.store.git import GitFailedError, GitMissingError, git_environment, run_git
from memfs.store.store import Store
from tests.support.ledgers import open_new_store, plan_for
from tests.support.repositories import Repository

A = "records/note/2026-11/a-aaaaaa.md"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_new_store(tmp_path / ".memfs") as store:
        store.commit(plan_for(store, {A: "alpha\n"}, seconds=1))
        yield store


def test_a_machine_without_git_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(GitMissingError) as caught:
        run_git(store.git_dir, None, "version")
    assert caught.value.exit_status == 60
    assert store.snapshot().read(A) == b"alpha\n"


def test_a_failure_names_the_command_its_status_and_what_git_said(store: Store) -> None:
    with pytest.raises(GitFailedError) as caught:
        run_git(store.git_dir, None, "rev-parse", "--verify", "no-such-ref")
    assert (caught.value.code, caught.value.status) == ("git.failed", 128)
    assert "Needed a single revision" in caught.value.stderr


def test_a_repository_that_is_gone_is_not_taken_for_missing_git(tmp_path: Path) -> None:
    with pytest.raises(GitFailedError):
        run_git(tmp_path / "gone", None, "rev-parse", "HEAD")


def test_a_command_that_hangs_is_ended(store: Store, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(GitFailedError) as caught:
        run_git(store.git_dir, None, "hash-object", str(tmp_path / "fifo"), timeout_s=0.2)
    assert caught.value.code == "git.timeout"


def test_reading_takes_no_optional_lock_and_nothing_of_the_caller_passes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("GIT_SSH_COMMAND", "touch ran")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/elsewhere")
    read, write = git_environment(), git_environment(is_read=False, index_file=Path("/i"))
    assert "GIT_DIR" not in read
    assert "GIT_SSH_COMMAND" not in read
    assert "XDG_CONFIG_HOME" not in read
    assert (read["GIT_OPTIONAL_LOCKS"], write["GIT_OPTIONAL_LOCKS"]) == ("0", "1")
    assert write["GIT_INDEX_FILE"] == "/i"


def test_a_repository_cannot_make_a_read_run_a_program(store: Store, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> {ran}\ncat "$@" 2>/dev/null\n')
    script.chmod(0o755)
    person = Repository(store.root)
    for name in (
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "diff.external",
        "diff.markdown.textconv",
        "diff.markdown.command",
        "filter.evil.clean",
        "filter.evil.smudge",
        "gpg.program",
        "alias.status",
        "alias.rev-list",
    ):
        person.git("config", name, str(script))
    person.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    (tmp_path / "hooks").mkdir()
    for name in ("post-index-change", "reference-transaction", "post-checkout"):
        (tmp_path / "hooks" / name).symlink_to(script)
    (store.root / ".gitattributes").write_text("* filter=evil\n*.md diff=markdown\n")
    ran.unlink(missing_ok=True)
    store.commit(plan_for(store, {A: "alpha 2\n"}, seconds=2))
    (store.root / A).write_text("edited\n")
    store.working_changes()
    store.history(A)
    assert store.blame(A)[0].text == "alpha 2"
    store.restore_working(A)
    store.maintain(is_forced=True)
    store.health()
    assert not ran.exists(), ran.read_text()


def test_an_object_that_is_missing_is_not_fetched_by_a_program_of_the_repository(
    store: Store, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\n")
    script.chmod(0o755)
    person = Repository(store.root)
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::{script}",
        "remote.origin.promisor": "true",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
    }.items():
        person.git("config", name, value)
    with pytest.raises(GitFailedError):
        run_git(store.git_dir, None, "cat-file", "-p", "1" * 40, timeout_s=5)
    assert not ran.exists()
