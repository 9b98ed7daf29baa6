"""``memfs restore``: serve a retracted record again."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command("restore", short_help="Serve a retracted record again.")
@click.argument("reference", metavar="ID")
@shared_options
def command(invocation: Invocation, reference: str) -> int:
    """Serve the retracted record ID again, and what rests on it.

    It is compared with what stands now, like a new statement. What was forgotten never comes
    back.
    """
    with invocation.open() as memory:
        result = memory.restore(reference)
    return respond(invocation, result)
