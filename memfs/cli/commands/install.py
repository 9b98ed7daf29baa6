"""``memfs install``: puts memfs into the configuration of a coding agent."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.install_text import respond_installed
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import columns, printable, say, write, write_json

if TYPE_CHECKING:
    from memfs.agents.install.planning import Standing

CLIENTS = ("claude", "codex", "cursor", "gemini", "antigravity", "opencode", "git")
PARTS = ("hooks", "server", "instructions", "skill")


@click.command(
    "install",
    cls=ExampleCommand,
    short_help="Let a coding agent use memfs.",
    examples=(
        "memfs install claude --dry-run",
        "memfs install codex --user",
        "memfs install cursor --without instructions",
    ),
)
@click.argument("client", required=False, type=click.Choice(CLIENTS))
@click.option(
    "--project",
    "scope",
    flag_value="project",
    default="project",
    help="For this project; the default.",
)
@click.option("--user", "scope", flag_value="user", help="For every project of this account.")
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@click.option("--diff", "with_diff", is_flag=True, help="Show what changes in each file.")
@click.option(
    "--without",
    multiple=True,
    type=click.Choice(PARTS),
    help="Leave a part out; may be repeated.",
)
@click.option("--program", default="", metavar="PATH", help="What runs memfs, if not on the PATH.")
@click.option("--force", is_flag=True, help="Replace what was edited by hand; a copy is kept.")
@shared_options
def command(
    invocation: Invocation,
    client: str | None,
    scope: str,
    dry_run: bool,
    with_diff: bool,
    without: tuple[str, ...],
    program: str,
    force: bool,
) -> int:
    """Put memfs into the configuration of CLIENT; without CLIENT, list what is installed.

    Hooks bring memory to the agent, the protocol server gives it tools, a block in its
    instructions and a skill tell it how. Everything else in the files stays as it is, and
    a file that does not parse is left alone. 'memfs doctor' then tries each command.
    """
    if client is None:
        return _list(invocation)
    if client == "git":
        from memfs.app.store_hooks import install_git

        result = install_git(
            start=Path.cwd(), explicit=invocation.store, env=os.environ, dry_run=dry_run
        )
    else:
        from memfs.agents.install.shelf import InstallScope
        from memfs.agents.install.texts import Part
        from memfs.app.installing import install_client

        result = install_client(
            client,
            InstallScope(scope),
            start=Path.cwd(),
            env=os.environ,
            program=program,
            without=tuple(map(Part, without)),
            dry_run=dry_run,
            force=force,
        )
    return respond_installed(invocation, result, with_diff=dry_run or with_diff)


def _list(invocation: Invocation) -> int:
    """Lists for which clients memfs is installed, and where."""
    from memfs.app.installing import installed

    found = [
        (item.client, str(item.scope), str(path), parts)
        for item, things in installed(Path.cwd(), os.environ)
        for path, parts in _by_file(things)
    ]
    if invocation.is_json:
        keys = ("client", "scope", "path", "parts")
        write_json([dict(zip(keys, row, strict=True)) for row in found])
    elif found:
        rows = [(client, scope, path, ", ".join(parts)) for client, scope, path, parts in found]
        write(columns([tuple(map(printable, row)) for row in rows]))
    else:
        say(f"installed for no client; there are: {', '.join(CLIENTS)}")
    return 0


def _by_file(things: Iterable[Standing]) -> Iterable[tuple[Path, list[str]]]:
    parts: dict[Path, list[str]] = {}
    for thing in things:
        names = parts.setdefault(thing.path, [])
        if str(thing.found.part) not in names:
            names.append(str(thing.found.part))
    return parts.items()
