"""``memfs init``: makes a store."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.terminal import say
from memfs.model.result import ResultStatus

_HINT = 'hint: memfs remember "…" · memfs import PATH · memfs install claude (or another agent)'


@click.command(
    "init",
    cls=ExampleCommand,
    short_help="Make a store for this project.",
    examples=(
        "memfs init",
        "memfs init --project datasync",
        "memfs init --scripted --as user:ana --yes",
    ),
)
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option("--project", default="", metavar="NAME", help="The folder's name by default.")
@click.option("--home", is_flag=True, help="Make the store of what is not one project's.")
@click.option(
    "--scripted",
    is_flag=True,
    help="Let scripts act for a person here (--as user:NAME --yes). For demos and automation.",
)
@shared_options
def command(
    invocation: Invocation, folder: Path | None, project: str, home: bool, scripted: bool
) -> int:
    """Make a store for the project in FOLDER (here by default).

    The store is the folder .memfs, a Git repository of its own that the project's Git
    does not see. Running init again changes nothing that is there.
    """
    from memfs.app.container import init_store

    result = init_store(
        folder=folder or Path.cwd(),
        explicit=invocation.store,
        project=project,
        is_home=home,
        is_scripted=scripted,
        env=os.environ,
        as_principal=invocation.as_principal,
        yes=invocation.yes,
        stdin_tty=sys.stdin.isatty(),
        stdout_tty=sys.stdout.isatty(),
    )
    status = respond(invocation, result)
    if result.status is ResultStatus.DONE and not invocation.is_json:
        say(_HINT)
    return status
