"""``memfs similar``: what is like a record and not linked to it."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import say, write, write_json


@click.command(
    "similar",
    cls=ExampleCommand,
    short_help="List what is like a record and not linked to it yet.",
    examples=("memfs similar Heron --limit 5",),
)
@click.argument("reference", metavar="REF")
@click.option(
    "--limit",
    type=click.IntRange(1, 100),
    default=10,
    show_default=True,
    help="At most so many.",
)
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="May be repeated.")
@shared_options
def command(invocation: Invocation, reference: str, limit: int, kinds: tuple[str, ...]) -> int:
    """List what is like REF, most alike first, without what is linked to it.

    Alike is not the same: nothing is decided by it. What is less alike than nodes.similar is
    not shown.
    """
    from memfs.cli.graph_text import similar_lines, similar_value

    with invocation.open() as memory:
        found = memory.similar(reference, limit=limit, kinds=kinds)
    if invocation.is_json:
        write_json(similar_value(found))
    elif found.found:
        write(similar_lines(found))
    else:
        say("nothing is like it that is not linked to it")
    return 0
