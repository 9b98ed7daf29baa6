"""``memfs revoke``: take a grant back."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command("revoke", short_help="Take a grant back, at once.")
@click.argument("reference", metavar="GRANT")
@shared_options
def command(invocation: Invocation, reference: str) -> int:
    """Take GRANT back: its id, or the last six characters of it.

    What was read by it before has been read; the next question is answered without it.
    """
    with invocation.open() as memory:
        result = memory.revoke(reference)
    return respond(invocation, result)
