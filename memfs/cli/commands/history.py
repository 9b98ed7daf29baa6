"""``memfs history``: the operations on one record."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import write, write_json
from memfs.cli.text import history_lines
from memfs.cli.values import commit_value


@click.command("history", short_help="List the operations on a record.")
@click.argument("reference", metavar="ID")
@shared_options
def command(invocation: Invocation, reference: str) -> int:
    """List the operations on the record ID, newest first, with who did each."""
    with invocation.open() as memory:
        commits = memory.history(reference)
    if invocation.is_json:
        write_json([commit_value(commit) for commit in commits])
    else:
        write(history_lines(commits))
    return 0
