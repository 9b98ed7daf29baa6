"""``memfs memory-context``: a packet of what a role remembers, for one of four readers."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.roles.options import role_option
from memfs.cli.terminal import say, say_spent, write_json


@click.command(
    "memory-context",
    cls=ExampleCommand,
    short_help="Give a reader the part of a role's memory that is for them.",
    examples=(
        "memfs memory-context --as agent:builder",
        "memfs memory-context --role builder --kind repo --budget 24",
        "memfs memory-context --kind coordinator",
    ),
)
@role_option
@click.option(
    "--kind",
    type=click.Choice(("repo", "role", "public", "coordinator")),
    default="role",
    show_default=True,
    help="Who it is for.",
)
@click.option(
    "--budget",
    type=int,
    metavar="CARDS",
    help="Cards at most, of all sorts together; 12 by default, never above 64.",
)
@click.option(
    "--include-retired", is_flag=True, help="What was put aside, and what contradicts, too."
)
@shared_options
def command(
    invocation: Invocation, *, role: str, kind: str, budget: int | None, include_retired: bool
) -> int:
    """Give the part of a role's memory that is for one reader, within a budget of cards.

    repo is for work on a project, role for the role at work, public for whoever speaks for it,
    coordinator for whoever looks after roles (without --role: after all that you may see). What
    it says is data and permits nothing; warnings say what to look at before you rely on it.
    """
    with invocation.open() as memory:
        packet = memory.role_context(
            role, kind=kind, budget=budget, include_retired=include_retired
        )
    if invocation.is_json:
        from memfs.domains.roles.packets.packet_words import packet_value

        write_json(packet_value(packet))
    elif packet.text:
        click.echo(packet.text, nl=False)
    else:
        say("there is nothing in it that you may see")
    say_spent(packet.reason)
    return 0
