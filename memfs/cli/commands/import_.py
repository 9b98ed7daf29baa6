"""``memfs import``: memory that another system kept."""

from __future__ import annotations

from pathlib import Path

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command(
    "import",
    cls=ExampleCommand,
    short_help="Import memory that another system kept.",
    examples=(
        "memfs import ~/notes --dry-run",
        "memfs import memory.jsonl --accept",
    ),
)
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--format",
    "format_name",
    default="auto",
    show_default=True,
    help="agent-memory, markdown-notes, knowledge-graph, node-json, conversation or tracker.",
)
@click.option("--accept", is_flag=True, help="Accept the whole batch in one commit.")
@click.option("--dry-run", is_flag=True, help="Show what would be imported; write nothing.")
@shared_options
def command(
    invocation: Invocation, path: Path, format_name: str, accept: bool, dry_run: bool
) -> int:
    """Import the memory at PATH, a file or a folder.

    What is imported waits in the inbox, unverified, each item with the file it comes
    from. Importing the same again changes nothing. The source is never modified.
    """
    with invocation.open() as memory:
        result = memory.import_path(path, format_name=format_name, accept=accept, dry_run=dry_run)
    return respond(invocation, result)
