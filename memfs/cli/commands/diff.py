"""``memfs diff``: two versions of one record."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import printable, say, write, write_json


@click.command("diff", short_help="Compare two versions of a record.")
@click.argument("reference", metavar="ID")
@click.argument("older", required=False, type=click.IntRange(1))
@click.argument("newer", required=False, type=click.IntRange(1))
@shared_options
def command(invocation: Invocation, reference: str, older: int | None, newer: int | None) -> int:
    """Compare version OLDER of the record ID with version NEWER; by default the last two."""
    with invocation.open() as memory:
        difference = memory.diff(reference, older, newer)
    if invocation.is_json:
        write_json({"reference": reference, "diff": difference})
    elif difference:
        write(printable(difference, keep_lines=True))
    else:
        say("no difference")
    return 0
