"""One error boundary: every way to end has its exit number."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import click
import pytest

from memfs import __version__
from memfs.app.registry import REGISTRY
from memfs.cli import entry
from memfs.cli.bug_report import render
from memfs.cli.catalogue import COMMANDS
from memfs.cli.claim_options import CLAIM_KINDS
from memfs.cli.entry import main
from memfs.cli.group import LazyGroup
from memfs.errors import (
    AccessError,
    ConflictError,
    DataError,
    GitError,
    IndexUnavailableError,
    MemfsError,
    StoreError,
    UsageError,
)


class Raising(LazyGroup):
    """A root whose only command raises what the test wants to see reported."""

    error: BaseException = MemfsError("unset")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        def fail() -> None:
            raise self.error

        takes_anything = {"ignore_unknown_options": True, "allow_extra_args": True}
        return click.Command("status", callback=fail, context_settings=takes_anything)


def _run_raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> int:
    group = Raising()
    group.error = error
    monkeypatch.setattr(entry, "root", group)
    return main(["status"])


def test_no_command_prints_the_help_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "Remember and recall:" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"memfs {__version__}\n"


def test_an_unknown_command_names_the_closest_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recal", "x"]) == 2

    captured = capsys.readouterr()
    assert captured.out == ""
    assert "There is no command 'recal'. Did you mean 'recall'?" in captured.err


def test_an_unknown_option_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--colour"]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UsageError("x"), 2),
        (StoreError("x"), 10),
        (DataError("x"), 20),
        (AccessError("x"), 30),
        (ConflictError("x"), 40),
        (IndexUnavailableError("x"), 50),
        (GitError("x"), 60),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
    ],
)
def test_each_family_of_errors_has_its_exit_number(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int
) -> None:
    assert _run_raising(monkeypatch, error) == status


def test_a_bug_is_reported_without_any_content(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    assert _run_raising(monkeypatch, ValueError("the secret is swordfish")) == 3

    captured = capsys.readouterr()
    (report,) = home.rglob("ValueError-*.txt")
    text = report.read_text()
    assert str(report) in captured.err
    assert "swordfish" not in text + captured.err + captured.out
    assert "ValueError" in text
    assert "in fail" in text
    assert stat.S_IMODE(report.stat().st_mode) == 0o600


def test_a_bug_is_told_in_json_to_whoever_asked_for_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    group = Raising()
    group.error = ValueError("x")
    monkeypatch.setattr(entry, "root", group)

    assert main(["status", "--json"]) == 3

    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["code"], error["exit_status"]) == ("memfs.bug", 3)
    assert str(home) in error["hint"]


def test_an_argument_that_is_no_utf8_is_wrong_usage_and_no_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    group = Raising()
    group.error = UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates not allowed")
    monkeypatch.setattr(entry, "root", group)

    assert main(["status", "\udcff"]) == 2
    assert "expected words in UTF-8" in capsys.readouterr().err


def test_a_bug_report_follows_the_chain_of_causes() -> None:
    try:
        try:
            raise KeyError("inner")
        except KeyError as error:
            raise ValueError("outer") from error
    except ValueError as error:
        text = render(error)

    assert text.index("ValueError") < text.index("KeyError")
    assert "inner" not in text


def test_a_reader_that_leaves_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = os.dup(1)
    try:
        assert _run_raising(monkeypatch, BrokenPipeError()) == 0
    finally:
        os.dup2(saved, 1)
        os.close(saved)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says_of_itself(name: str) -> None:
    command = entry.root.get_command(click.Context(entry.root), name)

    assert command is not None
    assert command.get_short_help_str(200) == COMMANDS[name].help


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_page(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: memfs {name} ")


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "hook"])
def test_every_command_takes_the_shared_options(name: str) -> None:
    command = entry.root.get_command(click.Context(entry.root), name)

    assert command is not None
    below = list(command.commands.values()) if isinstance(command, click.Group) else []
    is_command = not isinstance(command, click.Group) or command.invoke_without_command
    for single in [*below, *([command] if is_command else [])]:
        names = {item.name for item in single.params}
        assert single.hidden or {"store", "as_principal", "yes", "is_json"} <= names


def test_the_help_page_names_every_kind_of_claim() -> None:
    assert sorted(CLAIM_KINDS) == sorted(spec.name for spec in REGISTRY if spec.is_claim)
