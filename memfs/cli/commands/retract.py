"""``memfs retract``: take a record back that was wrong."""

from __future__ import annotations

import click

from memfs.cli.confirm_reach import is_confirmed
from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command(
    "retract",
    cls=ExampleCommand,
    short_help="Take a record back that was wrong; it can be restored.",
    examples=("memfs retract 1z5c0d --reason outdated",),
)
@click.argument("reference", metavar="ID")
@click.option("--reason", "why", default="", metavar="WORD", help="Why, kept in the commit.")
@shared_options
def command(invocation: Invocation, reference: str, why: str) -> int:
    """Take the record ID back and withhold what rests on it.

    What is still supported without it is served again at once. Undo it with memfs restore.
    """
    with invocation.open() as memory:
        if not is_confirmed(invocation, memory, (reference,), "take back"):
            return 1
        result = memory.retract(reference, why=why)
    return respond(invocation, result)
