"""``memfs role nap``: making one of what says the same, and the moves that time makes."""

from __future__ import annotations

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond, respond_all
from memfs.cli.roles.options import role_option
from memfs.errors import UsageError


@click.command("nap", short_help="Put together what is alike, and keep the rest.")
@role_option
@click.option(
    "--due",
    "is_due",
    is_flag=True,
    help="Let every role rest that is due: a sleep at night, else a nap. For your own scheduler.",
)
@shared_options
def command(invocation: Invocation, role: str, is_due: bool) -> int:
    """Put together what says the same, and make the moves that time makes; keep the rest."""
    if is_due and role:
        raise UsageError("expected a role or those that are due, got both")
    with invocation.open() as memory:
        if not is_due:
            return respond(invocation, memory.nap_role(role))
        results = memory.rest_due_roles()
    return respond_all(invocation, results, nothing="no role is due")
