"""``memfs edit``: a record in the person's editor."""

from __future__ import annotations

import click

from memfs.cli.editor import edit_text
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command("edit", short_help="Open a record in your editor and hand in the result.")
@click.argument("reference", metavar="ID")
@shared_options
def command(invocation: Invocation, reference: str) -> int:
    """Open the record ID in $VISUAL or $EDITOR; what you save is decided at once."""
    with invocation.open() as memory:
        result = memory.edit(reference, edit_text)
    return respond(invocation, result)
