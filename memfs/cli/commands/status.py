"""``memfs status``: what the store holds and what waits."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command("status", short_help="Tell what the store holds and what waits.")
@shared_options
def command(invocation: Invocation) -> int:
    """Tell where the store is, what it holds, what waits, and whether all is well."""
    with invocation.open() as memory:
        result = memory.status()
    return respond(invocation, result)
