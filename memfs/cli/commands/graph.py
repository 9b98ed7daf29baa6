"""``memfs graph``: a picture of what lies around a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import say_trouble
from memfs.cli.terminal import is_terminal, say, write, write_json
from memfs.cli.walk_options import reach_options, walk_options

if TYPE_CHECKING:
    from memfs.app.walking import WalkOptions
    from memfs.domains.graph.surroundings import Surroundings

_FORMATS = ("tree", "mermaid", "dot", "json")


@click.command(
    "graph",
    cls=ExampleCommand,
    short_help="Draw what lies around a record or an entity.",
    examples=("memfs graph --around Heron", "memfs graph --around Heron --format dot"),
)
@click.option(
    "--around",
    "reference",
    required=True,
    metavar="REF",
    help="An id, the end of one, a file, or the name of an entity.",
)
@click.option(
    "--format",
    "picture",
    type=click.Choice(_FORMATS),
    default="tree",
    show_default=True,
    help="What the picture is written in.",
)
@reach_options
@walk_options
@shared_options
def command(
    invocation: Invocation,
    reference: str,
    picture: str,
    hops: int,
    limit: int,
    options: WalkOptions,
) -> int:
    """Draw the graph around a record: as a tree, for Mermaid or Graphviz, or as data.

    What somebody asserted is drawn solid, what is only built in, such as evidence, is dashed.
    """
    with invocation.open() as memory:
        if picture == "tree":
            around = memory.neighbors(reference, hops=hops, limit=limit, **options)
            drawn = ""
        else:
            drawn = memory.graph_around(
                reference, picture=picture, hops=hops, limit=limit, **options
            )
        say_trouble(memory.trouble_beside)
    if picture != "tree":
        if invocation.is_json and picture != "json":
            write_json({"format": picture, "text": drawn})
        else:
            write(drawn)
        return 0
    _write_tree(invocation, around)
    return 0


def _write_tree(invocation: Invocation, around: Surroundings) -> None:
    from memfs.cli.graph_text import graph_tree, surroundings_value, tree_text

    if invocation.is_json:
        write_json(surroundings_value(around))
    elif is_terminal():
        from rich.console import Console  # nobody else needs it

        Console(highlight=False).print(graph_tree(around))
    else:
        write(tree_text(around))
    if around.is_cut:
        say("there is more; --limit shows more of it")
