"""``memfs uninstall``: takes memfs out of the configuration of a coding agent."""

from __future__ import annotations

import os
from pathlib import Path

import click

from memfs.cli.commands.install import CLIENTS
from memfs.cli.examples import ExampleCommand
from memfs.cli.install_text import respond_installed
from memfs.cli.invocation import Invocation, shared_options


@click.command(
    "uninstall",
    cls=ExampleCommand,
    short_help="Take memfs out of a coding agent's configuration.",
    examples=("memfs uninstall claude --dry-run", "memfs uninstall codex --user"),
)
@click.argument("client", type=click.Choice(CLIENTS))
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
@shared_options
def command(invocation: Invocation, client: str, scope: str, dry_run: bool, with_diff: bool) -> int:
    """Take memfs out of the configuration of CLIENT, and nothing else.

    A file that nobody else changed since is byte for byte what it was before memfs came.
    The store and everything in it stay.
    """
    if client == "git":
        from memfs.app.store_hooks import uninstall_git

        result = uninstall_git(
            start=Path.cwd(), explicit=invocation.store, env=os.environ, dry_run=dry_run
        )
    else:
        from memfs.agents.install.shelf import InstallScope
        from memfs.app.installing import uninstall_client

        result = uninstall_client(
            client, InstallScope(scope), start=Path.cwd(), env=os.environ, dry_run=dry_run
        )
    return respond_installed(invocation, result, with_diff=dry_run or with_diff)
