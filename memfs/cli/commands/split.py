"""``memfs split``: one record that means two things becomes two."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command(
    "split",
    cls=ExampleCommand,
    short_help="Make one entity, or one note, two.",
    examples=(
        'memfs split Mercury --into "Mercury (planet)" --section Astronomy',
        "memfs split 1z5c0d --into Billing --edge 7k2m9q",
        'memfs split --undo "Mercury (planet)"',
    ),
)
@click.argument("name", metavar="NAME")
@click.option("--into", "title", default="", metavar="NAME", help="What the second is called.")
@click.option("--text", default="", metavar="TEXT", help="Words of the first that move.")
@click.option("--section", default="", metavar="HEADING", help="A section that moves.")
@click.option("--summary", default="", metavar="TEXT", help="The summary of the second.")
@click.option("--abstract", default="", metavar="TEXT", help="The abstract of the second.")
@click.option("--type", "entity_type", default="", metavar="TYPE", help="What sort the second is.")
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="A name that moves.")
@click.option("--attribute", "attributes", multiple=True, metavar="KEY", help="One that moves.")
@click.option(
    "--edge", "edges", multiple=True, metavar="ID", help="One that moves; else all are at both."
)
@click.option("--reason", "why", default="", metavar="WORD", help="Why, kept in the commit.")
@click.option("--undo", "is_undone", is_flag=True, help="Take the split of a record back.")
@shared_options
def command(
    invocation: Invocation,
    name: str,
    title: str,
    text: str,
    section: str,
    summary: str,
    abstract: str,
    entity_type: str,
    aliases: tuple[str, ...],
    attributes: tuple[str, ...],
    edges: tuple[str, ...],
    why: str,
    is_undone: bool,
) -> int:
    """Make the record NAME two: it keeps its id, and the second is linked to it.

    Every edge is drawn at both, unless --edge names those that move. Both keep the abstract. What
    moves stood in the first word for word. With --undo the second gives way to the first again.
    """
    if bool(title) == is_undone:
        raise click.UsageError("expected either --into NAME or --undo")
    with invocation.open() as memory:
        if is_undone:
            return respond(invocation, memory.unsplit(name))
        result = memory.split(
            name,
            title,
            why=why,
            text=text,
            section=section,
            summary=summary,
            abstract=abstract,
            entity_type=entity_type,
            aliases=aliases,
            attributes=attributes,
            edges=edges,
        )
    return respond(invocation, result)
