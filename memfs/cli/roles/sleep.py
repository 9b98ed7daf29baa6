"""``memfs role sleep``: settling everything that a role took from conversations."""

from __future__ import annotations

from typing import BinaryIO

import click

from memfs.app.role_minds import MODEL, RULES
from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.roles.options import key_option, role_option
from memfs.errors import UsageError


@click.command(
    "sleep",
    cls=ExampleCommand,
    short_help="Settle all short-term memory, with an account.",
    examples=(
        "memfs role sleep --as agent:builder",
        "memfs role sleep --role builder night.jsonl",
    ),
)
@click.argument("script", metavar="[FILE]", type=click.File("rb"), required=False)
@role_option
@key_option
@click.option(
    "--model", "is_model", is_flag=True, help="Let the configured model propose, before the rules."
)
@shared_options
def command(
    invocation: Invocation, *, script: BinaryIO | None, role: str, key: str, is_model: bool
) -> int:
    """Settle everything that is open: learned for good, ripening, or let go with the reason.

    FILE holds proposals, one typed operation a line; without it memfs goes by its rules. All of it
    is one commit. A sleep that leaves a short-term memory unaccounted for fails, and so does one
    that does nothing while there are some: then nothing is changed.
    """
    if is_model and script is not None:
        raise UsageError("expected a script or --model, got both")
    proposals = script.read() if script is not None else None
    mind = MODEL if is_model else RULES
    with invocation.open() as memory:
        result = memory.sleep_role(role, script=proposals, mind=mind, key=key)
    return respond(invocation, result)
