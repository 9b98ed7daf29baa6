"""``memfs correct``: a new version of one record."""

from __future__ import annotations

import click

from memfs.cli.claim_options import text_or_stdin
from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command(
    "correct",
    cls=ExampleCommand,
    short_help="Replace what a record says by a new version.",
    examples=('memfs correct 1z5c0d "FastAPI for services, Typer for tools"',),
)
@click.argument("reference", metavar="ID")
@click.argument("text", required=False)
@shared_options
def command(invocation: Invocation, reference: str, text: str | None) -> int:
    """Replace what the record ID says by TEXT (or stdin).

    It becomes the next version in the same file; the old one stays in git log.
    """
    words = text_or_stdin(text)
    with invocation.open() as memory:
        result = memory.correct(reference, words)
    return respond(invocation, result)
