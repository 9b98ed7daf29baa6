"""``memfs show``: one record as a page, or its bytes."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import write, write_json
from memfs.cli.text import record_page
from memfs.cli.values import record_value


@click.command("show", short_help="Show one record.")
@click.argument("reference", metavar="ID")
@shared_options
def command(invocation: Invocation, reference: str) -> int:
    """Show the record ID: what it says, where it comes from, and its file.

    ID is a whole id, its last six characters, or a version such as mem_…@1.
    """
    with invocation.open() as memory:
        stored = memory.show(reference)
    if invocation.is_json:
        write_json(record_value(stored))
    else:
        write(record_page(stored))
    return 0
