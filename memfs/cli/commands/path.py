"""``memfs path``: how two records hang together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import say_trouble
from memfs.cli.terminal import say, write, write_json
from memfs.cli.walk_options import walk_options

if TYPE_CHECKING:
    from memfs.app.walking import WalkOptions


@click.command(
    "path",
    cls=ExampleCommand,
    short_help="Show how two records or entities hang together.",
    examples=("memfs path Heron Sluice",),
)
@click.argument("start", metavar="FROM")
@click.argument("end", metavar="TO")
@walk_options
@shared_options
def command(invocation: Invocation, start: str, end: str, options: WalkOptions) -> int:
    """Show a shortest way from FROM to TO; exit 1 where there is none.

    Both are an id, the end of one, a file, or the name of an entity.
    """
    from memfs.cli.graph_text import path_lines, path_value

    with invocation.open() as memory:
        found = memory.path(start, end, **options)
        say_trouble(memory.trouble_beside)
    if invocation.is_json:
        write_json(path_value(found))
    elif found.nodes:
        write(path_lines(found))
    elif found.is_cut:
        say("no way was found; a long one may be there")
    else:
        say("there is no way between them")
    return 0 if found.nodes else 1
