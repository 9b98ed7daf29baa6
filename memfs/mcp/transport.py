"""How clients reach the server: standard input and output, or HTTP on this machine alone.

Over stdio the process serves one client and ends when that client's end of the pipe closes.
Over HTTP it listens on the loopback address and nowhere else, answers only requests that name
it by a loopback host and come from no foreign page, and only with the token: other accounts of
the machine reach a loopback port too.
"""

from __future__ import annotations

import hmac
import logging
import os
import secrets
import signal
import socket
import stat
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from memfs.errors import MemfsError
from memfs.mcp.answers import bug
from memfs.mcp.draining import Draining

if TYPE_CHECKING:
    from mcp.server import Server

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
"""An application as any server of HTTP calls it (ASGI)."""
Beside = Callable[[], Awaitable[None]]
"""What a server does between calls, until it is cancelled."""
LOOPBACK: Final = "127.0.0.1"
PATH: Final = "/mcp"
TOKEN_VARIABLE: Final = "MEMFS_MCP_TOKEN"
_TOKEN_FILE: Final = "mcp-token"
_TOKEN_BYTES: Final = 32
_LEAST_TOKEN: Final = 16
_MOST_BODY: Final = 1_048_576
_CLOSING_S: Final = 3


class PortTakenError(MemfsError):
    """Another program listens on the port."""

    code = "mcp.port-taken"
    exit_status = 1


class TokenError(MemfsError):
    """The token that clients have to show is not fit for it."""

    code = "mcp.token"
    exit_status = 2


def serve_stdio(server: Server[Any], beside: Beside) -> None:
    """Serves one client over standard input and output until it closes its end.

    Args:
        server: What answers.
        beside: What is done meanwhile; it is cancelled at the end.
    """
    _quiet()
    # A read of standard input cannot be interrupted: the default action ends the process at
    # once, which leaves the ledger as it was before or after an operation.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await Draining().serve(server, incoming, outgoing)

    # A client that has gone breaks the pipe, and then there is nobody left to answer.
    with suppress(BrokenPipeError):
        _run_beside(serve, beside)


def serve_http(
    server: Server[Any],
    beside: Beside,
    *,
    port: int,
    token: str,
    announce: Callable[[str], None],
) -> None:
    """Serves clients over HTTP on the loopback address until it is interrupted.

    Args:
        server: What answers.
        beside: What is done meanwhile; it is cancelled at the end.
        port: 0 for a free one.
        token: What each request has to show as a bearer token; empty for none.
        announce: Is told the address once it listens.

    Raises:
        PortTakenError: Another program listens there.
    """
    listener = _listening(port)
    _quiet()
    port = listener.getsockname()[1]
    import uvicorn

    config = uvicorn.Config(
        http_app(server, port=port, token=token),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_CLOSING_S,
        lifespan="on",
    )
    announce(f"http://{LOOPBACK}:{port}{PATH}")
    listening = uvicorn.Server(config)
    with suppress(KeyboardInterrupt):
        _run_beside(lambda: listening.serve(sockets=[listener]), beside)


def _run_beside(serve: Callable[[], Awaitable[None]], beside: Beside) -> None:
    """Serves to the end, and does what is done beside until then."""

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(_guarded, beside)
            await serve()
            group.cancel_scope.cancel()

    try:
        anyio.run(both)
    except* BrokenPipeError as broken:
        raise BrokenPipeError from broken


async def _guarded(beside: Beside) -> None:
    """Does what is done beside; a bug in it ends it, and leaves the server to its clients."""
    try:
        await beside()
    except Exception as error:  # noqa: BLE001  the broad handler of what nobody called
        bug(error, "beside")


def http_app(server: Server[Any], *, port: int, token: str) -> App:
    """Returns the application that serves on ``port``, with its guards."""
    names = (LOOPBACK, "localhost")
    guard = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[f"{name}:{port}" for name in names],
        allowed_origins=[f"http://{name}:{port}" for name in names],
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH, transport_security=guard, max_request_body_size=_MOST_BODY
    )
    return _TokenGuard(app, token) if token else app


class _TokenGuard:
    """Lets requests through that show the token."""

    def __init__(self, app: App, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._is_shown(scope):
            await _refuse(send)
            return
        await self._app(scope, receive, send)

    def _is_shown(self, scope: Scope) -> bool:
        shown = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(shown) != 1:
            return False
        scheme, _, token = shown[0].partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token)


async def _refuse(send: Send) -> None:
    headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b'Bearer realm="memfs"')]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    body = b"expected the token of this memfs server as a bearer token\n"
    await send({"type": "http.response.body", "body": body})


def _listening(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except OSError as error:
        listener.close()
        raise PortTakenError(
            f"expected to listen on port {port} of {LOOPBACK}: {error.strerror}",
            hint="choose another with --port, or 0 for a free one",
        ) from None
    return listener


# The token ------------------------------------------------------------------------------------


def token_for(env: Mapping[str, str], home: Path) -> tuple[str, str]:
    """Returns the token that clients have to show, and where it comes from.

    It is the environment's, or else the account's own, which is made once and kept in a file
    that nobody else can read.

    Raises:
        TokenError: It is too short, or its file belongs to somebody else or is open to others.
    """
    named = env.get(TOKEN_VARIABLE, "")
    if named:
        if len(named) < _LEAST_TOKEN or not (named.isascii() and named.isprintable()):
            raise TokenError(
                f"expected {_LEAST_TOKEN} or more plain characters in {TOKEN_VARIABLE}"
            )
        return named, TOKEN_VARIABLE
    place = home / _TOKEN_FILE
    return _kept_token(place), str(place)


def _kept_token(place: Path) -> str:
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with suppress(FileExistsError):
        descriptor = os.open(place, flags, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{secrets.token_urlsafe(_TOKEN_BYTES)}\n")
    descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, encoding="ascii") as file:
        about = os.fstat(descriptor)
        is_own = about.st_uid == os.getuid() and stat.S_ISREG(about.st_mode)
        if not is_own or about.st_mode & 0o077:
            raise TokenError(
                f"expected {place} to be this account's alone",
                hint="remove the file: a new one is made",
            )
        token = file.read(1_000).strip()
    if len(token) < _LEAST_TOKEN:
        raise TokenError(f"expected a token in {place}, got less", hint="remove the file")
    return token


def _quiet() -> None:
    """Keeps libraries from logging what passes through them; what matters is answered."""
    if not os.environ.get("MEMFS_DEBUG"):
        logging.disable(logging.CRITICAL)
