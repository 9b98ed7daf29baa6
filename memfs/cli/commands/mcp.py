"""``memfs mcp``: serves memory to agents over the model context protocol."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import say
from memfs.errors import MemfsError, UsageError

if TYPE_CHECKING:
    from memfs.mcp.desk import Desk

COMPATS = ("server-memory",)


class NoProtocolError(MemfsError):
    """The protocol's library is not installed."""

    code = "mcp.not-installed"
    exit_status = 1


@click.command(
    "mcp",
    cls=ExampleCommand,
    short_help="Serve memory to agents over the model context protocol.",
    examples=(
        "memfs mcp",
        "memfs mcp --store ~/work/datasync",
        "memfs mcp --http --port 8765",
    ),
)
@click.option("--http", "is_http", is_flag=True, help="Listen on this machine's loopback address.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Port for --http; 0 for a free one.",
)
@click.option("--no-token", is_flag=True, help="With --http: let every local program in.")
@click.option(
    "--compat", type=click.Choice(COMPATS), help="Offer the tools of another memory server instead."
)
@shared_options
def command(
    invocation: Invocation, is_http: bool, port: int, no_token: bool, compat: str | None
) -> int:
    """Serve memory to one client over standard input and output, or to local ones over HTTP.

    Clients start this themselves. The store is looked for from the project that the client
    names, or from the working directory. Whoever calls is a program: it reads what programs
    may read, and what it proposes waits like any proposal.
    """
    if no_token and not is_http:
        raise UsageError("expected --no-token together with --http")
    desk = desk_from(invocation)
    from memfs.mcp.compat.server import build_compat_server
    from memfs.mcp.server import build_server
    from memfs.mcp.transport import serve_http, serve_stdio, token_for

    server = build_compat_server(desk) if compat else build_server(desk)
    if not is_http:
        serve_stdio(server, desk.work_beside)
        return 0
    token, place = ("", "") if no_token else token_for(os.environ, desk.home)

    def announce(address: str) -> None:
        say(f"listening on {address}")
        if token:
            say(f"each request has to show the bearer token in {place}")
        else:
            say("every program on this machine can read and propose: there is no token")

    serve_http(server, desk.work_beside, port=port, token=token, announce=announce)
    return 0


def desk_from(invocation: Invocation) -> Desk:
    """Returns where the server answers from.

    Raises:
        NoProtocolError: The library of the protocol is not installed.
        UsageError: It is to serve a person.
    """
    if importlib.util.find_spec("mcp") is None:
        raise NoProtocolError(
            "expected the library of the protocol, found none",
            hint="install it: pip install 'memfs-ledger[mcp]'",
        )
    from memfs.mcp.desk import Desk, agent_named, project_folder

    return Desk(
        start=project_folder(os.environ, Path.cwd()),
        store=invocation.store,
        env=dict(os.environ),
        agent=agent_named(invocation.as_principal or ""),
    )
