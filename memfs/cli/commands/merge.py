"""``memfs merge``: two records that mean the same become one."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command(
    "merge",
    cls=ExampleCommand,
    short_help="Make two entities, or two notes, one.",
    examples=(
        'memfs merge PostgreSQL "Postgres DB"',
        "memfs merge 1z5c0d 7k2m9q --reason duplicate",
        'memfs merge --undo "Postgres DB"',
    ),
)
@click.argument("names", nargs=-1, required=True, metavar="KEPT OTHER")
@click.option("--reason", "why", default="", metavar="WORD", help="Why, kept in the commit.")
@click.option("--undo", "is_undone", is_flag=True, help="Take the merge of a record back.")
@shared_options
def command(invocation: Invocation, names: tuple[str, ...], why: str, is_undone: bool) -> int:
    """Let OTHER give way to KEPT: its names, words and edges go with KEPT from then on.

    Both are named by id, the end of an id, file or name. The id of OTHER still finds KEPT. Nothing
    is dropped, and --undo takes it back: OTHER stands for itself again, with what was its own.
    """
    wanted = 1 if is_undone else 2
    if len(names) != wanted:
        raise click.UsageError(f"expected {wanted} names, got {len(names)}")
    with invocation.open() as memory:
        result = memory.unmerge(names[0]) if is_undone else memory.merge(*names, why=why)
    return respond(invocation, result)
