"""No log, report, count or error holds what was stored or typed (A86)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfs.cli.bug_report import render
from memfs.cli.entry import main
from memfs.errors import MemfsError
from tests.support.memory import AGENT, memory_of, new_project

STORED = ("zanzibar-framework", "quokka", "Deploys go to Ouagadougou")
TYPED = "who prefers the zanzibar-framework of quokka"
SECRETS = ("AKIA" + "Q7" * 8, "ghp_" + "a1B2" * 9, "xoxb-" + "123456789012-" * 2 + "aBcDeFgHiJkL")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = new_project(tmp_path)
    monkeypatch.chdir(project)
    with memory_of(project) as memory:
        memory.remember(f"{STORED[0]} for {STORED[1]}", kind="preference", subject=STORED[1])
        memory.remember(STORED[2], kind="fact")
        for secret in SECRETS:
            memory.remember(f"the key is {secret}", kind="note")
    with memory_of(project, AGENT) as memory:
        memory.propose(f"{STORED[1]} builds twice", kind="fact")
        for _ in range(3):
            memory.recall(TYPED)
            memory.search(TYPED, subject=STORED[1])
    return project


def words() -> tuple[str, ...]:
    return (*STORED, *SECRETS, TYPED, "Ouagadougou", "prefers")


def test_no_log_holds_what_was_stored_or_typed(project: Path) -> None:
    with memory_of(project) as memory:
        folder = memory.workspace.cache_dir / "log"
    content = b"".join(path.read_bytes() for path in folder.iterdir())
    assert b'"verb":"recall"' in content
    assert not [word for word in words() if word.encode() in content]


def test_no_secret_lies_anywhere_that_memfs_writes(project: Path) -> None:
    places = (project, Path(os.environ["XDG_CACHE_HOME"]), Path(os.environ["HOME"]))
    files = [path for place in places for path in place.rglob("*") if path.is_file()]
    for path in files:
        content = path.read_bytes()
        assert not [secret for secret in SECRETS if secret.encode() in content], path


@pytest.mark.parametrize(
    "command", [("stats",), ("status",), ("doctor",), ("audit",), ("explain", "last"), ("config",)]
)
@pytest.mark.parametrize("form", [(), ("--json",)])
@pytest.mark.parametrize("who", [("--as", "user:ana", "--yes"), ("--as", "agent:builder")])
def test_no_account_holds_what_was_stored_or_typed(
    project: Path,
    command: tuple[str, ...],
    form: tuple[str, ...],
    who: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([*command, *form, *who]) == 0
    said = capsys.readouterr()
    assert said.out
    assert not [word for word in words() if word in said.out + said.err]


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "mem_01kb8x3v6yq4m9t2r7w5z1c0de"),
        ("correct", "zzzzzz", "the quokka"),
        ("recall", "quokka", "--kind", "no-such-kind"),
        ("pollute", "project:datasync", "--cause", SECRETS[0]),
        ("remember", f"the key is {SECRETS[0]}"),
    ],
)
def test_no_error_holds_what_was_stored_or_typed(
    project: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    status = main([*arguments, "--as", "user:ana", "--yes"])
    said = capsys.readouterr()
    assert status != 0
    assert not [word for word in words() if word in said.out + said.err]


def test_a_bug_report_names_code_and_quotes_nothing() -> None:
    try:
        raise MemfsError(f"{STORED[0]} {SECRETS[0]}", hint=STORED[2])
    except MemfsError as error:
        report = render(error)
    assert "MemfsError" in report
    assert not [word for word in words() if word in report]
