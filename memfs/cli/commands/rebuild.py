"""``memfs rebuild``: the search index, made anew."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command("rebuild", short_help="Make the search index anew from the ledger.")
@shared_options
def command(invocation: Invocation) -> int:
    """Throw the search index away and make it anew from the ledger."""
    with invocation.open() as memory:
        result = memory.rebuild()
    return respond(invocation, result)
