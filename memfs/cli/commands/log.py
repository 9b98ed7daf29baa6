"""``memfs log``: the ledger in words."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import say, write, write_json
from memfs.cli.text import log_lines
from memfs.cli.values import operation_value


@click.command(
    "log",
    cls=ExampleCommand,
    short_help="Tell what was done to the store, by whom and when.",
    examples=("memfs log", "memfs log --since yesterday --limit 0"),
)
@click.option("--since", default="", metavar="WHEN", help="At or after this moment.")
@click.option("--until", default="", metavar="WHEN", help="Before this moment.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="At most so many operations; 0 for all.",
)
@shared_options
def command(invocation: Invocation, since: str, until: str, limit: int) -> int:
    """Tell what was done to the store, newest first.

    What was forgotten since, or is withheld, is told by the end of its id alone.
    """
    with invocation.open() as memory:
        found = memory.log(limit=limit + 1 if limit else 0, since=since, until=until)
    shown = found[:limit] if limit else found
    if invocation.is_json:
        write_json([operation_value(item) for item in shown])
    else:
        write(log_lines(shown))
    if len(shown) < len(found):
        say(f"the newest {limit} are shown; --limit 0 lists all")
    return 0
