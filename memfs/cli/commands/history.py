"""``memfs history``: the operations on one record."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import say, write, write_json
from memfs.cli.text import history_lines
from memfs.cli.values import commit_value


@click.command("history", short_help="List the operations on a record.")
@click.argument("reference", metavar="ID")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="At most so many operations; 0 for all.",
)
@shared_options
def command(invocation: Invocation, reference: str, limit: int) -> int:
    """List the operations on the record ID, newest first, with who did each."""
    with invocation.open() as memory:
        found = memory.history(reference)
    commits = found[:limit] if limit else found
    if invocation.is_json:
        write_json([commit_value(commit) for commit in commits])
    else:
        write(history_lines(commits))
    if len(commits) < len(found):
        say(f"the newest {limit} of {len(found)} are shown; --limit 0 lists all")
    return 0
