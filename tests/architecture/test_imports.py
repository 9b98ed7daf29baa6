"""What each command may import, counted in a process of its own.

Cold recall has to fit into a prompt hook; an import that creeps onto its path costs more than
anything that recall itself does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import clean_environment
from tests.support.processes import run_memfs

# Slow to import, and needed only where something is written, checked or watched.
WRITE_ONLY = {"pydantic", "ruamel", "frontmatter", "git", "watchdog", "detect_secrets", "rich"}
_PROGRAM = """
import sys
from memfs.cli.entry import main
status = main(sys.argv[2:])
with open(sys.argv[1], "w") as out:
    out.write("\\n".join(sys.modules))
sys.exit(status)
"""


def _imported(*arguments: str, cwd: Path, env: Mapping[str, str]) -> set[str]:
    report = cwd / "modules.txt"
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(report), *arguments],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr
    return set(report.read_text().splitlines())


def _packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


@dataclass(frozen=True, slots=True)
class Project:
    """A project with a store and one record, its index built, and the account that owns it."""

    folder: Path
    env: Mapping[str, str]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """One project for the module: nothing here changes it."""
    env = clean_environment(tmp_path_factory.mktemp("account"))
    folder = tmp_path_factory.mktemp("project")
    person = ("--as", "user:ana", "--yes")
    for arguments in (
        ("init", "--scripted", *person),
        ("remember", "FastAPI, never Flask", "--kind", "preference", *person),
        ("entity", "add", "Heron", *person),
        ("entity", "add", "Weir", *person),
        ("relate", "Heron", "Weir", "fishes at", *person),
        ("recall", "framework"),
    ):
        ended = run_memfs(*arguments, cwd=folder, env=env)
        assert ended.status == 0, ended.errors
    return Project(folder, env)


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("recall", "--help")])
def test_help_imports_click_and_no_room_below_the_terminal(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    modules = _imported(*arguments, cwd=tmp_path, env=os.environ)

    rooms = {".".join(name.split(".")[:2]) for name in modules if name.startswith("memfs.")}
    assert rooms <= {"memfs.cli", "memfs.errors", "memfs.model"}
    assert _packages(modules) & (WRITE_ONLY | {"whoosh", "platformdirs", "sqlite3"}) == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ("recall", "Flask or FastAPI"),
        ("search", "Flask or FastAPI", "--json"),
        ("context", "--task", "Flask or FastAPI"),
        ("context", "--session-start"),
        ("timeline", "--entity", "Flask"),
        ("list",),
        ("neighbors", "Heron"),
        ("expand", "Heron"),
        ("review",),
        ("hook", "git", "post-commit"),
        ("hook", "git", "post-checkout"),
    ],
    ids=" ".join,
)
def test_reading_imports_nothing_that_only_writing_needs(
    arguments: tuple[str, ...], project: Project
) -> None:
    modules = _imported(*arguments, cwd=project.folder, env=project.env)

    assert _packages(modules) & (WRITE_ONLY | {"numpy", "networkx"}) == set()


@pytest.mark.parametrize(
    "arguments",
    [("recall", "Flask"), ("recall", "where does Heron fish"), ("context", "--session-start")],
    ids=" ".join,
)
def test_an_agents_question_opens_no_database(arguments: tuple[str, ...], project: Project) -> None:
    modules = _imported(*arguments, "--as", "agent:x", cwd=project.folder, env=project.env)

    assert ("memfs.services.edge_hits" in modules) is ("where does Heron fish" in arguments)

    heavy = {"sqlite3", "asyncio", "http", "ssl", "mcp", "httpx2", "numpy"}
    assert _packages(modules) & (WRITE_ONLY | heavy) == set()


def test_the_command_line_imports_no_other_command(project: Project) -> None:
    modules = _imported("list", cwd=project.folder, env=project.env)

    commands = {name for name in modules if name.startswith("memfs.cli.commands.")}
    assert commands == {"memfs.cli.commands.list"}
