"""``memfs unrelate``: take away how one thing bears on another."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command(
    "unrelate",
    cls=ExampleCommand,
    short_help="Take an edge away, at both its ends.",
    examples=(
        'memfs unrelate "sync service" postgres uses',
        "memfs unrelate edge_01kb8x3v6y0000000000000042",
    ),
)
@click.argument("start", metavar="A")
@click.argument("end", metavar="[B]", default="")
@click.argument("relation", default="")
@shared_options
def command(invocation: Invocation, start: str, end: str, relation: str) -> int:
    """Take the edge between A and B away; both stay as they are.

    With several edges between them RELATION names the one; A alone is the id of an edge. It is an
    error where there is none. Undo it with memfs restore.
    """
    with invocation.open() as memory:
        result = memory.unrelate(start, end, relation=relation)
    return respond(invocation, result)
