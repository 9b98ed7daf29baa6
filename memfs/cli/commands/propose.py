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
@click.option("--cites", multiple=True, metavar="ID", help="Further evidence; may be repeated.")
@click.option(
    "--check",
    "checks",
    multiple=True,
    metavar="KIND=VALUE",
    help="What can be looked up: path=FILE[:LINE|#NAME], commit=ID, date=DAY, "
    "outcome=COMMAND=RESULT of a cited observation.",
)
@shared_options
def command(
    invocation: Invocation,
    text: str,
    claim: ClaimOptions,
    quote: str,
    evidence: str,
    cites: tuple[str, ...],
    checks: tuple[str, ...],
) -> int:
    """Suggest TEXT (or stdin) as one claim.

    A proposal is not memory. It waits in the inbox with the reasons why, and is served
    to nobody until a person accepts it.
    """
    named = tuple((kind, value) for kind, _, value in (item.partition("=") for item in checks))
    claim["cites"], claim["checks"] = cites, named
    with invocation.open() as memory:
        result = memory.propose(text, quote=quote, evidence=evidence, **claim)
    return respond(invocation, result)
