"""``memfs resolve``: says which side of a conflict stays."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command(
    "resolve",
    cls=ExampleCommand,
    short_help="Say which side of a conflict stays.",
    examples=('memfs resolve 7k2m9q --keep 1z5c0d --note "the release notes say so"',),
)
@click.argument("reference", metavar="CONFLICT")
@click.option("--keep", "keep", multiple=True, required=True, metavar="ID", help="May be repeated.")
@click.option("--note", default="", metavar="TEXT", help="Why; kept with the conflict.")
@click.option(
    "--retract", "is_retracted", is_flag=True, help="Take the others back: they were wrong."
)
@shared_options
def command(
    invocation: Invocation, reference: str, keep: tuple[str, ...], note: str, is_retracted: bool
) -> int:
    """Keep the sides that --keep names; the others are replaced by them.

    Only a person can. The earlier wording stays in the history of its file.
    """
    with invocation.open() as memory:
        result = memory.resolve(reference, keep, note=note, is_retracted=is_retracted)
    return respond(invocation, result)
