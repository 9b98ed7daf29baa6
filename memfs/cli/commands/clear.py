"""``memfs clear``: serve a namespace again that was marked as polluted."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command("clear", short_help="Serve a polluted namespace again.")
@click.argument("scope", metavar="SCOPE")
@shared_options
def command(invocation: Invocation, scope: str) -> int:
    """Lift the mark on SCOPE once what was wrong in it is repaired. Only a person does."""
    with invocation.open() as memory:
        result = memory.clear(scope)
    return respond(invocation, result)
