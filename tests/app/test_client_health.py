"""Doctor tries what is configured for coding agents, and runs nothing that is not memfs."""

from __future__ import annotations

import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from memfs.agents.clients import client_named
from memfs.agents.contract import EventKind
from memfs.agents.install.probing import Stage
from memfs.agents.install.recipes import CLIENTS
from memfs.agents.install.samples import payload
from memfs.agents.install.shelf import InstallScope
from memfs.agents.install.texts import Part
from memfs.app import client_health
from memfs.app.client_health import ClientHealth, examine_clients, examined
from memfs.app.installing import install_client
from memfs.model.problem import Severity
from tests.conftest import ROOT

PROJECT, USER = InstallScope.PROJECT, InstallScope.USER
FEW = (Part.SERVER, Part.INSTRUCTIONS, Part.SKILL)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a project"
    folder.mkdir()
    return folder


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A real ``memfs`` on the PATH."""
    place = tmp_path / "bin" / "memfs"
    place.parent.mkdir()
    place.write_text(f"#!{sys.executable}\nfrom memfs.cli.start import run\nrun()\n")
    place.chmod(0o755)
    monkeypatch.setenv("PATH", f"{place.parent}{os.pathsep}{os.environ['PATH']}")
    return place


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No sample store, for programs that would not ask it."""
    stage = Stage(folder=tmp_path, env=dict(os.environ))
    monkeypatch.setattr(client_health, "_stage", lambda env: nullcontext(stage))


def says(program: Path, script: str) -> None:
    program.write_text(f"#!/bin/sh\n{script}\n")


def install(client: str, project: Path, scope: InstallScope = PROJECT, **options: object) -> None:
    install_client(client, scope, start=project, env=os.environ, **options)  # type: ignore[arg-type]


def health(project: Path) -> tuple[ClientHealth, ...]:
    return examine_clients(project, os.environ)


def codes(project: Path) -> list[str]:
    return [problem.code for item in health(project) for problem in item.problems]


def test_every_command_is_run_and_answers_from_a_sample_store(
    project: Path, program: Path, home: Path
) -> None:
    install("claude", project)
    for client in ("antigravity", "opencode"):
        install(client, project, without=(Part.SERVER,))
    before = {path for path in home.rglob("*") if path.is_file()}

    found = {item.client: item for item in health(project)}

    assert {name: (item.tried, item.problems) for name, item in found.items()} == {
        "claude": (7, ()),
        "antigravity": (2, ()),
        "opencode": (1, ()),
    }
    assert found["claude"].parts == ("6 hooks", "server", "instructions", "skill")
    # No sample ends up in anybody's memory.
    assert {path for path in home.rglob("*") if path.is_file()} == before
    assert not (project / ".memfs").exists()


def test_nothing_is_looked_at_where_nothing_is_installed(project: Path) -> None:
    assert examined(project, os.environ) == ((), ())


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 0", "SessionStart: expected one JSON object, got nothing"),
        ("echo hello", "expected one JSON object, got something else"),
        ("echo '[1]'", "expected one JSON object, got another value"),
        ("echo '{\"a\": 1}'", "an answer from the sample store"),
        ("echo broken pipe >&2; exit 3", "expected exit 0, got 3 (broken pipe)"),
    ],
)
def test_a_hook_that_does_not_do_what_it_should_is_told(
    script: str, said: str, project: Path, program: Path
) -> None:
    install("claude", project, without=FEW)
    says(program, script)

    (claude,) = health(project)

    assert said in claude.problems[0].message
    assert claude.problems[0].code == "install.hook-fails"
    assert claude.problems[0].path == str(project / ".claude/settings.json")
    assert claude.problems[0].line > 1


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("script", ["exit 1", "read line; echo '{\"id\": 1}'", "echo oops >&2"])
def test_a_server_that_does_not_greet_is_told(script: str, project: Path, program: Path) -> None:
    install("cursor", project, without=(Part.HOOKS, Part.INSTRUCTIONS))
    says(program, script)

    assert codes(project) == ["install.server-fails"]


@pytest.mark.usefixtures("bare")
def test_a_program_that_is_not_there_is_told(project: Path) -> None:
    install("codex", project, without=(Part.INSTRUCTIONS, Part.SKILL), program="/nowhere/memfs")

    assert set(codes(project)) == {"install.program-missing"}


@pytest.mark.usefixtures("bare")
def test_a_program_that_comes_with_a_project_is_not_run(project: Path, program: Path) -> None:
    trap = project / "bin" / "memfs"
    trap.parent.mkdir()
    trap.write_text(f"#!/bin/sh\ntouch '{project}/ran'\n")
    trap.chmod(0o755)
    handler = {"type": "command", "command": f"'{trap}' hook stop --client claude"}
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [handler]}]}})
    )

    (claude,) = health(project)

    assert "install.program-unknown" in [problem.code for problem in claude.problems]
    assert claude.tried == 0
    assert not (project / "ran").exists()


