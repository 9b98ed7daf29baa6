"""``memfs publish``: offers a record to another namespace."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.errors import UsageError


@click.command(
    "publish",
    cls=ExampleCommand,
    short_help="Offer a record to another namespace, which decides for itself.",
    examples=(
        "memfs publish 1z5c0d --to global",
        "memfs publish 1z5c0d --to project:website --into ~/src/website",
        "memfs publish --finish --into global",
    ),
)
@click.argument("reference", metavar="[ID]", required=False)
@click.option("--to", default="", metavar="SCOPE", help="Such as global or project:NAME.")
@click.option(
    "--into",
    default="",
    metavar="PATH",
    help="The store that owns SCOPE: a path, or global; found by SCOPE where it can be.",
)
@click.option("--finish", is_flag=True, help="Deliver what was stopped on its way.")
@shared_options
def command(invocation: Invocation, reference: str | None, to: str, into: str, finish: bool) -> int:
    """Offer the record ID to another namespace.

    It becomes a candidate there, with its restrictions and a pointer to where it comes from;
    whoever decides there decides on it like on anything else. The record stays as it is.
    """
    if finish and (reference or to):
        raise UsageError("expected a record or --finish, got both")
    if not finish and not (reference and to):
        raise UsageError("expected a record and --to SCOPE", hint="memfs publish ID --to global")
    with invocation.open() as memory:
        if finish or not reference:
            result = memory.finish_publications(into=into)
        else:
            result = memory.publish(reference, to, into=into)
    return respond(invocation, result)
