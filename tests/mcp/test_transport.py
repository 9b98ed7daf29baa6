"""The real process over stdio and HTTP: both eras, nothing foreign let in, and an end."""

from __future__ import annotations

import json
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.server import Server
from mcp_types import CallToolResult, ElicitResult

from memfs.cli.entry import main
from memfs.mcp.transport import PortTakenError, TokenError, serve_http, token_for
from tests.conftest import clean_environment
from tests.support.memory import memory_of, new_project
from tests.support.protocol_client import ERAS, Person

TEXT = "The heron gate opens at dawn"
WAIT_S = 30


@dataclass(frozen=True, slots=True)
class Place:
    """A project, and the account that owns it."""

    project: Path
    env: dict[str, str]

    def command(self, *words: str) -> list[str]:
        """Returns the command line of a server for the project."""
        return [sys.executable, "-m", "memfs", "mcp", "--store", str(self.project), *words]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A project with one fact."""
    env = clean_environment(tmp_path_factory.mktemp("account"))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        project = new_project(tmp_path_factory.mktemp("projects"))
        with memory_of(project) as memory:
            memory.remember(TEXT, kind="fact")
    return Place(project, env)


async def conversed(client: Client) -> list[str]:
    """Lists everything, and calls a tool of each sort."""
    tools = await client.list_tools()
    names = {tool.name for tool in tools.tools}
    assert {"memory_recall", "memory_propose", "memory_decide"} <= names
    assert (await client.list_prompts()).prompts
    index = await client.read_resource("memory://index")
    texts = [str(index.contents[0])]
    heard: list[float] = []

    async def progress(
        progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        heard.append(progress)

    calls: list[tuple[str, dict[str, Any]]] = [
        ("memory_recall", {"question": "When does the heron gate open?"}),
        ("memory_search", {"query": "heron gate"}),
        ("memory_propose", {"text": "The egret pond is deep", "kind": "fact", "key": "pond"}),
    ]
    for name, given in calls:
        result = await client.call_tool(name, given, progress_callback=progress)
        assert isinstance(result, CallToolResult)
        assert not result.is_error, result.content
        texts.append(str(result.structured_content))
    candidate = result.structured_content["target"]
    decided = await client.call_tool("memory_decide", {"act": "reject", "reference": candidate})
    assert isinstance(decided, CallToolResult)
    texts.append(str(decided.structured_content))
    return texts


def person() -> Person:
    return Person([ElicitResult(action="accept", content={"decision": "yes"})])


# Standard input and output -----------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
def test_the_sdks_client_talks_to_the_process_over_stdio(place: Place, era: str) -> None:
    command, *words = place.command()
    started = StdioServerParameters(command=command, args=words, env=place.env)
    someone = person()

    async def connected() -> list[str]:
        async with Client(started, mode=era, elicitation_callback=someone.answer) as client:
            assert client.server_info is None or client.server_info.name == "memfs"
            return await conversed(client)

    texts = anyio.run(connected)

    assert sum(TEXT in text for text in texts) == 3
    assert "'status': 'done'" in texts[-1]
    assert len(someone.asked) == 1


def handshake(*more: dict[str, Any]) -> bytes:
    """Returns what a client of the older era writes."""
    about = {"name": "raw", "version": "1"}
    messages: list[dict[str, Any]] = [
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": about,
            },
        },
        {"method": "notifications/initialized"},
        *more,
    ]
    return b"".join(json.dumps({"jsonrpc": "2.0", **it}).encode() + b"\n" for it in messages)


def test_the_process_ends_when_its_client_does_and_prints_nothing_else(place: Place) -> None:
    question = {"name": "memory_recall", "arguments": {"question": "heron gate"}}
    written = handshake({"id": 2, "method": "tools/call", "params": question})

    ended = subprocess.run(
        place.command(),
        input=written + b"this is no message\n",
        env=place.env,
        capture_output=True,
        timeout=WAIT_S,
    )

    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0
    assert all(line["jsonrpc"] == "2.0" for line in lines)
    assert [line["id"] for line in lines if "result" in line] == [1, 2]
    assert TEXT in str(lines)
    assert ended.stderr == b""


# HTTP --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Listening:
    """A server over HTTP: its address, and the token that it wants."""

    address: str
    token: str
    process: subprocess.Popen[bytes]

    def post(self, **headers: str) -> httpx2.Response:
        """Sends a handshake with these headers beside the usual ones."""
        usual = {
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "authorization": f"Bearer {self.token}",
        }
        body = handshake().splitlines()[0]
        return httpx2.post(self.address, content=body, headers={**usual, **headers})


@pytest.fixture(scope="module")
def listening(place: Place) -> Iterator[Listening]:
    """A server on a free port."""
    process = subprocess.Popen(
        place.command("--http", "--port", "0"), env=place.env, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    address = process.stderr.readline().decode().split()[-1]
    file = process.stderr.readline().decode().split()[-1]
    try:
        yield Listening(address, Path(file).read_text(encoding="ascii").strip(), process)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(WAIT_S)
        process.stderr.close()


@pytest.mark.parametrize("era", ERAS)
def test_the_sdks_client_talks_to_the_process_over_http(listening: Listening, era: str) -> None:
    someone = person()
    headers = {"Authorization": f"Bearer {listening.token}"}

    async def connected() -> list[str]:
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(listening.address, http_client=http)
            async with Client(transport, mode=era, elicitation_callback=someone.answer) as client:
                return await conversed(client)

    texts = anyio.run(connected)

    assert sum(TEXT in text for text in texts) == 3
    assert "'status': 'done'" in texts[-1]
    assert len(someone.asked) == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"authorization": ""}, 401),
        ({"authorization": "Bearer wrong-wrong-wrong-wrong"}, 401),
        ({"authorization": "Basic YW5hOnBhc3M="}, 401),
        ({"host": "memory.example"}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"host": "localhost.memory.example:8765"}, 421),
        ({"origin": "https://memory.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:1"}, 403),
        ({"content-type": "text/plain"}, 400),
    ],
    ids=str,
)
def test_only_who_shows_the_token_and_comes_from_here_is_answered(
    listening: Listening, headers: dict[str, str], status: int
) -> None:
    response = listening.post(**headers)

    assert response.status_code == status
    assert (TEXT in response.text) is False


def test_a_body_without_an_end_is_refused(listening: Listening) -> None:
    headers = {
        "content-type": "application/json",
        "authorization": f"Bearer {listening.token}",
    }

    response = httpx2.post(listening.address, content=b"[" * 2_000_000, headers=headers)

    assert response.status_code == 413


def test_it_listens_on_the_loopback_address_alone(listening: Listening) -> None:
    assert listening.address.startswith("http://127.0.0.1:")
    port = int(listening.address.rpartition(":")[2].partition("/")[0])
    socket.create_connection(("127.0.0.1", port), timeout=5).close()
    # A socket bound to every address would also answer for the rest of 127/8.
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", port), timeout=5)


def test_a_port_that_is_taken_is_told(listening: Listening) -> None:
    port = int(listening.address.rpartition(":")[2].partition("/")[0])

    async def nothing() -> None:
        raise AssertionError("it does not get that far")

    with pytest.raises(PortTakenError) as caught:
        serve_http(Server("x"), nothing, port=port, token="", announce=lambda _: None)

    assert caught.value.exit_status == 1
    assert "--port" in caught.value.hint


# The token ---------------------------------------------------------------------------------------


def test_the_token_is_made_once_and_is_the_accounts_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"

    token, place = token_for({}, home)

    assert len(token) >= 40
    assert token_for({}, home) == (token, place)
    assert stat.S_IMODE(Path(place).stat().st_mode) == 0o600
    assert token_for({"MEMFS_MCP_TOKEN": "x" * 20}, home) == ("x" * 20, "MEMFS_MCP_TOKEN")


def test_a_token_that_others_can_read_or_guess_is_refused(tmp_path: Path) -> None:
    _, place = token_for({}, tmp_path)

    Path(place).chmod(0o644)
    with pytest.raises(TokenError):
        token_for({}, tmp_path)
    Path(place).chmod(0o600)
    Path(place).write_text("short\n", encoding="ascii")
    with pytest.raises(TokenError):
        token_for({}, tmp_path)
    Path(place).unlink()
    Path(place).symlink_to("/etc/hostname")
    with pytest.raises((TokenError, OSError)):
        token_for({}, tmp_path)
    with pytest.raises(TokenError):
        token_for({"MEMFS_MCP_TOKEN": "short"}, tmp_path)


# The command -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--as", "user:ana", "--yes"), "expected an agent to serve"),
        (("--no-token",), "expected --no-token together with --http"),
        (("--compat", "another"), "server-memory"),
        (("--http", "--port", "70000"), "70000"),
    ],
    ids=str,
)
def test_a_server_that_makes_no_sense_does_not_start(
    words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", *words]) == 2
    assert told in capsys.readouterr().err


def test_without_the_protocols_library_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from memfs.cli.commands import mcp as command
    from memfs.cli.invocation import Invocation

    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    invocation = Invocation(store=None, as_principal=None, yes=False, is_json=False)

    with pytest.raises(command.NoProtocolError) as caught:
        command.desk_from(invocation)

    assert "pip install 'memfs-ledger[mcp]'" in caught.value.hint
