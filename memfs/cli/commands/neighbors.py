"""``memfs neighbors``: what lies around a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import say_trouble
from memfs.cli.terminal import say, write, write_json
from memfs.cli.walk_options import reach_options, walk_options

if TYPE_CHECKING:
    from memfs.app.walking import WalkOptions


@click.command(
    "neighbors",
    cls=ExampleCommand,
    short_help="List what lies around a record or an entity.",
    examples=("memfs neighbors Heron", "memfs neighbors Heron --hops 1 --sort asserted"),
)
@click.argument("reference", metavar="REF")
@reach_options
@walk_options
@shared_options
def command(
    invocation: Invocation, reference: str, hops: int, limit: int, options: WalkOptions
) -> int:
    """List what lies around REF, nearest first, with how it is linked.

    REF is an id, the end of one, a file, or the name of an entity. Links are followed in both
    directions; what is built in, such as evidence and mentions, stands in brackets.
    """
    from memfs.cli.graph_text import neighbor_lines, surroundings_value

    with invocation.open() as memory:
        around = memory.neighbors(reference, hops=hops, limit=limit, **options)
        say_trouble(memory.trouble_beside)
    if invocation.is_json:
        write_json(surroundings_value(around))
    elif around.nodes:
        write(neighbor_lines(around))
    else:
        say("nothing is linked to it")
    if around.is_cut:
        say("there is more; --limit shows more of it")
    return 0
