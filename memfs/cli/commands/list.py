"""``memfs list``: records, newest first."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.query_options import moment_options
from memfs.cli.respond import say_trouble
from memfs.cli.terminal import say, write, write_json
from memfs.cli.text import list_lines
from memfs.cli.values import record_value


@click.command("list", short_help="List records, newest first.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="May be repeated.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="All of them must be there.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="At most so many records; 0 for all.",
)
@moment_options
@shared_options
def command(
    invocation: Invocation,
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    limit: int,
    valid_at: str,
    as_of: str,
) -> int:
    """List what memory holds, newest first."""
    with invocation.open() as memory:
        found = memory.list_records(
            kinds=kinds,
            tags=tags,
            limit=limit + 1 if limit else 0,
            valid_at=valid_at,
            as_of=as_of,
        )
        say_trouble(memory.trouble_beside)
    records = found[:limit] if limit else found
    if invocation.is_json:
        write_json([record_value(stored) for stored in records])
    elif records:
        write(list_lines(records))
    else:
        say("no record is like that" if kinds or tags else "memory is empty here")
    if len(records) < len(found):
        say(f"the newest {limit} are shown; --limit 0 lists all")
    return 0
