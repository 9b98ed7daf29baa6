"""``memfs propose``: suggests one claim."""

from __future__ import annotations

import click

from memfs.cli.claim_options import claim_options, text_or_stdin
from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


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
    text: str | None,
    kind: str,
    title: str,
    tags: tuple[str, ...],
    subject: str,
    scope: str,
    importance: int | None,
    sensitivity: str,
    key: str,
    quote: str,
    evidence: str,
) -> int:
    """Suggest TEXT (or stdin) as one claim.

    A proposal is not memory. It waits in the inbox with the reasons why, and is served
    to nobody until a person accepts it.
    """
    words = text_or_stdin(text)
    with invocation.open() as memory:
        result = memory.propose(
            words,
            kind=kind,
            title=title,
            tags=tags,
            subject=subject,
            scope=scope,
            importance=importance,
            sensitivity=sensitivity,
            key=key,
            quote=quote,
            evidence=evidence,
        )
    return respond(invocation, result)
