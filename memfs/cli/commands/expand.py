"""``memfs expand``: a record with what lies around it."""

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
    "expand",
    cls=ExampleCommand,
    short_help="Show a record with what lies around it.",
    examples=("memfs expand Heron --hops 2",),
)
@click.argument("reference", metavar="REF")
@reach_options
@walk_options
@shared_options
def command(
    invocation: Invocation, reference: str, hops: int, limit: int, options: WalkOptions
) -> int:
    """Show REF whole, and what lies around it: whole inside, in short on the last step.

    REF is an id, the end of one, a file, or the name of an entity.
    """
    from memfs.cli.graph_text import expansion_counts, expansion_text, expansion_value

    with invocation.open() as memory:
        found = memory.expand(reference, hops=hops, limit=limit, **options)
        say_trouble(memory.trouble_beside)
    if invocation.is_json:
        write_json(expansion_value(found))
    else:
        write(expansion_text(found))
        say(expansion_counts(found))
    if found.around.is_cut:
        say("there is more; --limit shows more of it")
    return 0
