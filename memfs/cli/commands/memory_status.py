"""``memfs memory-status``: how the memory of roles stands."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.roles.options import role_option
from memfs.cli.terminal import say, write, write_json


@click.command(
    "memory-status",
    cls=ExampleCommand,
    short_help="Tell how what roles remember stands.",
    examples=("memfs memory-status", "memfs memory-status --as agent:builder --json"),
)
@role_option
@shared_options
def command(invocation: Invocation, *, role: str) -> int:
    """Tell how what a role remembers stands: counted now, whatever the files say of themselves.

    Without a role a person is told of every role, and an agent of its own.
    """
    with invocation.open() as memory:
        found = memory.role_status(role)
    if invocation.is_json:
        from memfs.domains.roles.packets.role_status import status_value

        write_json([status_value(status) for status in found])
    elif found:
        from memfs.cli.role_text import status_page

        write("\n\n".join(map(status_page, found)))
    else:
        say("no role remembers anything that you may see")
    return 0
