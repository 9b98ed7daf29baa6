"""``memfs correct``: a new version of one record."""

from __future__ import annotations

import click

from memfs.cli.claim_options import text_or_stdin, time_options
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
@time_options
@shared_options
def command(
    invocation: Invocation,
    reference: str,
    text: str | None,
    valid_from: str,
    valid_until: str,
    event_time: str,
) -> int:
    """Replace what the record ID says by TEXT (or stdin).

    It becomes the next version in the same file; the old one stays in git log.
    """
    words = text_or_stdin(text)
    with invocation.open() as memory:
        result = memory.correct(
            reference,
            words,
            valid_from=valid_from,
            valid_until=valid_until,
            event_time=event_time,
        )
    return respond(invocation, result)
