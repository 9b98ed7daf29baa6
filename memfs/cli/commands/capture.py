"""``memfs capture``: keeps one text as evidence."""

from __future__ import annotations

import click

from memfs.cli.claim_options import text_or_stdin
from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond


@click.command(
    "capture",
    cls=ExampleCommand,
    short_help="Keep a text as evidence that claims can quote.",
    examples=("curl -s $URL | memfs capture --source $URL -",),
)
@click.argument("text", required=False)
@click.option(
    "--source", default="", metavar="POINTER", help="Where it stands: an address, a file, a turn."
)
@click.option("--speaker", default="", metavar="NAME", help="Who said it, as the transport tells.")
@click.option("--scope", default="", metavar="SCOPE", help="Such as project:NAME.")
@click.option(
    "--key", default="", metavar="KEY", help="Idempotency key: the same key is carried out once."
)
@shared_options
def command(
    invocation: Invocation, text: str | None, source: str, speaker: str, scope: str, key: str
) -> int:
    """Keep TEXT (or stdin) as evidence, never as a claim.

    What it is worth follows from who hands it in: a tool's text, and whatever stands at an
    address, is evidence of what was read there. Find it with: memfs recall --kind excerpt.
    """
    words = text_or_stdin(text)
    with invocation.open() as memory:
        result = memory.capture(words, source=source, speaker=speaker, scope=scope, key=key)
    return respond(invocation, result)
