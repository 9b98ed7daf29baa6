"""``memfs forget``: remove records, or a source, for good."""

from __future__ import annotations

import click

from memfs.cli.confirm_reach import is_confirmed
from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command(
    "forget",
    cls=ExampleCommand,
    short_help="Remove records for good, and keep them from coming back.",
    examples=("memfs forget 1z5c0d", "memfs forget 1z5c0d 8qk2vw --reason moved-house"),
)
@click.argument("references", metavar="ID...", nargs=-1, required=True)
@click.option("--reason", "why", default="", metavar="WORD", help="Why, kept in the commit.")
@shared_options
def command(invocation: Invocation, references: tuple[str, ...], why: str) -> int:
    """Remove the records ID from the ledger and withhold what rests on them.

    A tombstone without content keeps them from coming back. The ID of a source (ev_…, ex_…)
    deletes the source and what was learned from it alone; the ID of a memory leaves its source.
    Earlier versions stay in Git history until memfs erase.
    """
    with invocation.open() as memory:
        if not is_confirmed(invocation, memory, references, "forget"):
            return 1
        result = memory.forget(references, why=why)
    return respond(invocation, result)
