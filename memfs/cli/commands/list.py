"""``memfs list``: records, newest first."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import say, write, write_json
from memfs.cli.text import list_lines
from memfs.cli.values import record_value


@click.command("list", short_help="List records, newest first.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="May be repeated.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="All of them must be there.")
@click.option("--limit", type=click.IntRange(1), help="At most so many records.")
@shared_options
def command(
    invocation: Invocation, kinds: tuple[str, ...], tags: tuple[str, ...], limit: int | None
) -> int:
    """List what memory holds, newest first."""
    with invocation.open() as memory:
        records = memory.list_records(kinds=kinds, tags=tags, limit=limit or 0)
    if invocation.is_json:
        write_json([record_value(stored) for stored in records])
    elif records:
        write(list_lines(records))
    else:
        say("memory is empty here")
    return 0
