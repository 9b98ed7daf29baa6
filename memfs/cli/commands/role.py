"""``memfs role``: what a role does with its memory as a whole."""

from __future__ import annotations

import click

from memfs.cli.roles import nap, ruminate, scan, show, sleep, summarize


@click.group("role", short_help="Look after what a role remembers.")
def command() -> None:
    """Look after what a role remembers.

    An agent looks after its own memory; a person names a role with --role and looks after any.
    Single changes are made by memfs memory-apply-operation.
    """


for _module in (show, sleep, nap, ruminate, summarize, scan):
    command.add_command(_module.command)
