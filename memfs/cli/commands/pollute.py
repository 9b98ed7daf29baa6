"""``memfs pollute``: withhold a namespace that is not to be relied on."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command(
    "pollute",
    cls=ExampleCommand,
    short_help="Withhold a namespace that is not to be relied on.",
    examples=(
        'memfs pollute project:datasync --cause "poisoned import"',
        'memfs pollute agent:scout --cause "wrote down its own guesses"',
    ),
)
@click.argument("scope", metavar="SCOPE")
@click.option("--cause", required=True, metavar="WORDS", help="Why; kept as a plain label.")
@shared_options
def command(invocation: Invocation, scope: str, cause: str) -> int:
    """Withhold everything in SCOPE, such as project:datasync, from people and programs.

    Nothing of it is served, nothing enters it and nothing is published out of it until a
    person runs memfs clear. Forgetting and retracting in it work.
    """
    with invocation.open() as memory:
        result = memory.pollute(scope, cause=cause)
    return respond(invocation, result)
