"""``memfs role summarize``: bringing the summaries of a role up to what it remembers now."""

from __future__ import annotations

from typing import BinaryIO

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.roles.options import key_option, role_option


@click.command(
    "summarize",
    cls=ExampleCommand,
    short_help="Bring the summaries of a role up to date.",
    examples=(
        "memfs role summarize --as agent:builder",
        "memfs role summarize --role builder words.jsonl",
    ),
)
@click.argument("words", metavar="[FILE]", type=click.File("rb"), required=False)
@role_option
@key_option
@shared_options
def command(invocation: Invocation, *, words: BinaryIO | None, role: str, key: str) -> int:
    """Make one summary for each target and topic of which a role remembers several things.

    FILE holds other words for summaries, one JSON object a line with target, topic and any of
    claim, question, tension and implication; they are taken where nothing is lost by them.
    """
    proposed = words.read() if words is not None else None
    with invocation.open() as memory:
        result = memory.summarize_role(role, wordings=proposed, key=key)
    return respond(invocation, result)
