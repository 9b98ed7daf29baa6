"""``memfs role ruminate``: going over what a role took from conversations, without settling it."""

from __future__ import annotations

from typing import BinaryIO

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.roles.options import role_option


@click.command(
    "ruminate",
    cls=ExampleCommand,
    short_help="Go over short-term memory, and change nothing else.",
    examples=(
        "memfs role ruminate --as agent:builder",
        "memfs role ruminate --role builder thoughts.jsonl",
    ),
)
@click.argument("script", metavar="[FILE]", type=click.File("rb"), required=False)
@role_option
@shared_options
def command(invocation: Invocation, *, script: BinaryIO | None, role: str) -> int:
    """Go over short-term memory: what says the same becomes one; new thoughts are taken in.

    FILE holds proposals, one typed operation a line; without it memfs goes by its rules. A
    proposal that writes anything but short-term memory is refused, and the receipt says so.
    """
    proposals = script.read() if script is not None else None
    with invocation.open() as memory:
        result = memory.ruminate(role, script=proposals)
    return respond(invocation, result)
