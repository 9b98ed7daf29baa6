"""``memfs propose``: suggests one claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfs.cli.claim_options import claim_options
from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond

if TYPE_CHECKING:
    from memfs.app.drafts import ClaimOptions


@click.command(
    "propose",
    cls=ExampleCommand,
    short_help="Suggest a claim; it waits for a person unless policy admits it.",
    examples=('memfs propose "CI needs Node 20" --kind fact --as agent:builder',),
)
@claim_options
@click.option("--quote", default="", help="Words that stand verbatim in the evidence.")
@click.option("--evidence", default="", metavar="ID", help="The evidence record of --quote.")
@shared_options
def command(
    invocation: Invocation,
    text: str,
    claim: ClaimOptions,
    quote: str,
    evidence: str,
) -> int:
    """Suggest TEXT (or stdin) as one claim.

    A proposal is not memory. It waits in the inbox with the reasons why, and is served
    to nobody until a person accepts it.
    """
    with invocation.open() as memory:
        result = memory.propose(text, quote=quote, evidence=evidence, **claim)
    return respond(invocation, result)
