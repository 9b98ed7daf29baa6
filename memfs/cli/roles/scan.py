"""``memfs role scan``: read the project off its files into what a role remembers of it."""

from __future__ import annotations

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.roles.options import role_option


@click.command(
    "scan",
    cls=ExampleCommand,
    short_help="Read how the project is built, without running any of it.",
    examples=("memfs role scan --as agent:builder", "memfs role scan --role builder --dry-run"),
)
@click.option(
    "--propose",
    type=click.IntRange(0, 64),
    default=None,
    metavar="N",
    help="How many claims may wait for review, 0 to 64; 12 by default.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would be written.")
@role_option
@shared_options
def command(invocation: Invocation, *, propose: int | None, dry_run: bool, role: str) -> int:
    """Read how the project is built and what flows in it, without running any of it.

    Each claim names the digests of the files that it was read off. Scanning again brings up what
    changed and marks what nothing shows any more as stale. A few claims wait in the inbox: a
    person alone accepts one.
    """
    with invocation.open() as memory:
        result = memory.scan_project(role, propose=propose, is_dry=dry_run)
    return respond(invocation, result)
