"""``memfs role show``: all of a role's memory in one look."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.roles.options import role_option
from memfs.cli.terminal import write, write_json


@click.command(
    "show",
    cls=ExampleCommand,
    short_help="Show all of a role's memory in one look.",
    examples=("memfs role show --role builder", "memfs role show --role builder --all --json"),
)
@role_option
@click.option("--all", "is_all", is_flag=True, help="What was put aside, too, one by one.")
@shared_options
def command(invocation: Invocation, *, role: str, is_all: bool) -> int:
    """Show what a role took in, what lasts and where from, what ripens, presses and may be said.

    How each memory stands is found now. Receipts are shown to a person.
    """
    with invocation.open() as memory:
        view = memory.show_role(role, is_all=is_all)
    if invocation.is_json:
        from memfs.domains.roles.packets.operator_view import view_value

        write_json(view_value(view))
    else:
        from memfs.cli.role_text import view_page

        write(view_page(view))
    return 0
