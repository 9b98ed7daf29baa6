"""``memfs role nap``: making one of what says the same, and the moves that time makes."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.roles.options import role_option


@click.command("nap", short_help="Put together what is alike, and keep the rest.")
@role_option
@shared_options
def command(invocation: Invocation, role: str) -> int:
    """Put together what says the same, and make the moves that time makes; keep the rest."""
    with invocation.open() as memory:
        result = memory.nap_role(role)
    return respond(invocation, result)
