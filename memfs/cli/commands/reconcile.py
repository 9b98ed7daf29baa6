"""``memfs reconcile``: drift between files and ledger."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command("reconcile", short_help="Find edits made outside memfs and put them up for review.")
@shared_options
def command(invocation: Invocation) -> int:
    """Compare working files and branch with the ledger; what differs goes up for review.

    No file is changed, and nothing of what is found is served before it is accepted.
    """
    with invocation.open() as memory:
        result = memory.reconcile()
    return respond(invocation, result)
