"""``memfs git-log``: commits of the project."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.session_values import commit_value
from memfs.cli.terminal import columns, printable, say, write, write_json
from memfs.cli.text import day

SHORT = 10


@click.command(
    "git-log",
    cls=ExampleCommand,
    short_help="List commits of the project.",
    examples=('memfs git-log --since "2 days ago" --path src',),
)
@click.option("--since", default="", metavar="WHEN", help="Committed then or later.")
@click.option("--until", default="", metavar="WHEN", help="Committed before then.")
@click.option("--path", default="", metavar="PATH", help="Only what changed this file or folder.")
@click.option("--limit", type=click.IntRange(1, 500), default=50, metavar="N", show_default=True)
@shared_options
def command(invocation: Invocation, since: str, until: str, path: str, limit: int) -> int:
    """List commits of the project that the store belongs to, the newest first.

    What an agent needs of git log, bounded and read only; an agent gets no line that holds a
    secret.
    """
    with invocation.open() as memory:
        found = memory.project_log(since=since, until=until, path=path, limit=limit)
    if invocation.is_json:
        write_json([commit_value(commit) for commit in found])
    elif found:
        write(
            columns(
                (item.id[:SHORT], day(item.at), printable(item.author), printable(item.subject))
                for item in found
            )
        )
    else:
        say("no commit")
    return 0