@pytest.mark.usefixtures("bare")
def test_what_stands_before_a_call_of_memfs_is_not_run(project: Path, program: Path) -> None:
    trap = project / "trap.py"
    trap.write_text(f"open({str(project / 'ran')!r}, 'w')")
    words = [str(trap), "memfs", "hook", "stop", "--client", "claude"]
    handler = {"type": "command", "command": sys.executable, "args": words}
    line = " ".join(["env", f"PYTHONSTARTUP={trap}", sys.executable, *words])
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [handler, {"command": line}]}]}})
    )
    says(program, "exit 0")

    (claude,) = health(project)

    assert claude.tried == 2
    assert not (project / "ran").exists()


@pytest.mark.usefixtures("bare")
def test_hooks_in_two_places_and_twice_in_one_are_told(project: Path, program: Path) -> None:
    install("claude", project, without=FEW)
    text = (project / ".claude" / "settings.json").read_text()
    says(program, "exit 0")
    twice = json.loads(text)
    twice["hooks"]["Stop"] *= 2
    (project / ".claude" / "settings.json").write_text(json.dumps(twice))
    other = Path(os.environ["HOME"]) / ".claude" / "settings.json"
    other.parent.mkdir()
    other.write_text(text)

    said = [
        p.message for item in health(project) for p in item.problems if p.code == "install.twice"
    ]

    assert said == [
        "expected Stop to run memfs once, got it more than once",
        f"expected hooks in one place, got them in {other} too",
    ]


@pytest.mark.usefixtures("bare")
def test_instructions_that_a_client_reads_twice_are_told(project: Path, program: Path) -> None:
    install("cursor", project, without=(Part.HOOKS, Part.SERVER))
    install("codex", project, without=(Part.HOOKS, Part.SERVER))

    (cursor,) = health(project)

    assert [problem.code for problem in cursor.problems] == ["install.twice"]
    assert str(project / "AGENTS.md") in cursor.problems[0].message


@pytest.mark.usefixtures("bare")
def test_an_older_installation_and_a_missing_event_are_told(project: Path, program: Path) -> None:
    install("codex", project, without=FEW)
    place = project / ".codex" / "hooks.json"
    hooks = json.loads(place.read_text())
    del hooks["hooks"]["SessionEnd"]
    hooks["hooks"]["Stop"][0]["hooks"][0]["command"] = "memfs hook finished --client codex"
    place.write_text(json.dumps(hooks))
    says(program, "exit 0")

    (codex,) = health(project)

    warned = [problem for problem in codex.problems if problem.severity is Severity.WARNING]
    assert [problem.code for problem in warned] == [
        "install.outdated",
        "install.incomplete",
        "install.outdated",
    ]
    assert "SessionEnd" in warned[1].message


@pytest.mark.usefixtures("bare")
def test_a_file_that_no_longer_parses_is_told(project: Path, program: Path) -> None:
    install("cursor", project)
    (project / ".cursor" / "mcp.json").write_text("{")
    says(program, "exit 0")

    assert "install.does-not-parse" in codes(project)


@pytest.mark.usefixtures("bare")
def test_codex_waits_for_trust_until_codex_has_it_on_record(
    project: Path, program: Path, home: Path
) -> None:
    install("codex", project, without=FEW)
    says(program, "exit 0")

    (before,) = health(project)
    place = project / ".codex" / "hooks.json"
    state = "".join(
        f'[hooks.state."{place}:{name}:0:0"]\ntrusted_hash = "sha256:00"\n' for name in "abcdef"
    )
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(state)
    (after,) = health(project)

    assert "pending trust" in before.notes[0]
    assert "open /hooks" in before.notes[0]
    assert "on record as trusted" in after.notes[0]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_sample_has_no_field_that_the_client_does_not_send(client: str) -> None:
    known = client_named(client)
    assert known is not None
    for kind in known.events.values():
        given = ROOT / "fixtures" / "hooks" / client / f"{kind}.in.json"
        if kind is EventKind.TOOL:
            continue
        sample = json.loads(payload(client, kind, folder="/p", transcript="/t"))
        assert set(sample) <= set(json.loads(given.read_text())), kind


def test_an_examination_that_cannot_be_carried_out_is_told_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project / "nowhere"))

    _, [problem] = examined(project, os.environ)

    assert (problem.code, problem.severity) == ("usage", Severity.WARNING)
    assert problem.message.startswith("expected the home folder")
