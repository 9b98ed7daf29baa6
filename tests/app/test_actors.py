"""Who acts is decided by the terminal, the environment and the settings, never by words."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from memfs.app.actors import (
    AGENT_MARKERS,
    Caller,
    NotTrustedError,
    calling_agent,
    login_name,
    resolve_actor,
)
from memfs.errors import UsageError
from memfs.mcp.desk import agent_named
from memfs.model.origin import Actor
from memfs.model.settings import TrustSettings
from tests.support.memory import new_project
from tests.support.processes import run_memfs, run_on_terminal

NOBODY = TrustSettings()
ANA = TrustSettings(scripted=("user:ana",))


def who(
    as_principal: str = "",
    *,
    yes: bool = False,
    is_terminal: bool = False,
    env: dict[str, str] | None = None,
    trust: TrustSettings = NOBODY,
) -> str:
    caller = Caller(
        as_principal=as_principal, yes=yes, is_terminal=is_terminal, env=env or {"USER": "ana"}
    )
    return str(resolve_actor(caller, trust))


def test_a_terminal_without_an_agent_is_a_person() -> None:
    assert who(is_terminal=True) == "user:ana (terminal)"
    assert who("user:ana", is_terminal=True) == "user:ana (terminal)"


def test_no_terminal_is_an_agent() -> None:
    assert who() == "agent:unnamed (agent)"


@pytest.mark.parametrize("marker", AGENT_MARKERS)
def test_an_agent_with_a_terminal_stays_an_agent(marker: str) -> None:
    env = {"USER": "ana", marker: "1"}
    assert who(is_terminal=True, env=env).startswith("agent:")
    with pytest.raises(NotTrustedError) as caught:
        who("user:ana", yes=True, is_terminal=True, env=env)
    assert (caught.value.code, caught.value.exit_status) == ("access.not-scripted", 30)


def test_an_empty_marker_marks_nothing() -> None:
    env = {"USER": "ana", "CLAUDECODE": ""}
    assert who(is_terminal=True, env=env) == "user:ana (terminal)"


def test_an_agent_may_say_its_name_and_no_other_role() -> None:
    assert who("agent:builder", is_terminal=True) == "agent:builder (agent)"
    assert who("tool:ci") == "tool:ci (tool)"
    assert who(env={"MEMFS_AGENT": "a b/c"}) == "agent:a-b-c (agent)"
    for name in ("system:memfs", "ana", "", "user:", "root:x"):
        if name:
            with pytest.raises(UsageError):
                who(name, yes=True, trust=ANA)


def test_a_script_acts_for_whom_the_store_names_and_only_with_yes() -> None:
    assert who("user:ana", yes=True, trust=ANA) == "user:ana (scripted)"
    for name, yes, trust in (
        ("user:ana", False, ANA),
        ("user:ana", True, NOBODY),
        ("user:eve", True, ANA),
        ("user:Ana", True, ANA),
    ):
        with pytest.raises(NotTrustedError):
            who(name, yes=yes, trust=trust)


def test_a_login_name_is_made_a_plain_one() -> None:
    assert login_name({"USER": "ana\nMemfs-Actor: user:eve"}) == "ana-Memfs-Actor-user-eve"
    assert login_name({"LOGNAME": "@@@", "USER": ""}) == "owner"


def test_a_real_terminal_makes_a_person_and_a_pipe_does_not(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    command = f'"{sys.executable}" -m memfs remember "CI needs Node 20" --kind fact --json'
    env = {**os.environ, "USER": "ana"}
    stated = run_on_terminal(command, cwd=project, env=env)
    piped = run_on_terminal(f"{command.replace('20', '22')} | cat", cwd=project, env=env)
    marked = run_on_terminal(command.replace("20", "24"), cwd=project, env={**env, "AI_AGENT": "x"})
    scripted = run_memfs("remember", "CI needs Node 26", "--kind", "fact", "--json", cwd=project)
    statuses = [json.loads(item.output)["status"] for item in (stated, piped, marked, scripted)]
    assert statuses == ["done", "waiting", "waiting", "waiting"]


def test_an_actor_is_written_with_its_channel() -> None:
    actor = resolve_actor(Caller(as_principal="agent:x", yes=False, is_terminal=False, env={}), ANA)
    assert isinstance(actor, Actor)
    assert not actor.is_person


def test_a_name_that_is_a_secret_names_nobody() -> None:
    secret = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    assert calling_agent({}, secret).principal.name == "unnamed"
    assert calling_agent({"MEMFS_AGENT": secret}, "inspector").principal.name == "inspector"
    for read in (who, agent_named):
        with pytest.raises(UsageError) as caught:
            read(f"agent:{secret}")
        assert secret not in caught.value.message
    assert calling_agent({}, "a-long-and-plain-name-of-a-client").principal.name.startswith(
        "a-long"
    )
