"""``memfs grant``: open part of the store to someone, for a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond

if TYPE_CHECKING:
    from memfs.app.granting import GrantOptions


@click.command(
    "grant",
    cls=ExampleCommand,
    short_help="Let someone read part of the store, for a time.",
    examples=(
        "memfs grant agent:claude --scope task:migration --days 7",
        "memfs grant user:linda --scope global --class clinical --field name --purpose referral",
    ),
)
@click.argument("grantee", metavar="WHO")
@click.option(
    "--scope", "scopes", multiple=True, required=True, metavar="SCOPE", help="Repeatable."
)
@click.option("--class", "record_classes", multiple=True, metavar="CLASS", help="Of this class.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Records of this kind.")
@click.option(
    "--field", "shown_fields", multiple=True, metavar="NAME", help="Show this field, and no other."
)
@click.option("--purpose", "purposes", multiple=True, metavar="LABEL", help="For this alone.")
@click.option(
    "--to",
    "sinks",
    multiple=True,
    type=click.Choice(("person", "agent", "export", "remote")),
    help="Where the text may go; person and agent by default.",
)
@click.option(
    "--clearance",
    default="normal",
    show_default=True,
    type=click.Choice(("public", "normal", "confidential", "secret")),
    help="The most sensitive that it opens.",
)
@click.option("--from", "begins", default="", metavar="WHEN", help="It begins then.")
@click.option("--until", default="", metavar="WHEN", help="It ends then.")
@click.option("--days", type=click.IntRange(1, 3650), help="It ends after so many days; 30.")
@shared_options
def command(invocation: Invocation, grantee: str, **options: Unpack[GrantOptions]) -> int:
    """Let WHO, such as agent:claude, read what the options name.

    A class of records is opened by its name alone. A grant ends, and memfs revoke ends it at
    once. Only a person grants.
    """
    with invocation.open() as memory:
        result = memory.grant(grantee, **options)
    return respond(invocation, result)
