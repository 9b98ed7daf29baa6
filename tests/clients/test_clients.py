"""Clients and servers that are not ours: the TypeScript SDK, and the reference memory server.

A stage of its own (``make clients``): it installs packages from npm into a temporary folder.
Without npm, or without being asked for, it is skipped and says so.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from memfs.mcp.server import TOOLS
from tests.conftest import ROOT, clean_environment
from tests.mcp.test_compat import SESSION, comparable
from tests.support.memory import memory_of, new_project

PLAYER: Final = ROOT / "tests" / "clients" / "session.mjs"
PACKAGES: Final = (
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/server-memory@2026.8.31",
)
WAIT_S: Final = 300
TEXT: Final = "The heron gate opens at dawn"

pytestmark = [
    pytest.mark.skipif(not os.environ.get("MEMFS_CLIENTS"), reason="asked for with: make clients"),
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not here"),
    pytest.mark.timeout(WAIT_S),
]


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages and the player in it."""
    folder = tmp_path_factory.mktemp("node")
    installed = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *PACKAGES],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )
    if installed.returncode:
        pytest.skip(f"npm could not install the packages: {installed.stderr.strip()[-200:]}")
    shutil.copy(PLAYER, folder)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one fact."""
    made = new_project(tmp_path)
    with memory_of(made) as memory:
        memory.remember(TEXT, kind="fact")
    return made


def server(project: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "memfs", "mcp", "--store", str(project), *words]


def played(node: Path, steps: Path, *way: str, **env: str) -> dict[str, Any]:
    """Returns what a session comes to."""
    ended = subprocess.run(
        ["node", "session.mjs", str(steps), *way],
        cwd=node,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )
    assert ended.returncode == 0, ended.stderr
    result: dict[str, Any] = json.loads(ended.stdout)
    return result


EVERY_TOOL: Final[list[tuple[str, dict[str, Any]]]] = [
    ("memory_recall", {"question": "When does the heron gate open?"}),
    ("memory_search", {"query": "heron gate"}),
    ("memory_log", {"limit": 5}),
    ("memory_propose", {"text": "The egret pond is deep", "kind": "fact"}),
    ("memory_decide", {"act": "approve", "reference": "$4.target"}),
    ("memory_get", {"reference": "$5.target"}),
    ("memory_track", {"act": "open", "title": "The gate squeaks"}),
    ("memory_run", {"act": "start", "task": "Oil the gate"}),
    ("memory_run", {"act": "finish", "run": "$8.run", "summary": "It is oiled."}),
    ("memory_search", {"limt": 3}),
]


def every_tool(folder: Path) -> Path:
    steps: list[dict[str, Any]] = [{"method": "tools/list"}]
    steps += [
        {"method": "tools/call", "params": {"name": name, "arguments": given}}
        for name, given in EVERY_TOOL
    ]
    steps.append({"method": "resources/read", "params": {"uri": "memory://index"}})
    steps.append({"method": "prompts/get", "params": {"name": "session_start"}})
    place = folder / "steps.json"
    place.write_text(json.dumps(steps), encoding="utf-8")
    return place


def check(came: dict[str, Any]) -> None:
    """Compares what a session with every tool came to."""
    listed, *answers = came["results"]
    assert {tool["name"] for tool in listed["tools"]} == {tool.name for tool in TOOLS}
    assert {name for name, _ in EVERY_TOOL} == {tool.name for tool in TOOLS}
    called = answers[: len(EVERY_TOOL)]
    failed = [item for item in called[:-1] if item.get("isError") or "error" in item]
    assert failed == []
    assert TEXT in called[0]["structuredContent"]["text"]
    assert called[4]["structuredContent"]["status"] == "done"
    assert "The egret pond is deep" in called[5]["structuredContent"]["text"]
    assert called[-1]["isError"]
    assert "did you mean limit?" in called[-1]["content"][0]["text"]
    assert len(came["forms"]) == 1
    assert TEXT in answers[-2]["contents"][0]["text"]
    assert answers[-1]["messages"][0]["role"] == "user"


def test_the_typescript_client_calls_every_tool_over_stdio(
    node: Path, project: Path, tmp_path: Path
) -> None:
    (project / "README").write_text("datasync\n", encoding="utf-8")
    commit(project)

    check(played(node, every_tool(tmp_path), "stdio", *server(project)))


def test_the_typescript_client_calls_every_tool_over_http(
    node: Path, project: Path, tmp_path: Path
) -> None:
    (project / "README").write_text("datasync\n", encoding="utf-8")
    commit(project)
    token = "a-token-for-this-very-test"
    process = subprocess.Popen(
        server(project, "--http", "--port", "0"),
        env={**os.environ, "MEMFS_MCP_TOKEN": token},
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        address = process.stderr.readline().decode().split()[-1]
        check(played(node, every_tool(tmp_path), "http", address, token))
        refused = subprocess.run(
            ["node", "session.mjs", str(every_tool(tmp_path)), "http", address, "wrong"],
            cwd=node,
            capture_output=True,
            text=True,
            timeout=WAIT_S,
        )
        assert refused.returncode != 0
        assert "401" in refused.stderr or "nauthorized" in refused.stderr
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_S) in (0, 130, -signal.SIGINT)
        process.stderr.close()


def commit(project: Path) -> None:
    for words in (("add", "README"), ("commit", "-q", "-m", "begin")):
        subprocess.run(["git", *words], cwd=project, check=True)


def test_the_recorded_session_is_what_the_reference_answers_and_what_we_do(
    node: Path, tmp_path: Path
) -> None:
    project = new_project(tmp_path)
    reference = node / "node_modules/@modelcontextprotocol/server-memory/dist/index.js"
    recorded = [step["result"] for step in json.loads(SESSION.read_text(encoding="utf-8"))]

    theirs = played(
        node,
        SESSION,
        "stdio",
        "node",
        str(reference),
        MEMORY_FILE_PATH=str(tmp_path / "memory.jsonl"),
    )
    ours = played(node, SESSION, "stdio", *server(project, "--compat", "server-memory"))

    for known, real, own in zip(recorded, theirs["results"], ours["results"], strict=True):
        assert comparable(without_execution(real)) == comparable(known)
        assert comparable(own) == comparable(known)
    assert ours["forms"] == []


def without_execution(result: dict[str, Any]) -> dict[str, Any]:
    """Leaves out what says that a tool of the reference is no task."""
    for tool in result.get("tools", []):
        tool.pop("execution", None)
    return result


def test_the_process_is_gone_when_its_client_is(node: Path, project: Path, tmp_path: Path) -> None:
    """An interrupt, which the SDK's clients send before they kill, ends it at once."""
    env = clean_environment(tmp_path) | {"MEMFS_HOME": os.environ["MEMFS_HOME"]}
    with subprocess.Popen(
        server(project), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_S) in (-signal.SIGINT, 130)
